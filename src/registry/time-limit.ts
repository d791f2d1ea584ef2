// Ends a check of a schema library that takes too long, also in the middle of a regular expression.
// V8 can be interrupted there by its own watchdog only, which `node:vm` starts (about 0.1 ms a call).
import { createContext, isContext, Script } from 'node:vm'
import { CHECK_STOPPED } from '../schema/validator.ts'
import type { Parse } from './standard-schema.ts'

/** Longest check of a value that does not wait, ms. */
const MAX_CHECK_MS = 300
/** Time also passes while the machine stands still; that does not happen twice in a row. */
const MAX_TRIES = 2

const CALL = new Script('call()')

/** Its context is made for the first call: most servers need none. */
const slot: { call?: () => unknown } = {}

/** @param parse what it does after it has waited for something is not limited */
export function withTimeLimit(parse: Parse): Parse {
  return value => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      try {
        return callWithin(MAX_CHECK_MS, () => parse(value))
      } catch (error) {
        if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      }
    }
    return { issues: [CHECK_STOPPED] }
  }
}

function callWithin<T>(timeout: number, call: () => T): T {
  if (!isContext(slot)) createContext(slot)
  slot.call = call
  try {
    return CALL.runInContext(slot, { timeout }) as T
  } finally {
    delete slot.call
  }
}
