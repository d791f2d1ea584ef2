// Counts unread response bytes per client and process, so that slow readers cannot fill the memory.
// Past a bound, responses wait, requests are refused, and the slowest readers are disconnected.
import { McpError } from '../protocol/errors.ts'

export interface UnsentBounds {
  readonly process: number
  readonly client: number
}

/** Maximum-size results that may be unsent at once; half as many per client. */
const MAX_RESULTS = 32
/** A smaller maximum result size does not lower the bounds. */
const MIN_RESULT_BYTES = 2 ** 20

export function createUnsentBounds(maxResultBytes: number): UnsentBounds {
  const process = MAX_RESULTS * Math.max(maxResultBytes, MIN_RESULT_BYTES)
  return Object.freeze({ process, client: process / 2 })
}

/** Responses that wait for room at once. */
export const MAX_WAITING_ANSWERS = 64
export const MAX_ANSWER_WAIT_MS = 10_000
/** Minimum age, ms, before the slowest reader is disconnected for room. */
export const READER_GRACE_MS = 2000
/** Time limit for reading a response, ms, plus one second for each SLOWEST_BYTES_PER_S bytes. */
export const WHOLE_ANSWER_MS = 30_000
export const SLOWEST_BYTES_PER_S = 16 * 1024

/** How often to look for slow readers while bytes are unsent, ms. */
const CHECK_MS = 250

/** Monotonic, ms. */
type Clock = () => number

/** A connection that can be cut for room. */
export interface Cuttable {
  destroy(): unknown
}

export interface AnswerSocket extends Cuttable {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
}

/** The unread bytes of one client on one connection. */
export class Unsent {
  readonly clientKey: string
  /** Undefined for bytes that have no reader yet, or whose reader is never cut off. */
  readonly connection: Cuttable | undefined
  readonly sinceMs: number
  /** Responses, unlike streams, must be read within a time limit. */
  isAnswer = false
  bytes = 0
  totalBytes = 0
  isReleased = false
  readonly #owner: UnsentBytes

  constructor(owner: UnsentBytes, clientKey: string, connection: Cuttable | undefined) {
    this.#owner = owner
    this.clientKey = clientKey
    this.connection = connection
    this.sinceMs = owner.now()
  }

  /** @param bytes negative if some were read */
  add(bytes: number): void {
    if (!this.isReleased && bytes !== 0) this.#owner.applyChange(this, bytes)
  }

  release(): void {
    this.add(-this.bytes)
  }
}

interface ClientUnsent {
  bytes: number
  readonly unsent: Set<Unsent>
}

