// Ctrl-C in a command that is not a server: aborts the work, and the process ends with 130.
import { EXIT, InterruptedError } from './errors.ts'

/** How long work may take to stop after Ctrl-C, ms. */
const STOP_WITHIN_MS = 2000

/**
 * Runs work until Ctrl-C or SIGTERM. The signal aborts at once. Work that does not stop is abandoned
 * after two seconds, or at the second Ctrl-C.
 *
 * @throws InterruptedError after Ctrl-C, whatever the result of the work is
 */
export async function runInterruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopper = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const interrupt = () => {
    if (stopper.signal.aborted) process.exit(EXIT.interrupted)
    stopper.abort(new InterruptedError(''))
    timer = setTimeout(() => process.exit(EXIT.interrupted), STOP_WITHIN_MS)
  }
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  try {
    return await work(stopper.signal)
  } finally {
    clearTimeout(timer)
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    // biome-ignore lint/correctness/noUnsafeFinally: how the work ended does not matter after Ctrl-C
    if (stopper.signal.aborted) throw stopper.signal.reason
  }
}
