// One run of a call with an idempotency key: whether it may have acted, and what its client gets now
// and when it calls again.
import { McpError } from '../protocol/errors.ts'
import type { CallToolResult } from '../protocol/schemas/results.ts'
import type { Tool } from '../registry/tool.ts'
import type { Cancellation } from '../request/cancellation.ts'
import type { OutcomeKind } from '../request/outcome.ts'
import { failureResult } from './tool-failure.ts'

/** An outcome of a call. */
export interface Outcome {
  readonly kind: string
  readonly hasDoneNothing?: boolean
}

export interface Ended {
  readonly kind: OutcomeKind
  readonly result: CallToolResult
}

export const MAY_HAVE_ACTED = 'It may have acted: check, and call again with another idempotency key if it has not.'

/** The user has to answer first; then the handler runs again from its top. */
const ASKING_KINDS: ReadonlySet<string> = new Set(['input_required', 'unconfirmed'])
/** After these outcomes the handler may have acted although the caller cannot know. */
const UNCERTAIN: ReadonlySet<string> = new Set(['timed_out', 'cancelled'])

export class KeyedRun {
  readonly #tool: Tool
  readonly #cancellation: Cancellation
  /** Set once the handler is called. The handler of an isolated tool may still wait for its process. */
  hasBegun = false
  /** Set once the process of an isolated tool has begun the handler. */
  hasBegunInProcess = false

  constructor(tool: Tool, cancellation: Cancellation) {
    this.#tool = tool
    this.#cancellation = cancellation
  }

  /** Notes that the handler runs again from its top, once the user has answered. */
  startOver(): void {
    this.hasBegun = false
    this.hasBegunInProcess = false
  }

  get mayHaveActed(): boolean {
    return this.#tool.isIsolated ? this.hasBegunInProcess : this.hasBegun
  }

  /** True if the next call with this key may run: nothing was done, or a second run does no harm. */
  mayRepeat({ kind, hasDoneNothing = false }: Outcome): boolean {
    const isInterrupted = kind === 'cancelled' && this.#mayBeInterrupted
    return !this.mayHaveActed || hasDoneNothing || ASKING_KINDS.has(kind) || isInterrupted
  }

  /** The same for an error. */
  mayRepeatAfter(error: unknown): boolean {
    const isUnaskable = error instanceof McpError && error.reason === 'MISSING_CAPABILITY'
    return !this.mayHaveActed || isUnaskable || this.#mayBeInterrupted
  }

  /** Adds to an uncertain outcome that the tool may have acted. */
  explain({ kind, result }: Ended): Ended {
    if (!UNCERTAIN.has(kind)) return { kind, result }
    const [first] = result.content as { text?: string }[]
    // The usual text asks to call again with the same key, which the client should not do here.
    const isShutdown = this.#cancellation.reason === 'shutdown'
    const text = isShutdown ? `${this.#tool.name} was cancelled: the server is shutting down` : (first?.text ?? kind)
    return { kind, result: failureResult(`${text}. ${MAY_HAVE_ACTED}`) }
  }

  // As with tasks: a run that a shutdown interrupts is repeated if the tool is idempotent.
  get #mayBeInterrupted(): boolean {
    return this.#tool.isIdempotent && this.#cancellation.reason === 'shutdown'
  }
}

/** The answer about a run whose process is gone, or whose outcome could not be kept. */
export const unknownText = ({ name }: Tool): string =>
  `What the first call of ${name} with this key came to is not known. ${MAY_HAVE_ACTED}`
