// Step: may this call run now? The subject's share, the tool's own rate and concurrency, then the process's slots.
// What is refused for good says when to retry; what may wait is queued within bounds.
import { chain, type Eventually } from '../chain.ts'
import type { Exchange } from '../exchange.ts'
import { McpError } from '../protocol/errors.ts'
import type { Tool } from '../registry/tool.ts'
import type { Limits } from '../state/limits.ts'
import { ToolFailure } from './failure.ts'
import { MAX_CALLS_OF_SUBJECT, Shares } from './shares.ts'
import { Slots } from './slots.ts'
import { Strays } from './strays.ts'

/** Calls of one tool that may wait for its own concurrency. */
const MAX_QUEUED_PER_TOOL = 100

/** Gives back what was taken by this exchange. */
export type Release = (exchange: Exchange) => void

const nothingTaken: Release = () => {}

/** How a call gets in. */
export interface Entrance {
  admit(tool: Tool, exchange: Exchange): Eventually<Release>
  /** For a call that has been counted, and goes on. */
  readmit(tool: Tool, exchange: Exchange): Eventually<Release>
  /** Counts a run that was given up, or that has ended after all. */
  stray(tool: Tool, exchange: Exchange, change: 1 | -1): void
}

export class Admission implements Entrance {
  readonly #limits: Limits
  readonly #process: Slots
  readonly #perTool = new WeakMap<Tool, Slots>()
  readonly #shares = new Shares()
  readonly #strays = new Strays()

  constructor(limits: Limits, process: Slots) {
    this.#limits = limits
    this.#process = process
  }

  get load(): Record<'running' | 'queued', number> {
    return { running: this.#process.running, queued: this.#process.queued }
  }

  /** Runs that were given up and have not ended. */
  get strays(): number {
    return this.#strays.size
  }

  stray(tool: Tool, { clientKey }: Exchange, change: 1 | -1): void {
    this.#strays.count(tool, clientKey, change)
  }

  /**
   * @throws ToolFailure `limited` or `busy`; McpError RATE_LIMITED (429) where the subject has too many calls under
   * way, BUSY (503) where the process itself is full
   */
  admit(tool: Tool, exchange: Exchange): Eventually<Release> {
    if (!this.#strays.isEmpty) this.#assertNotStuck(tool, exchange)
    if (exchange.caller === undefined) return this.#count(tool, exchange)
    return this.#share(exchange, () => this.#count(tool, exchange))
  }

  /** The same for a call that has been counted, and goes on. */
  readmit(tool: Tool, exchange: Exchange): Eventually<Release> {
    if (exchange.caller === undefined) return this.#enter(tool, exchange)
    return this.#share(exchange, () => this.#enter(tool, exchange))
  }

  /** For the handler of a prompt, a resource or a completion, which has no limits of its own. */
  admitHandler(exchange: Exchange): Eventually<Release> {
    const enter = () => this.#takeSlot(exchange)
    return exchange.caller === undefined ? enter() : this.#share(exchange, enter)
  }

  /** A task of this tool would have to wait for longer than it should keep others from running. */
  isCrowded(tool: Tool, clientKey: string): boolean {
    return this.#slotsOf(tool)?.isCrowded(clientKey) === true
  }

  /** For a task, which its queue has let in: the tool's own limits count, and it waits for its turn however long. */
  async admitTask(tool: Tool, exchange: Exchange): Promise<Release> {
    if (!this.#strays.isEmpty) this.#assertNotStuck(tool, exchange)
    await this.#assertRate(tool, exchange)
    return this.readmitTask(tool, exchange)
  }

  /** The same for a task that has been counted, and goes on. */
  async readmitTask(tool: Tool, exchange: Exchange): Promise<Release> {
    const own = this.#slotsOf(tool)
    if (own === undefined) return nothingTaken
    const isTaken = await own.takePatiently(exchange.clientKey, exchange.cancellation)
    if (!isTaken) throw refusalOf(exchange, busyTool(tool))
    this.#assertNotStuck(tool, exchange, own)
    return ({ clientKey }) => own.release(clientKey)
  }

  // Before anything that is shared with others: a subject waits for itself where only it can see.
  #share(exchange: Exchange, enter: () => Eventually<Release>): Eventually<Release> {
    const { clientKey, cancellation } = exchange
    const within = (isTaken: boolean) => {
      if (!isTaken) throw refusalOf(exchange, tooMany())
      return chain<Release, Release>(
        enter,
        release => () => {
          release(exchange)
          this.#shares.release(clientKey)
        },
        error => {
          this.#shares.release(clientKey)
          throw error
        },
      )
    }
    const taken = this.#shares.take(clientKey, cancellation)
    return taken instanceof Promise ? taken.then(within) : within(taken)
  }

  #count(tool: Tool, exchange: Exchange): Eventually<Release> {
    if (tool.rateLimit !== undefined) return this.#assertRate(tool, exchange).then(() => this.#enter(tool, exchange))
    return this.#enter(tool, exchange)
  }

  #enter(tool: Tool, exchange: Exchange): Eventually<Release> {
    return tool.concurrency === undefined ? this.#takeSlot(exchange) : this.#admitSlowly(tool, exchange)
  }