export class UnsentBytes {
  readonly bounds: UnsentBounds
  readonly #clock: Clock
  readonly #clients = new Map<string, ClientUnsent>()
  readonly #waiting = new Set<{ readonly clientKey: string; wake(): void }>()
  readonly #connections = new WeakMap<Cuttable, Map<string, Unsent>>()
  #bytes = 0
  /** Responses that are text already and reach the transport in this turn. */
  #builtBytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(bounds: UnsentBounds, clock: Clock = () => performance.now()) {
    this.bounds = bounds
    this.#clock = clock
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The unread bytes of a client on a connection. Do not keep the object after all was read. */
  getOrCreate(clientKey: string, connection: AnswerSocket): Unsent {
    const { destroyed } = connection
    // A destroyed socket emits no further `close`.
    if (destroyed) return Object.assign(new Unsent(this, clientKey, connection), { isReleased: true })
    let known = this.#connections.get(connection)
    if (known === undefined) {
      this.#connections.set(connection, (known = new Map()))
      connection.once('close', () => this.#close(connection))
    }
    let unsent = known.get(clientKey)
    if (unsent === undefined) known.set(clientKey, (unsent = new Unsent(this, clientKey, connection)))
    return unsent
  }

  /** For a response under construction, or a channel other than a socket. The caller must release it. */
  createUnsent(clientKey: string, connection?: Cuttable): Unsent {
    return new Unsent(this, clientKey, connection)
  }

  hasRoom(clientKey: string): boolean {
    if (this.#bytes + this.#builtBytes === 0) return true
    return (
      this.#bytes + this.#builtBytes < this.bounds.process && this.#countClientBytes(clientKey) < this.bounds.client
    )
  }

  /** @throws McpError RATE_LIMITED (429) if the client has too much unread, else BUSY (503) */
  assertRoom(clientKey: string): void {
    if (this.hasRoom(clientKey)) return
    this.#makeRoom()
    if (!this.hasRoom(clientKey)) throw this.#createRefusal(clientKey)
  }

  /**
   * Waits for room. Call `hasRoom` again afterwards: another response may have taken it.
   * @param untilMs by `now`
   * @throws McpError as `assertRoom`, if too many responses wait or the time is over
   */
  async wait(clientKey: string, untilMs: number): Promise<void> {
    if (this.#waiting.size >= MAX_WAITING_ANSWERS || this.now() >= untilMs) throw this.#createRefusal(clientKey)
    const woken = new Promise<void>(wake => this.#waiting.add({ clientKey, wake }))
    this.#startTimer()
    return woken
  }

  now(): number {
    return this.#clock()
  }

  /** The transport gets these bytes in this turn, or never. */
  addBuilt(bytes: number): void {
    if (this.#builtBytes === 0) setImmediate(() => this.#forgetBuilt())
    this.#builtBytes += bytes
  }

  applyChange(unsent: Unsent, change: number): void {
    const { clientKey } = unsent
    let client = this.#clients.get(clientKey)
    if (client === undefined) this.#clients.set(clientKey, (client = { bytes: 0, unsent: new Set() }))
    client.unsent.add(unsent)
    client.bytes += change
    unsent.bytes += change
    this.#bytes += change
    if (change > 0) unsent.totalBytes += change
    else if (unsent.bytes === 0) this.#forget(unsent, client)
    if (change < 0) this.#wake()
    else this.#startTimer()
  }

  #forget(unsent: Unsent, client: ClientUnsent): void {
    unsent.isReleased = true
    client.unsent.delete(unsent)
    if (client.unsent.size === 0) this.#clients.delete(unsent.clientKey)
    if (unsent.connection !== undefined) this.#connections.get(unsent.connection)?.delete(unsent.clientKey)
  }

  #close(connection: AnswerSocket): void {
    for (const unsent of this.#connections.get(connection)?.values() ?? []) unsent.release()
  }

  #startTimer(): void {
    this.#timer ??= setInterval(() => this.tick(), CHECK_MS).unref()
  }

  /** Disconnects overdue readers, and the slowest ones if responses wait for room. */
  tick(): void {
    const nowMs = this.now()
    for (const { unsent } of this.#clients.values()) {
      for (const each of unsent) if (isOverdue(each, nowMs)) this.#disconnect(each)
    }
    if (this.#waiting.size > 0) this.#makeRoom()
    this.#wake()
    if (this.#bytes > 0 || this.#waiting.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #countClientBytes(clientKey: string): number {
    return this.#clients.get(clientKey)?.bytes ?? 0
  }

  #forgetBuilt(): void {
    this.#builtBytes = 0
    this.#wake()
  }

  #wake(): void {
    for (const each of this.#waiting) {
      this.#waiting.delete(each)
      each.wake()
    }
  }

  // Takes from the client with most bytes: one slow response does not pay for hundreds of others.
  #makeRoom(): void {
    while (this.#bytes >= this.bounds.process) {
      const [largest] = [...this.#clients.values()].sort((a, b) => b.bytes - a.bytes)
      const slowest = largest && findSlowest(largest.unsent, this.now())
      if (slowest === undefined) return
      this.#disconnect(slowest)
    }
  }

  #disconnect(unsent: Unsent): void {
    // The connection closes later, but the bytes no longer count.
    unsent.release()
    unsent.connection?.destroy()
  }

  #createRefusal(clientKey: string): McpError {
    const isOwn = this.#countClientBytes(clientKey) >= this.bounds.client
    return isOwn
      ? new McpError('RATE_LIMITED', 'too many answers have not been read; read them first', { retryAfterS: 1 })
      : new McpError('BUSY', 'too many answers wait for their readers; retry', { retryAfterS: 1 })
  }
}

function isOverdue({ isAnswer, sinceMs, totalBytes }: Unsent, nowMs: number): boolean {
  return isAnswer && nowMs - sinceMs > WHOLE_ANSWER_MS + (totalBytes / SLOWEST_BYTES_PER_S) * 1000
}

/** Compares readers by an upper bound of their read rate. */
function findSlowest(all: Iterable<Unsent>, nowMs: number): Unsent | undefined {
  let slowest: Unsent | undefined
  let least = Number.POSITIVE_INFINITY
  for (const each of all) {
    const ageMs = nowMs - each.sinceMs
    const bytesPerMs = each.totalBytes / ageMs
    if (each.connection === undefined || ageMs < READER_GRACE_MS || bytesPerMs >= least) continue
    slowest = each
    least = bytesPerMs
  }
  return slowest
}
