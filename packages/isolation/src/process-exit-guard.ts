// Makes calls that would end the process throw if they come from a tool or its file. This is not a
// sandbox:
// native code and Node's internals can bypass it.
import { syncBuiltinESMExports } from 'node:module'

/** Functions of `process` that end it; worker threads have no `abort`. */
type ProcessEndName = 'exit' | 'abort' | 'kill'
type ProcessEnds = Record<ProcessEndName, (...args: unknown[]) => unknown>

/** Signals that check for a process, or reload this one. */
const HARMLESS_SIGNALS: ReadonlySet<unknown> = new Set([0, 'SIGHUP', 1])

/** @param currentSource the tool or file whose code runs; undefined for the server's own code */
export function forbidProcessEnds(names: readonly ProcessEndName[], currentSource: () => string | undefined): void {
  const ends = process as unknown as ProcessEnds
  for (const name of names) {
    const end = ends[name].bind(process)
    ends[name] = (...args) => {
      const source = currentSource()
      if (source !== undefined && (name !== 'kill' || endsThisProcess(args))) {
        throw new Error(`${source} tried to end the process`)
      }
      return end(...args)
    }
  }
  // Also covers `import { exit } from 'node:process'`.
  syncBuiltinESMExports()
}

/** Whether it targets this process, its group, or all; a tool's own children have other ids. */
function endsThisProcess([pid, signal]: unknown[]): boolean {
  return [0, -1, process.pid, -process.pid].includes(Number(pid)) && !HARMLESS_SIGNALS.has(signal)
}

const ERROR_EVENTS: ReadonlySet<unknown> = new Set(['uncaughtException', 'unhandledRejection'])

/** Removes a tool's listeners for process errors: they would get the errors of all tools. */
export function dropErrorListeners(currentSource: () => string | undefined): void {
  process.on('newListener', (event: string | symbol, listener: (...args: unknown[]) => void) => {
    // Node adds the listener only after this event.
    if (ERROR_EVENTS.has(event) && currentSource() !== undefined) queueMicrotask(() => process.off(event, listener))
  })
}