  #takeSlot(exchange: Exchange): Eventually<Release> {
    const taken = this.#process.take(exchange.clientKey, exchange.cancellation)
    return taken === true ? this.#releaseProcess : this.#whenTaken(taken, exchange)
  }

  readonly #releaseProcess: Release = ({ clientKey }) => this.#process.release(clientKey)

  async #admitSlowly(tool: Tool, exchange: Exchange): Promise<Release> {
    const { clientKey, cancellation } = exchange
    const own = this.#slotsOf(tool)
    if (own !== undefined && !(await own.take(clientKey, cancellation))) throw refusalOf(exchange, busyTool(tool))
    // The call that it waited for may have been given up and run on.
    if (own !== undefined) this.#assertNotStuck(tool, exchange, own)
    // What holds a slot of its tool keeps others from it: it waits behind no other call of its subject.
    return this.#whenTaken(this.#process.take(clientKey, cancellation, 'first'), exchange, own)
  }

  async #whenTaken(taken: boolean | Promise<boolean>, exchange: Exchange, own?: Slots): Promise<Release> {
    const { clientKey } = exchange
    if (await taken) {
      return () => {
        this.#process.release(clientKey)
        own?.release(clientKey)
      }
    }
    own?.release(clientKey)
    throw refusalOf(exchange, new McpError('BUSY', 'too many calls are under way; retry', { retryAfterS: 1 }))
  }

  async #assertRate(tool: Tool, exchange: Exchange): Promise<void> {
    if (tool.rateLimit === undefined) return
    const decision = await this.#limits.take(`${tool.name}\n${exchange.clientKey}`, tool.rateLimit)
    if (decision.isAllowed) return
    const seconds = Math.max(1, Math.ceil(decision.retryAfterMs / 1000))
    const { max, windowMs } = tool.rateLimit
    throw new ToolFailure('limited', `${tool.name} allows ${max} calls in ${windowMs / 1000} s; retry in ${seconds} s`)
  }

  /** @param taken given back where the tool is stuck */
  #assertNotStuck(tool: Tool, { clientKey }: Exchange, taken?: Slots): void {
    const strays = this.#strays.closing(tool, clientKey)
    if (strays === 0) return
    taken?.release(clientKey)
    throw new ToolFailure(
      'busy',
      `${tool.name} is not available: ${strays} earlier calls did not stop when asked; retry later`,
    )
  }

  #slotsOf(tool: Tool): Slots | undefined {
    if (tool.concurrency === undefined) return undefined
    let slots = this.#perTool.get(tool)
    if (slots === undefined) {
      slots = new Slots({ max: tool.concurrency, maxQueued: MAX_QUEUED_PER_TOOL })
      this.#perTool.set(tool, slots)
    }
    return slots
  }
}

const tooMany = () =>
  new McpError('RATE_LIMITED', `at most ${MAX_CALLS_OF_SUBJECT} calls at once; retry when some have ended`, {
    retryAfterS: 1,
  })

const busyTool = (tool: Tool) =>
  new ToolFailure('busy', `${tool.name} is busy and its queue is full; retry in a few seconds`)

function refusalOf(exchange: Exchange, otherwise: Error): Error {
  if (exchange.cancellation.reason === undefined) return otherwise
  return new ToolFailure('cancelled', 'The call was cancelled while it waited for its turn')
}
