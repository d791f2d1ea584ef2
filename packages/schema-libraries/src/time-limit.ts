// Ends a check of a schema library that takes too long. The whole server waits for it, so the next
// checks get less time.

import { OutOfTime, runWithin } from '@toolrack/json-schema/processor-limit'
import { CHECK_STOPPED } from '@toolrack/json-schema/validator'
import type { Parse, Parsed } from 'toolrack/definitions'

/** Longest check of a value, as long as the check does not wait, ms of processor time. */
const MAX_CHECK_MS = 300
/** The same after a check of this schema was stopped. */
const MAX_NEXT_CHECK_MS = 100

const STOPPED: Parsed = Object.freeze({ issues: [CHECK_STOPPED], isStopped: true })

/** @param parse is not limited after it has waited for something */
export function withTimeLimit(parse: Parse): Parse {
  let maxMs = MAX_CHECK_MS
  return value => {
    try {
      return runWithin(maxMs, () => parse(value))
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error
      maxMs = MAX_NEXT_CHECK_MS
      return STOPPED
    }
  }
}
