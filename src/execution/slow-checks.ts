// Counts stopped checks of a schema library against the client that sent the values. Such a check
// blocks the whole server.
import type { Parse, Parsed } from '../registry/standard-schema.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import { run, type Steps, wait } from '../request/steps.ts'
import type { LimitRule } from '../state/limits.ts'
import { MemoryLimits } from '../state/memory-limits.ts'
import { ToolFailure } from './tool-failure.ts'

/** Stopped checks of a client. Above that, it has to wait with all tools whose checks may be slow. */
const STOPPED_CHECKS: LimitRule = { max: 3, windowMs: 60_000 }

export class SlowChecks {
  readonly #stopped

  /** @param now a monotonic clock, ms */
  constructor(now?: () => number) {
    this.#stopped = new MemoryLimits(now)
  }

  /** @throws ToolFailure `limited` if the client has had too many checks stopped */
  assertRoom(tool: string, clientKey: string): void {
    const { isAllowed, retryAfterMs } = this.#stopped.peek(clientKey, STOPPED_CHECKS)
    if (isAllowed) return
    const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
    const text = `${tool} takes no calls of yours for ${seconds} s: the checks of ${STOPPED_CHECKS.max} took too long`
    throw new ToolFailure('limited', `${text}; then send shorter or simpler values`, {
      facts: { retryAfterS: seconds },
    })
  }

  /** The same check. If it is stopped, it counts against the client of the call. */
  count(parse: Parse, clientKey: string): Parse {
    return value => run(this.#count(parse(value), clientKey))
  }

  *#count(parsing: MaybePromise<Parsed>, clientKey: string): Steps<Parsed> {
    const parsed = yield* wait(parsing)
    if ('isStopped' in parsed) this.#stopped.take(clientKey, STOPPED_CHECKS)
    return parsed
  }
}
