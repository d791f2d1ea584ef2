// The state in Redis: several processes share it, and it outlives them.
import { Redis } from 'ioredis'
import { busy } from './rooms.ts'
import type { Room, Share, Store } from './store.ts'

const TIMEOUT_MS = 2000
const SCAN_COUNT = 1000

/** As in memory.ts. A refused group reserves nothing. */
const RESERVE = `
local size = tonumber(ARGV[1])
local function count(name)
  return (redis.call('HGET', KEYS[1], name) or 0) + (redis.call('HGET', KEYS[2], name) or 0)
end
local free = ARGV[2] - count('')
if size > free then return 0 end
for at = 4, #ARGV, 2 do
  if count(ARGV[at]) + size > free * ARGV[at + 1] then return 0 end
end
redis.call('HINCRBY', KEYS[1], '', size)
for at = 4, #ARGV, 2 do redis.call('HINCRBY', KEYS[1], ARGV[at], size) end
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1`

/** @param onError of the connection, which retries by itself @param timeoutMs of each command */
export function connectRedis(url: string, onError: (error: Error) => void, timeoutMs = TIMEOUT_MS): Redis {
  const redis = new Redis(url, { commandTimeout: timeoutMs, connectTimeout: TIMEOUT_MS, maxRetriesPerRequest: 1 })
  return redis.on('error', onError)
}

export class RedisStore implements Store {
  readonly #redis: Redis
  readonly #prefix: string
  readonly #onTrouble: (error: Error) => void

  /** @param onTrouble called when Redis has failed; the caller gets a 503 */
  constructor(redis: Redis, prefix: string, onTrouble: (error: Error) => void) {
    this.#redis = redis
    this.#prefix = prefix
    this.#onTrouble = onTrouble
  }

  async set(kind: string, id: string, value: object, ttlS: number): Promise<void> {
    await this.#ask(this.#redis.set(this.#key(kind, id), JSON.stringify(value), 'EX', ttlS))
  }

  async get(kind: string, id: string): Promise<Record<string, unknown> | undefined> {
    return parse(await this.#ask(this.#redis.get(this.#key(kind, id))))
  }

  async take(kind: string, id: string): Promise<Record<string, unknown> | undefined> {
    return parse(await this.#ask(this.#redis.getdel(this.#key(kind, id))))
  }

  async add(kind: string, id: string, value: object, ttlS: number): Promise<boolean> {
    const done = this.#redis.set(this.#key(kind, id), JSON.stringify(value), 'EX', ttlS, 'NX')
    return (await this.#ask(done)) === 'OK'
  }

  async replace(kind: string, id: string, value: object, ttlS: number): Promise<boolean> {
    const done = this.#redis.set(this.#key(kind, id), JSON.stringify(value), 'EX', ttlS, 'XX')
    return (await this.#ask(done)) === 'OK'
  }

  async reserve(kind: string, { max, ttlS }: Room, shares: readonly Share[], size: number): Promise<boolean> {
    const at = Math.floor(Date.now() / (ttlS * 1000))
    const keys = [at, at - 1].map(window => this.#key(`{room ${kind}}`, String(window)))
    const pairs = shares.flatMap(({ name, of }) => [name, of])
    return (await this.#ask(this.#redis.eval(RESERVE, keys.length, ...keys, size, max, 2 * ttlS, ...pairs))) === 1
  }

  async delete(kind: string, id: string): Promise<void> {
    await this.#ask(this.#redis.del(this.#key(kind, id)))
  }

  /** All entries of one kind, by id, as far as they exist the whole time. */
  async *entries(kind: string): AsyncGenerator<[id: string, value: Record<string, unknown>]> {
    const prefix = this.#key(kind, '')
    for await (const keys of this.#redis.scanStream({ match: `${prefix}*`, count: SCAN_COUNT })) {
      const texts = keys.length === 0 ? [] : await this.#redis.mget(keys)
      for (const [at, json] of texts.entries()) {
        const value = parse(json)
        if (value !== undefined) yield [keys[at].slice(prefix.length), value]
      }
    }
  }

  async ping(): Promise<void> {
    await this.#redis.ping()
  }

  async close(): Promise<void> {
    this.#redis.disconnect()
  }

  async #ask<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (error) {
      this.#onTrouble(error as Error)
      throw busy('the state cannot be reached now; try again')
    }
  }

  #key(kind: string, id: string): string {
    return `${this.#prefix}:${kind}:${id}`
  }
}

const parse = (json: string | null): Record<string, unknown> | undefined =>
  json === null ? undefined : JSON.parse(json)
