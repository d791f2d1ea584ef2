// What has been answered and not been read: counted per client and for the process, so that slow readers cannot fill its
// memory. Past a bound answers wait before they are written as text, requests are refused, and the slowest are cut.
import { McpError } from '../protocol/errors.ts'

export interface UnsentBounds {
  readonly process: number
  /** Of one client. */
  readonly client: number
}

/** Results of the largest size that may be unsent at once; of one client half as many. */
const MAX_RESULTS = 32
/** What the bounds are made of at least, however small results have to be. */
const MIN_RESULT_BYTES = 2 ** 20

export function createUnsentBounds(maxResultBytes: number): UnsentBounds {
  const process = MAX_RESULTS * Math.max(maxResultBytes, MIN_RESULT_BYTES)
  return Object.freeze({ process, client: process / 2 })
}

/** Answers that wait for room at once, and for how long, ms. */
export const MAX_WAITING_ANSWERS = 64
export const MAX_ANSWER_WAIT_MS = 10_000
/** A reader that has had so long is cut, if it is the slowest and there is no room, ms. */
export const READER_GRACE_MS = 2000
/** How long a reader may take for a whole answer: so long, ms, and a second for each of so many bytes. */
export const WHOLE_ANSWER_MS = 30_000
export const SLOWEST_BYTES_PER_S = 16 * 1024

/** How often readers are looked at while something is unsent, ms. */
const CHECK_MS = 250

/** Milliseconds that never step back. */
type Clock = () => number

/** What an answer leaves by; a socket. */
export interface AnswerSocket {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
  destroy(): unknown
}

/** What waits for one client on one connection, until all of it has been read. */
export class Unsent {
  readonly clientKey: string
  /** Undefined: it does not wait for a reader yet. */
  readonly connection: AnswerSocket | undefined
  readonly sinceMs: number
  /** Of answers, each of which has to be read in time as a whole. */
  isAnswer = false
  bytes = 0
  /** All that was ever added. */
  totalBytes = 0
  isReleased = false
  readonly #owner: UnsentBytes

  constructor(owner: UnsentBytes, clientKey: string, connection: AnswerSocket | undefined) {
    this.#owner = owner
    this.clientKey = clientKey
    this.connection = connection
    this.sinceMs = owner.now()
  }

  /** @param bytes fewer than none where some were read */
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
  readonly #connections = new WeakMap<AnswerSocket, Map<string, Unsent>>()
  #bytes = 0
  /** Of answers that are text already, and on their way to the transport in this turn. */
  #builtBytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(bounds: UnsentBounds, clock: Clock = () => performance.now()) {
    this.bounds = bounds
    this.#clock = clock
  }

  get bytes(): number {
    return this.#bytes
  }

  /** What waits for this client on its connection. It is to be asked for anew, not kept, once all of it was read. */
  getOrCreate(clientKey: string, connection: AnswerSocket): Unsent {
    const { destroyed } = connection
    // Nobody will read, and its end has been told already.
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

  /** What is built, and waits for more of its answer before it is sent. To be released. */
  createUnsent(clientKey: string): Unsent {
    return new Unsent(this, clientKey, undefined)
  }

  /** Whether an answer may be written for this client. */
  hasRoom(clientKey: string): boolean {
    // Nothing waits for anybody, nearly always.
    if (this.#bytes + this.#builtBytes === 0) return true
    return (
      this.#bytes + this.#builtBytes < this.bounds.process && this.#countClientBytes(clientKey) < this.bounds.client
    )
  }

  /** @throws McpError RATE_LIMITED (429), where the client itself has not read enough; BUSY (503) */
  assertRoom(clientKey: string): void {
    if (this.hasRoom(clientKey)) return
    this.#makeRoom()
    if (!this.hasRoom(clientKey)) throw this.#createRefusal(clientKey)
  }

  /**
   * Waits for room. Who comes back has to ask again whether there is any, since others may have been quicker.
   *
   * @param untilMs by `now`
   * @throws McpError as `assertRoom`, where too many wait or it has taken too long
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

  /** An answer is text, and will be given to the transport in this turn, or never. */
  addBuilt(bytes: number): void {
    if (this.#builtBytes === 0) setImmediate(() => this.#forgetBuilt())
    this.#builtBytes += bytes
  }

  /** Only for `Unsent`. */
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

  /** Cuts whoever has had its time, and the slowest while others wait for room. */
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

  // Of who holds most, so that a client with one answer and a poor line does not pay for who has hundreds.
  #makeRoom(): void {
    while (this.#bytes >= this.bounds.process) {
      const [largest] = [...this.#clients.values()].sort((a, b) => b.bytes - a.bytes)
      const slowest = largest && findSlowest(largest.unsent, this.now())
      if (slowest === undefined) return
      this.#disconnect(slowest)
    }
  }

  #disconnect(unsent: Unsent): void {
    // Its connection closes later, and what it held is no longer wanted.
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

/** By what it can have read a second at most. */
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
