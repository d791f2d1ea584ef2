// The connection to Redis that all adapters share. Commands of one turn leave together; one that is not answered in time
// is given up, and from then on each is refused at once, until a heartbeat gets through again.
import { randomBytes } from 'node:crypto'
import { Redis, type RedisOptions } from 'ioredis'
import type { Log } from '../../exchange.ts'
import { McpError } from '../../protocol/errors.ts'
import { spreadRetry } from '../../retry.ts'
import { connectionOptions, reconnectIfReadOnly } from './connection.ts'
import { within } from './within.ts'

/** Longest wait for one answer: what needs state is to be refused within 300 ms. */
const ANSWER_MS = 200
const HEARTBEAT_MS = 500
/** Silence after which a replica is gone. */
const GONE_MS = 15_000
/** How long after its own return all the others may take to theirs. */
const RETURN_MS = 5000
/** Heartbeats in a row that may fail before the connection is made anew: its other end may be gone without a word. */
const MAX_MISSED = 3

const NAME_BYTES = 12

/** Answers that say that Redis as a whole does not serve now; others are about one key. */
const TROUBLE = /^(?:READONLY|OOM|NOAUTH|WRONGPASS|NOPERM|LOADING|MASTERDOWN|MISCONF|CLUSTERDOWN|NOREPLICAS|BUSY) /

export type Command<T> = (client: Redis) => Promise<T>

export interface RedisLinkOptions {
  readonly url: string
  readonly prefix: string
  readonly log: Log
  /** Longest wait for one answer, ms. */
  readonly answerMs?: number
}

export class RedisLink {
  /** What the others call this replica. */
  readonly name = randomBytes(NAME_BYTES).toString('base64url')
  readonly #client: Redis
  readonly #prefix: string
  readonly #log: Log
  readonly #answerMs: number
  readonly #heart: NodeJS.Timeout
  readonly #returns: (() => void)[] = []
  /** Scripts that are told how many of their arguments are keys. */
  readonly #ofAnyKeys = new Set<string>()
  #isUp = false
  #missed = 0
  #hasBeenUp = false
  #returnedAtMs = Number.NEGATIVE_INFINITY

  constructor({ url, prefix, log, answerMs = ANSWER_MS }: RedisLinkOptions) {
    this.#client = new Redis(url, { ...connectionOptions(), enableAutoPipelining: true })
    this.#prefix = prefix
    this.#log = log
    this.#answerMs = answerMs
    // Each failure reaches who waits for it; here it would be said twice.
    this.#client.on('error', () => {})
    this.#client.on('ready', () => this.#beat())
    this.#client.on('close', () => this.#goDown('the connection is closed'))
    this.#heart = setInterval(() => this.#beat(), HEARTBEAT_MS).unref()
  }

  /** Whether commands are answered. */
  get isUp(): boolean {
    return this.#isUp
  }

  /** The name of a key of ours. */
  key(...parts: readonly string[]): string {
    return [this.#prefix, ...parts].join(':')
  }

  /** Defines a script, which is sent once and then named. @param keys how many of its arguments are keys */
  define(name: string, keys: number | 'any', lua: string): void {
    if (keys !== 'any') this.#client.defineCommand(name, { numberOfKeys: keys, lua })
    else {
      this.#client.defineCommand(name, { lua })
      this.#ofAnyKeys.add(name)
    }
  }

  /** @returns what a script that was defined here answers @throws McpError STATE_UNAVAILABLE (503) */
  script(name: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const count = this.#ofAnyKeys.has(name) ? [keys.length] : []
    return this.run(client => (client as unknown as Scripts)[name]!(...count, ...keys, ...args))
  }

  /** @throws McpError STATE_UNAVAILABLE (503) within 300 ms */
  run<T>(command: Command<T>): Promise<T> {
    return this.#isUp ? this.#try(command) : Promise.reject(unavailable())
  }

  /** Whether that replica has been heard of lately. @throws McpError STATE_UNAVAILABLE (503) */
  async isThere(name: string): Promise<boolean> {
    if (performance.now() - this.#returnedAtMs < RETURN_MS) return true
    return (await this.run(client => client.exists(this.#heartbeatOf(name)))) === 1
  }

  /** Called each time when it answers again: what was said meanwhile was not heard. */
  onReturn(listener: () => void): void {
    this.#returns.push(listener)
  }

  /** Resolves when it answers, or `limitMs` later. */
  async ready(limitMs: number): Promise<boolean> {
    for (const endMs = performance.now() + limitMs; !this.#isUp && performance.now() < endMs; )
      await new Promise(resolve => setTimeout(resolve, 20))
    return this.#isUp
  }

  /** Another connection to the same server, for who listens or blocks. */
  duplicate(options: RedisOptions): Redis {
    const own = { enableAutoPipelining: false, reconnectOnError: reconnectIfReadOnly() }
    const duplicate = this.#client.duplicate({ ...own, ...options })
    duplicate.on('error', () => {})
    return duplicate
  }

  async close(): Promise<void> {
    clearInterval(this.#heart)
    this.#isUp = false
    this.#client.disconnect()
  }

  async #try<T>(command: Command<T>): Promise<T> {
    try {
      return await within(command(this.#client), this.#answerMs)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const isAboutKey = (error as Error).name === 'ReplyError' && !TROUBLE.test(reason)
      if (isAboutKey) this.#log.warn({ reason: reason.slice(0, 200) }, 'redis refused a command')
      else this.#goDown(reason)
      throw unavailable(error)
    }
  }

  // A write, since a server may be there and yet take none. One that is not yet connected misses too: its other end may
  // have taken the connection, and not say a word. To be up again it must answer as fast as any command.
  async #beat(): Promise<void> {
    try {
      const limitMs = this.#isUp ? 2 * this.#answerMs : this.#answerMs
      await within(this.#client.set(this.#heartbeatOf(this.name), '1', 'PX', GONE_MS), limitMs)
      this.#missed = 0
      this.#goUp()
    } catch (error) {
      this.#goDown((error as Error).message)
      if (++this.#missed % MAX_MISSED === 0) this.#client.disconnect(true)
    }
  }

  #heartbeatOf(name: string): string {
    return this.key('replica', name, 'heartbeat')
  }

  #goUp(): void {
    if (this.#isUp) return
    this.#isUp = true
    if (this.#hasBeenUp) {
      this.#returnedAtMs = performance.now()
      this.#log.info({}, 'redis answers again')
    }
    this.#hasBeenUp = true
    for (const listener of this.#returns) listener()
  }

  #goDown(reason: string): void {
    if (!this.#isUp) return
    this.#isUp = false
    this.#log.error({ reason: reason.slice(0, 200) }, 'redis does not answer: what needs shared state is refused')
  }
}

type Scripts = Record<string, (...args: (string | number)[]) => Promise<unknown>>

export const unavailable = (cause?: unknown) =>
  new McpError('STATE_UNAVAILABLE', 'shared state cannot be reached; retry', { retryAfterS: spreadRetry(2), cause })
