// The state in Redis: several processes share it, and it outlives them.
import { Redis } from 'ioredis'
import type { Store } from './store.ts'

const TIMEOUT_MS = 2000

/** @param onError of the connection, which is tried again by itself */
export function connectRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, { commandTimeout: TIMEOUT_MS, connectTimeout: TIMEOUT_MS, maxRetriesPerRequest: 1 })
  return redis.on('error', onError)
}

export class RedisStore implements Store {
  readonly #redis: Redis
  readonly #prefix: string

  constructor(redis: Redis, prefix: string) {
    this.#redis = redis
    this.#prefix = prefix
  }

  async set(kind: string, id: string, value: object, ttlS: number): Promise<void> {
    await this.#redis.set(this.#key(kind, id), JSON.stringify(value), 'EX', ttlS)
  }

  async get(kind: string, id: string): Promise<Record<string, unknown> | undefined> {
    return parse(await this.#redis.get(this.#key(kind, id)))
  }

  async take(kind: string, id: string): Promise<Record<string, unknown> | undefined> {
    return parse(await this.#redis.getdel(this.#key(kind, id)))
  }

  async add(kind: string, id: string, ttlS: number): Promise<boolean> {
    return (await this.#redis.set(this.#key(kind, id), '{}', 'EX', ttlS, 'NX')) === 'OK'
  }

  async delete(kind: string, id: string): Promise<void> {
    await this.#redis.del(this.#key(kind, id))
  }

  async ping(): Promise<void> {
    await this.#redis.ping()
  }

  async close(): Promise<void> {
    this.#redis.disconnect()
  }

  #key(kind: string, id: string): string {
    return `${this.#prefix}:${kind}:${id}`
  }
}

const parse = (json: string | null): Record<string, unknown> | undefined =>
  json === null ? undefined : JSON.parse(json)
