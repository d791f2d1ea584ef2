// Decides whether a call may run now: limits per subject, the tool's rate and concurrency, then the
// process's slots. A final refusal has a retry time; a call that may wait is queued within bounds.
import { McpError } from '../protocol/errors.ts'
import type { Tool } from '../registry/tool.ts'
import { createRateKey, type ToRateKey } from '../request/claim-keys.ts'
import type { Exchange } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import { run, type Steps, wait } from '../request/steps.ts'
import type { LimitRule, Limits } from '../state/limits.ts'
import { AbandonedRuns } from './abandoned-runs.ts'
import { MAX_CALLS_PER_SUBJECT, PerSubjectSemaphore } from './per-subject-semaphore.ts'
import { Semaphore } from './semaphore.ts'
import { ToolFailure } from './tool-failure.ts'

/** Calls of one tool that may wait for its concurrency. */
const MAX_QUEUED_PER_TOOL = 100

/** Releases what a call has acquired; called once. */
export type Release = () => void

export interface AdmissionGate {
  admit(tool: Tool, exchange: Exchange): MaybePromise<Release>
  /** For a call that continues: its rate was counted before. */
  readmit(tool: Tool, exchange: Exchange): MaybePromise<Release>
  /** @param change 1 when a run is abandoned, -1 when it ends after all */
  countAbandoned(tool: Tool, exchange: Exchange, change: 1 | -1): void
}

export class Admission implements AdmissionGate {
  readonly #limits: Limits
  readonly #process: Semaphore
  readonly #toRateKey: ToRateKey
  readonly #toolSlots = new WeakMap<Tool, Semaphore>()
  readonly #perSubject = new PerSubjectSemaphore()
  readonly #abandonedRuns = new AbandonedRuns()

  /** @param toRateKey tells which callers share the rate of a tool; default: each client has its own */
  constructor(limits: Limits, process: Semaphore, toRateKey = createRateKey(undefined)) {
    this.#limits = limits
    this.#process = process
    this.#toRateKey = toRateKey
  }

