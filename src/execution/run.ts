// Runs a handler until it ends, its deadline passes or its request is cancelled. A deadline also aborts
// the signal.
import type { Cancellation, CancelReason } from '../request/cancellation.ts'
import { isThenable } from '../request/maybe-promise.ts'
import { asError } from './plain-error.ts'
import { ToolFailure } from './tool-failure.ts'

export interface RunLimits {
  readonly name: string
  readonly timeoutMs: number
  readonly cancellation: Cancellation
  /**
   * Finishes a returned value, within the same deadline. Also gets values that are returned too
   * late.
   */
  readonly finish?: ((returned: unknown) => unknown) | undefined
  /** Called with 1 when a run is abandoned, and with -1 when it ends later. */
  onAbandoned(change: 1 | -1): void
}

/**
 * @param start calls the handler; a synchronous result costs no timer and no promise
 * @throws what the handler throws, as an error; ToolFailure `timed_out` or `cancelled`
 */
export function runWithDeadline(start: () => unknown, limits: RunLimits): unknown {
  if (limits.cancellation.reason !== undefined) throw toCancelFailure(limits.cancellation.reason, limits)
  try {
    const returned = start()
    if (isThenable(returned)) return awaitResult(returned, limits)
    const finished = limits.finish === undefined ? returned : limits.finish(returned)
    return finished instanceof Promise ? awaitResult(finished, { ...limits, finish: undefined }) : finished
  } catch (thrown) {
    throw asError(thrown)
  }
}

function awaitResult(returned: PromiseLike<unknown>, limits: RunLimits): Promise<unknown> {
  const { cancellation, timeoutMs, onAbandoned } = limits
  return new Promise((resolve, reject) => {
    let isAbandoned = false
    cancellation.setDeadline(timeoutMs)
    const abandon = (reason: CancelReason) => {
      isAbandoned = true
      onAbandoned(1)
      reject(toCancelFailure(reason, limits))
    }
    const end = (finish: () => void) => {
      if (isAbandoned) onAbandoned(-1)
      cancellation.clearDeadline()
      cancellation.offCancel(abandon)
      finish()
    }
    cancellation.onCancel(abandon)
    // After a cancellation the result has no effect.
    const succeed = (value: unknown) => end(() => resolve(value))
    const fail = (thrown: unknown) => end(() => reject(asError(thrown)))
    finishResult(returned, limits).then(succeed, fail)
  })
}

// Awaited first, since the `then` of a foreign promise may throw or call back twice.
async function finishResult(returned: PromiseLike<unknown>, { finish }: RunLimits): Promise<unknown> {
  const value = await returned
  return finish === undefined ? value : finish(value)
}

export function toCancelFailure(
  reason: CancelReason,
  { name, timeoutMs }: Pick<RunLimits, 'name' | 'timeoutMs'>,
): ToolFailure {
  const texts: Record<CancelReason, string> = {
    deadline: `${name} timed out after ${timeoutMs} ms`,
    'client-left': `${name} was cancelled: the client left`,
    cancelled: `${name} was cancelled by the client`,
    shutdown: `${name} was cancelled: the server is shutting down; retry`,
    'key-ended': `${name} was cancelled: the API key of the caller has expired, or was removed`,
  }
  return new ToolFailure(reason === 'deadline' ? 'timed_out' : 'cancelled', texts[reason])
}
