// The connection to Redis that all stores share. Commands of one event loop turn leave together.
// After one command has timed out, every command is refused at once, until a heartbeat succeeds.
import { randomBytes } from 'node:crypto'
import { Redis, type RedisOptions } from 'ioredis'
import { jitterRetryAfter, type Log, type MaybePromise } from 'toolrack/protocol'
import { alreadyStarted, type Backend, McpError, type StoreContext } from 'toolrack/stores'
import { toReason } from 'toolrack/text'

/** How long a start waits for Redis before it continues without, ms; Redis may answer later. */
const START_MS = 2000
/** Timeout of one command, ms. A request that needs state must be refused within 300 ms. */
const ANSWER_MS = 200
const HEARTBEAT_MS = 500
/** Time without a heartbeat after which a replica counts as gone, ms. */
const GONE_MS = 15_000
/** After Redis returns, how long the other replicas may take to send a heartbeat, ms. */
const RETURN_MS = 5000
/** Failed heartbeats in a row before a reconnect: the other end may be gone without a close. */
const MAX_MISSED = 3

const NAME_BYTES = 12

/** Replies that mean that Redis as a whole does not serve now; any other error is about one key. */
const TROUBLE = /^(?:READONLY|OOM|NOAUTH|WRONGPASS|NOPERM|LOADING|MASTERDOWN|MISCONF|CLUSTERDOWN|NOREPLICAS|BUSY) /

export type Command<T> = (client: Redis) => Promise<T>

export interface RedisClientOptions {
  readonly url: string
  readonly prefix: string
  /** Timeout of one command, ms. */
  readonly answerMs?: number | undefined
}

type StartHook = (context: StoreContext) => MaybePromise<void>

export class RedisClient implements Backend {
  readonly outlivesProcess = true
  /** The name by which the other replicas address this one. */
  readonly replicaId = randomBytes(NAME_BYTES).toString('base64url')
  readonly #client: Redis
  readonly #url: string
  /** All connections that may connect again, then with the current credentials. */
  readonly #connections = new Set<Redis>()
  readonly #prefix: string
  readonly #answerMs: number
  readonly #startHooks: StartHook[] = []
  readonly #closeHooks: (() => MaybePromise<void>)[] = []
  readonly #returns: (() => void)[] = []
  /** Scripts with a variable number of keys, whose first argument is that number. */
  readonly #ofAnyKeys = new Set<string>()
  #context: StoreContext | undefined
  #heart: NodeJS.Timeout | undefined
  #isUp = false
  #missed = 0
  #hasBeenUp = false
  #returnedAtMs = Number.NEGATIVE_INFINITY

  constructor({ url, prefix, answerMs = ANSWER_MS }: RedisClientOptions) {
    this.#url = url
    this.#client = this.track(new Redis(url, { ...connectionOptions(), enableAutoPipelining: true, lazyConnect: true }))
    this.#prefix = prefix
    this.#answerMs = answerMs
    // The caller of each command gets its error; logging it here would repeat it.
    this.#client.on('error', () => {})
    this.#client.on('ready', () => this.#sendHeartbeat())
    this.#client.on('close', () => this.#goDown('the connection is closed'))
  }

  get name(): string {
    return 'Redis'
  }