  get load(): Record<'running' | 'queued', number> {
    return { running: this.#process.running, queued: this.#process.queued }
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
    this.#assertNotBlocked(tool, exchange)
    const hasLimits = tool.rateLimit !== undefined || tool.concurrency !== undefined
    const entered = hasLimits ? undefined : this.#tryEnter(exchange)
    return entered ?? run(this.#enter(exchange, tool, tool.rateLimit))
  }

  readmit(tool: Tool, exchange: Exchange): MaybePromise<Release> {
    return run(this.#enter(exchange, tool))
  }

  /** For the handler of a prompt, a resource or a completion: none of them has limits of its own. */
  admitHandler(exchange: Exchange): MaybePromise<Release> {
    return run(this.#enter(exchange))
  }

  /** Whether a task of this tool should stay in the queue, so that other tasks run first. */
  isCrowded(tool: Tool, clientKey: string): boolean {
    return this.#findToolSlots(tool)?.isCrowded(clientKey) === true
  }

  /** For a task from the queue: only the tool's own limits apply, and its wait is unbounded. */
  async admitTask(tool: Tool, exchange: Exchange): Promise<Release> {
    this.#assertNotBlocked(tool, exchange)
    if (tool.rateLimit !== undefined) await run(this.#countCall(tool, tool.rateLimit, exchange))
    return this.readmitTask(tool, exchange)
  }

  /** For a task that continues: its rate was counted before. */
  async readmitTask(tool: Tool, exchange: Exchange): Promise<Release> {
    const { clientKey, cancellation } = exchange
    const own = this.#findToolSlots(tool)
    if (own === undefined) return () => {}
    if (!(await own.acquirePatiently(clientKey, cancellation))) throw toAdmissionError(exchange, toolBusy(tool))
    const release = () => own.release(clientKey)
    try {
      this.#assertNotBlocked(tool, exchange)
      return release
    } catch (error) {
      release()
      throw error
    }
  }

  /**
   * Enters at once while slots are free and the tool has no limits. The full steps would cost a call
   * 10 %.
   */
  #tryEnter({ caller, clientKey }: Exchange): Release | undefined {
    const subjects = caller && this.#perSubject
    if (subjects?.tryAcquire(clientKey) === false) return undefined
    if (this.#process.tryAcquire(clientKey)) {
      return () => {
        this.#process.release(clientKey)
        subjects?.release(clientKey)
      }
    }
    subjects?.release(clientKey)
    return undefined
  }

  // The subject's own limit comes first: a subject that waits there holds nothing that others need.
  *#enter(exchange: Exchange, tool?: Tool, rate?: LimitRule): Steps<Release> {
    const { clientKey, cancellation } = exchange
    const acquired: { release(subject: string): void }[] = []
    const release = () => {
      for (const slots of acquired) slots.release(clientKey)
    }
    try {
      if (exchange.caller !== undefined) {
        const isTaken = yield* wait(this.#perSubject.acquire(clientKey, cancellation))
        if (!isTaken) throw toAdmissionError(exchange, tooManyCalls())
        acquired.push(this.#perSubject)
      }
      if (tool !== undefined && rate !== undefined) yield* this.#countCall(tool, rate, exchange)
      const own = tool && this.#findToolSlots(tool)
      if (tool !== undefined && own !== undefined) {
        if (!(yield* wait(own.acquire(clientKey, cancellation)))) throw toAdmissionError(exchange, toolBusy(tool))
        acquired.push(own)
        // Checked again: the call that it waited for may have been abandoned.
        this.#assertNotBlocked(tool, exchange)
      }
      // It holds a slot of its tool that others need, so it goes first in its subject's queue.
      const position = own === undefined ? 'queued' : 'first'
      if (!(yield* wait(this.#process.acquire(clientKey, cancellation, position))))
        throw toAdmissionError(exchange, processBusy())
      acquired.push(this.#process)
      return release
    } catch (error) {
      release()
      throw error
    }
  }

  *#countCall({ name }: Tool, rule: LimitRule, { caller, clientKey }: Exchange): Steps<void> {
    const key = this.#toRateKey(caller, clientKey)
    const { isAllowed, retryAfterMs } = yield* wait(this.#limits.take(`${name}\n${key}`, rule))
    if (isAllowed) return
    const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
    const text = `${name} allows ${rule.max} calls in ${rule.windowMs / 1000} s; retry in ${seconds} s`
    throw new ToolFailure('limited', text, { facts: { retryAfterS: seconds } })
  }

  #assertNotBlocked(tool: Tool, { clientKey }: Exchange): void {
    if (this.#abandonedRuns.isEmpty) return
    const count = this.#abandonedRuns.countBlocking(tool, clientKey)
    if (count === 0) return
    throw new ToolFailure(
      'busy',
      `${tool.name} is not available: ${count} earlier calls did not stop when asked; retry later`,
    )
  }

  #findToolSlots(tool: Tool): Semaphore | undefined {
    if (tool.concurrency === undefined) return undefined
    let slots = this.#toolSlots.get(tool)
    if (slots === undefined) {
      slots = new Semaphore({ max: tool.concurrency, maxQueued: MAX_QUEUED_PER_TOOL })
      this.#toolSlots.set(tool, slots)
    }
    return slots
  }
}

const tooManyCalls = () =>
  new McpError('RATE_LIMITED', `at most ${MAX_CALLS_PER_SUBJECT} calls at once; retry when some have ended`, {
    retryAfterS: 1,
  })

const processBusy = () => new McpError('BUSY', 'too many calls are under way; retry', { retryAfterS: 1 })

const toolBusy = (tool: Tool) =>
  new ToolFailure('busy', `${tool.name} is busy and its queue is full; retry in a few seconds`)

function toAdmissionError(exchange: Exchange, otherwise: Error): Error {
  if (exchange.cancellation.reason === undefined) return otherwise
  return new ToolFailure('cancelled', 'The call was cancelled while it waited for its turn')
}
