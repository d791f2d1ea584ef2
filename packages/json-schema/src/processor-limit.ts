// Ends a function that takes too much processor time, even within a regular expression. There, only
// V8's own watchdog can interrupt it; `node:vm` starts the watchdog (about 0.1 ms per call).
import { createContext, isContext, Script } from 'node:vm'

/** The watchdog also counts time in which the machine does something else. The rest is tried again. */
const MAX_TRIES = 20

/** The function has used up its time. */
export class OutOfTime extends Error {
  override name = 'OutOfTime'
}

const CALL = new Script('call()')

/** Its context is created for the first call: most servers need none. */
const slot: { call?: (() => unknown) | undefined } = {}

/**
 * @param maxMs of processor time; work of the function after a wait is not limited
 * @param call may be called again
 * @throws OutOfTime, and the errors of `call`
 */
export function runWithin<T>(maxMs: number, call: () => T): T {
  let usedMs = 0
  for (let tries = 0; tries < MAX_TRIES && usedMs < maxMs; tries++) {
    const before = process.cpuUsage()
    try {
      return callWithin(maxMs - usedMs, call)
    } catch (error) {
      if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      const { user, system } = process.cpuUsage(before)
      // The watchdog rounds, and the time of the last try counts from its own start.
      usedMs += Math.ceil((user + system) / 1000) + 1
    }
  }
  throw new OutOfTime(`took more than ${maxMs} ms`)
}

function callWithin<T>(timeout: number, call: () => T): T {
  if (!isContext(slot)) createContext(slot)
  const outer = slot.call
  slot.call = call
  try {
    return CALL.runInContext(slot, { timeout }) as T
  } finally {
    slot.call = outer
  }
}
