// What would end the process throws instead where code of a tool, or of its file, asks for it: they
// are guests in it. Native code and internals of Node lead around it: this is no sandbox.
import { syncBuiltinESMExports } from 'node:module'

/** The names of `process` that end it; `abort` is no function of worker threads. */
type ProcessEndName = 'exit' | 'abort' | 'kill'
type ProcessEnds = Record<ProcessEndName, (...args: unknown[]) => unknown>

/** Asks whether a process is there, or has this one reload, as an operator would. */
const HARMLESS_SIGNALS: ReadonlySet<unknown> = new Set([0, 'SIGHUP', 1])

/** @param currentSource whose code is running; undefined where it is the server's own */
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
  // For who wrote `import { exit } from 'node:process'`.
  syncBuiltinESMExports()
}

/** Of this process, its group, or all: what a tool has started has other ids. */
function endsThisProcess([pid, signal]: unknown[]): boolean {
  return [0, -1, process.pid, -process.pid].includes(Number(pid)) && !HARMLESS_SIGNALS.has(signal)
}

const ERROR_EVENTS: ReadonlySet<unknown> = new Set(['uncaughtException', 'unhandledRejection'])

/**
 * Keeps no listener for the faults of the process that a tool, or its file, adds: it would be told
 * of everybody's, and most end the process. What throws in one ends it, whoever else listens.
 */
export function dropErrorListeners(currentSource: () => string | undefined): void {
  process.on('newListener', (event: string | symbol, listener: (...args: unknown[]) => void) => {
    // It is added only when this has been heard.
    if (ERROR_EVENTS.has(event) && currentSource() !== undefined) queueMicrotask(() => process.off(event, listener))
  })
}