  /** @throws Error before the start */
  get log(): Log {
    if (this.#context === undefined) throw new Error('a server starts this state first')
    return this.#context.log
  }

  /**
   * Connects. Resolves when Redis answers, or after a while without an answer. All scripts are
   * defined before:
   * ioredis does not send a script with commands that were waiting before it was defined.
   */
  async start(context: StoreContext): Promise<void> {
    if (this.#context !== undefined) throw alreadyStarted()
    this.#context = context
    this.#heart = setInterval(() => this.#sendHeartbeat(), HEARTBEAT_MS).unref()
    // The client retries by itself.
    this.#client.connect().catch(() => {})
    const isUp = await this.ready(START_MS)
    if (!isUp) context.log.error({}, 'redis does not answer: requests that need shared state are refused')
    for (const hook of this.#startHooks) await hook(context)
  }

  /** Calls the hook at the start, or at once if this has started. */
  onStart(hook: StartHook): void {
    if (this.#context === undefined) this.#startHooks.push(hook)
    else void hook(this.#context)
  }

  /** Calls the hook before the connection is closed; the latest hook first. */
  onClose(hook: () => MaybePromise<void>): void {
    this.#closeHooks.unshift(hook)
  }

  problems(): readonly string[] {
    return this.#isUp ? [] : ['redis: sessions and tasks are refused, limits are counted by each replica']
  }

  /** True while Redis answers commands. */
  get isUp(): boolean {
    return this.#isUp
  }

  /** Builds the name of a key with the prefix of this server. */
  key(...parts: readonly string[]): string {
    return [this.#prefix, ...parts].join(':')
  }

  /**
   * Defines a script; ioredis sends it once and then refers to it by its hash.
   *
   * @param keys how many of its arguments are keys
   */
  define(name: string, keys: number | 'any', lua: string): void {
    if (keys !== 'any') this.#client.defineCommand(name, { numberOfKeys: keys, lua })
    else {
      this.#client.defineCommand(name, { lua })
      this.#ofAnyKeys.add(name)
    }
  }

  /** Runs a defined script and returns its reply. @throws McpError STATE_UNAVAILABLE (503) */
  script(name: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const count = this.#ofAnyKeys.has(name) ? [keys.length] : []
    return this.run(client => (client as unknown as Scripts)[name]!(...count, ...keys, ...args))
  }

  /** @throws McpError STATE_UNAVAILABLE (503) within 300 ms */
  run<T>(command: Command<T>): Promise<T> {
    return this.#isUp ? this.#try(command) : Promise.reject(unavailable())
  }

  /** Whether a replica has sent a heartbeat lately. @throws McpError STATE_UNAVAILABLE (503) */
  async isReplicaAlive(name: string): Promise<boolean> {
    if (performance.now() - this.#returnedAtMs < RETURN_MS) return true
    return (await this.run(client => client.exists(this.#getHeartbeatKey(name)))) === 1
  }

  /** Calls `listener` each time Redis answers again; messages published meanwhile were missed. */
  onRecovered(listener: () => void): void {
    this.#returns.push(listener)
  }

  /** Resolves when Redis answers, or after `limitMs`. */
  async ready(limitMs: number): Promise<boolean> {
    for (const endMs = performance.now() + limitMs; !this.#isUp && performance.now() < endMs; )
      await new Promise(resolve => setTimeout(resolve, 20))
    return this.#isUp
  }

  /** Opens another connection to the same server, for a subscriber or a blocking command. */
  duplicate(options: RedisOptions): Redis {
    const own = { enableAutoPipelining: false, lazyConnect: false, reconnectOnError: reconnectIfReadOnly() }
    const duplicate = this.#client.duplicate({ ...own, ...options })
    duplicate.on('error', () => {})
    return this.track(duplicate)
  }

  /** Makes the connection use new credentials, until it ends. */
  track(connection: Redis): Redis {
    this.#connections.add(connection)
    connection.on('end', () => this.#connections.delete(connection))
    return connection
  }

  /**
   * Used by the next connections; Redis keeps open ones.
   *
   * @throws Error if the URL names another server
   */
  setCredentials(url: string): void {
    if (withoutCredentials(url) !== withoutCredentials(this.#url))
      throw new Error('expected another user or password alone, since another server or database needs a restart')
    const { username, password } = new Redis(url, { lazyConnect: true }).options
    for (const { options } of this.#connections) Object.assign(options, { username, password })
  }

  async close(): Promise<void> {
    for (const hook of this.#closeHooks) await hook()
    clearInterval(this.#heart)
    this.#isUp = false
    this.#client.disconnect()
  }

  async #try<T>(command: Command<T>): Promise<T> {
    try {
      return await withTimeout(command(this.#client), this.#answerMs)
    } catch (error) {
      const reason = toReason(error)
      const isAboutKey = (error as Error).name === 'ReplyError' && !TROUBLE.test(reason)
      if (isAboutKey) this.log.warn({ reason: reason.slice(0, 200) }, 'redis refused a command')
      else this.#goDown(reason)
      throw unavailable(error)
    }
  }

  // The heartbeat is a write, since a reachable server may still refuse writes. It also fails
  // without a connection, because a peer may accept the connection and never answer. To count as up
  // again, Redis must answer within the timeout of a command.
  async #sendHeartbeat(): Promise<void> {
    try {
      const limitMs = this.#isUp ? 2 * this.#answerMs : this.#answerMs
      await withTimeout(this.#client.set(this.#getHeartbeatKey(this.replicaId), '1', 'PX', GONE_MS), limitMs)
      this.#missed = 0
      this.#goUp()
    } catch (error) {
      this.#goDown(toReason(error))
      if (++this.#missed % MAX_MISSED === 0) this.#client.disconnect(true)
    }
  }

  #getHeartbeatKey(name: string): string {
    return this.key('replica', name, 'heartbeat')
  }

  #goUp(): void {
    if (this.#isUp) return
    this.#isUp = true
    if (this.#hasBeenUp) {
      this.#returnedAtMs = performance.now()
      this.log.info({}, 'redis answers again')
    }
    this.#hasBeenUp = true
    for (const listener of this.#returns) listener()
  }

  #goDown(reason: string): void {
    if (!this.#isUp) return
    this.#isUp = false
    this.log.error(
      { reason: reason.slice(0, 200) },
      'redis does not answer: requests that need shared state are refused',
    )
  }
}

const withoutCredentials = (url: string) => Object.assign(new URL(url), { username: '', password: '' }).href

type Scripts = Record<string, (...args: (string | number)[]) => Promise<unknown>>

export const unavailable = (cause?: unknown) =>
  new McpError('STATE_UNAVAILABLE', 'shared state cannot be reached; retry', {
    retryAfterS: jitterRetryAfter(2),
    cause,
  })

const CONNECT_MS = 2000
/** How long the other end may take to close, ms. */
const DISCONNECT_MS = 100
const MAX_RETRY_MS = 1000

const connectionOptions = (): RedisOptions => ({
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: CONNECT_MS,
  disconnectTimeout: DISCONNECT_MS,
  keepAlive: 5000,
  retryStrategy: times => Math.min(MAX_RETRY_MS, 50 * times),
  reconnectOnError: reconnectIfReadOnly(),
})

// READONLY means that the server has become a replica and that another may have its name now.
// Many commands of one connection fail with it at once, so one reconnect per second is enough.
function reconnectIfReadOnly(): (error: Error) => boolean {
  let lastMs = Number.NEGATIVE_INFINITY
  return ({ message }) => {
    if (!message.startsWith('READONLY') || performance.now() - lastMs < MAX_RETRY_MS) return false
    lastMs = performance.now()
    return true
  }
}

/** Length of the last part of a timeout, ms. */
const LAST_MS = 50

class LateAnswer extends Error {
  override name = 'LateAnswer'
}

// Rejects if the answer does not come in time. A process that was busy for long may have commands
// that it has not sent and answers that it has not read. So the last part of the timeout is a
// separate timer, which starts when the first has fired.
export function withTimeout<T>(answer: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new LateAnswer(`no answer within ${limitMs} ms`))
    let timer = setTimeout(() => {
      timer = setTimeout(giveUp, LAST_MS)
    }, limitMs - LAST_MS)
    answer.then(
      value => {
        clearTimeout(timer)
        resolve(value)
      },
      error => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
