// Decides whether a call may run now: limits per subject, the tool's rate and concurrency, then the
// process's slots. A final refusal has a retry time; a call that may wait is queued within bounds.
import { McpError } from '../protocol/errors.ts'
import type { Tool } from '../registry/tool.ts'
import { createRateKey, type ToRateKey } from '../request/claim-keys.ts'
import type { Exchange } from '../request/exchange.ts'
import { type MaybePromise, settle } from '../request/maybe-promise.ts'
import type { Limits } from '../state/limits.ts'
import { MAX_CALLS_PER_SUBJECT, PerSubjectSemaphore, Semaphore } from './semaphore.ts'
import { ToolFailure } from './tool-failure.ts'

// Runs that were cancelled but have not ended. Too many block their tool.

/** For a tool without a concurrency: this many runs that ignore their abort block it. */
const MAX_ABANDONED_RUNS = 16

export class AbandonedRuns {
  /** By tool name and client. */
  readonly #counts = new Map<string, Map<string, number>>()

  get size(): number {
    return this.#counts.values().reduce((total, clients) => total + sumCounts(clients), 0)
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  /** @param change 1 when a run is abandoned, -1 when it ends after all */
  count({ name }: Tool, clientKey: string, change: 1 | -1): void {
    const clients = this.#counts.get(name) ?? new Map<string, number>()
    const count = (clients.get(clientKey) ?? 0) + change
    if (count > 0) clients.set(clientKey, count)
    else clients.delete(clientKey)
    if (clients.size > 0) this.#counts.set(name, clients)
    else this.#counts.delete(name)
  }

  /**
   * Returns how many runs block the tool for this client; 0 if it is not blocked. One client's runs
   * alone block only that client; for all others they count for at most half of the bound.
   */
  countBlocking({ name, concurrency: max = MAX_ABANDONED_RUNS }: Tool, clientKey: string): number {
    const clients = this.#counts.get(name)
    if (clients === undefined) return 0
    const own = clients.get(clientKey) ?? 0
    if (own >= max) return own
    const half = Math.ceil(max / 2)
    const counted = clients.values().reduce((total, count) => total + Math.min(count, half), 0)
    return counted >= max ? sumCounts(clients) : 0
  }
}

const sumCounts = (counts: ReadonlyMap<string, number>) => counts.values().reduce((total, count) => total + count, 0)

/** Calls of one tool that may wait for its concurrency. */
const MAX_QUEUED_PER_TOOL = 100

/** Releases what the exchange has acquired. */
export type Release = (exchange: Exchange) => void

const nothingToRelease: Release = () => {}

export interface AdmissionGate {
  admit(tool: Tool, exchange: Exchange): MaybePromise<Release>
  /** For a call that continues: its rate was counted before. */
  readmit(tool: Tool, exchange: Exchange): MaybePromise<Release>
  /** @param change 1 when a run is abandoned, -1 when it ends after all */
  countAbandoned(tool: Tool, exchange: Exchange, change: 1 | -1): void
}

export class Admission implements AdmissionGate {
  readonly #limits: Limits
  readonly #processSemaphore: Semaphore
  readonly #toRateKey: ToRateKey
  readonly #toolSemaphores = new WeakMap<Tool, Semaphore>()
  readonly #perSubject = new PerSubjectSemaphore()
  readonly #abandonedRuns = new AbandonedRuns()

  /** @param toRateKey who shares the rate of a tool; default: each client has its own */
  constructor(limits: Limits, process: Semaphore, toRateKey = createRateKey(undefined)) {
    this.#limits = limits
    this.#processSemaphore = process
    this.#toRateKey = toRateKey
  }

  get load(): Record<'running' | 'queued', number> {
    return { running: this.#processSemaphore.running, queued: this.#processSemaphore.queued }
  }

  get abandonedRuns(): number {
    return this.#abandonedRuns.size
  }

  countAbandoned(tool: Tool, { clientKey }: Exchange, change: 1 | -1): void {
    this.#abandonedRuns.count(tool, clientKey, change)
  }

  /**
   * @throws ToolFailure `limited` or `busy`; McpError RATE_LIMITED (429) if the subject has too
   *   many calls under way, BUSY (503) if the process is full
   */
  admit(tool: Tool, exchange: Exchange): MaybePromise<Release> {
    if (!this.#abandonedRuns.isEmpty) this.#assertNotBlocked(tool, exchange)
    if (exchange.caller === undefined) return this.#countAndEnter(tool, exchange)
    return this.#enterForSubject(exchange, () => this.#countAndEnter(tool, exchange))
  }

  readmit(tool: Tool, exchange: Exchange): MaybePromise<Release> {
    if (exchange.caller === undefined) return this.#enter(tool, exchange)
    return this.#enterForSubject(exchange, () => this.#enter(tool, exchange))
  }

  /** For the handler of a prompt, resource or completion, which has no limits of its own. */
  admitHandler(exchange: Exchange): MaybePromise<Release> {
    const enter = () => this.#acquireSlot(exchange)
    return exchange.caller === undefined ? enter() : this.#enterForSubject(exchange, enter)
  }

  /** Whether a task of this tool should stay in the queue, so that other tasks run first. */
  isCrowded(tool: Tool, clientKey: string): boolean {
    return this.#getToolSemaphore(tool)?.isCrowded(clientKey) === true
  }

  /** For a task from the queue: only the tool's own limits apply, and its wait is unbounded. */
  async admitTask(tool: Tool, exchange: Exchange): Promise<Release> {
    if (!this.#abandonedRuns.isEmpty) this.#assertNotBlocked(tool, exchange)
    await this.#assertRate(tool, exchange)
    return this.readmitTask(tool, exchange)
  }

  /** For a task that continues: its rate was counted before. */
  async readmitTask(tool: Tool, exchange: Exchange): Promise<Release> {
    const own = this.#getToolSemaphore(tool)
    if (own === undefined) return nothingToRelease
    const isTaken = await own.acquirePatiently(exchange.clientKey, exchange.cancellation)
    if (!isTaken) throw toAdmissionError(exchange, toolBusy(tool))
    this.#assertNotBlocked(tool, exchange, own)
    return ({ clientKey }) => own.release(clientKey)
  }

  // The subject's own limit comes first, so that a waiting subject holds nothing that others need.
  #enterForSubject(exchange: Exchange, enter: () => MaybePromise<Release>): MaybePromise<Release> {
    const { clientKey, cancellation } = exchange
    const within = (isTaken: boolean) => {
      if (!isTaken) throw toAdmissionError(exchange, tooManyCalls())
      return settle<Release, Release>(
        enter,
        release => () => {
          release(exchange)
          this.#perSubject.release(clientKey)
        },
        error => {
          this.#perSubject.release(clientKey)
          throw error
        },
      )
    }
    const taken = this.#perSubject.acquire(clientKey, cancellation)
    return taken instanceof Promise ? taken.then(within) : within(taken)
  }

  #countAndEnter(tool: Tool, exchange: Exchange): MaybePromise<Release> {
    if (tool.rateLimit !== undefined) return this.#assertRate(tool, exchange).then(() => this.#enter(tool, exchange))
    return this.#enter(tool, exchange)
  }

  #enter(tool: Tool, exchange: Exchange): MaybePromise<Release> {
    return tool.concurrency === undefined ? this.#acquireSlot(exchange) : this.#enterLimitedTool(tool, exchange)
  }

  #acquireSlot(exchange: Exchange): MaybePromise<Release> {
    const taken = this.#processSemaphore.acquire(exchange.clientKey, exchange.cancellation)
    return taken === true ? this.#releaseProcess : this.#whenAcquired(taken, exchange)
  }

  readonly #releaseProcess: Release = ({ clientKey }) => this.#processSemaphore.release(clientKey)

  async #enterLimitedTool(tool: Tool, exchange: Exchange): Promise<Release> {
    const { clientKey, cancellation } = exchange
    const own = this.#getToolSemaphore(tool)
    if (own !== undefined && !(await own.acquire(clientKey, cancellation)))
      throw toAdmissionError(exchange, toolBusy(tool))
    // The call that it waited for may have been abandoned.
    if (own !== undefined) this.#assertNotBlocked(tool, exchange, own)
    // It holds a slot of its tool that others need, so it goes first in its subject's queue.
    return this.#whenAcquired(this.#processSemaphore.acquire(clientKey, cancellation, 'first'), exchange, own)
  }

  async #whenAcquired(taken: boolean | Promise<boolean>, exchange: Exchange, own?: Semaphore): Promise<Release> {
    const { clientKey } = exchange
    if (await taken) {
      return () => {
        this.#processSemaphore.release(clientKey)
        own?.release(clientKey)
      }
    }
    own?.release(clientKey)
    throw toAdmissionError(exchange, new McpError('BUSY', 'too many calls are under way; retry', { retryAfterS: 1 }))
  }

  async #assertRate(tool: Tool, { caller, clientKey }: Exchange): Promise<void> {
    if (tool.rateLimit === undefined) return
    const key = this.#toRateKey(caller, clientKey)
    const decision = await this.#limits.take(`${tool.name}\n${key}`, tool.rateLimit)
    if (decision.isAllowed) return
    const seconds = Math.max(1, Math.ceil(decision.retryAfterMs / 1000))
    const { max, windowMs } = tool.rateLimit
    const text = `${tool.name} allows ${max} calls in ${windowMs / 1000} s; retry in ${seconds} s`
    throw new ToolFailure('limited', text, { facts: { retryAfterS: seconds } })
  }

  /** @param taken released if the tool is blocked */
  #assertNotBlocked(tool: Tool, { clientKey }: Exchange, taken?: Semaphore): void {
    const strays = this.#abandonedRuns.countBlocking(tool, clientKey)
    if (strays === 0) return
    taken?.release(clientKey)
    throw new ToolFailure(
      'busy',
      `${tool.name} is not available: ${strays} earlier calls did not stop when asked; retry later`,
    )
  }

  #getToolSemaphore(tool: Tool): Semaphore | undefined {
    if (tool.concurrency === undefined) return undefined
    let slots = this.#toolSemaphores.get(tool)
    if (slots === undefined) {
      slots = new Semaphore({ max: tool.concurrency, maxQueued: MAX_QUEUED_PER_TOOL })
      this.#toolSemaphores.set(tool, slots)
    }
    return slots
  }
}

const tooManyCalls = () =>
  new McpError('RATE_LIMITED', `at most ${MAX_CALLS_PER_SUBJECT} calls at once; retry when some have ended`, {
    retryAfterS: 1,
  })

const toolBusy = (tool: Tool) =>
  new ToolFailure('busy', `${tool.name} is busy and its queue is full; retry in a few seconds`)

function toAdmissionError(exchange: Exchange, otherwise: Error): Error {
  if (exchange.cancellation.reason === undefined) return otherwise
  return new ToolFailure('cancelled', 'The call was cancelled while it waited for its turn')
}
