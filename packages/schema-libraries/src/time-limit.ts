// Ends a check of a schema library that takes too long. The server waits meanwhile, so the next ones
// get less time.

import { OutOfTime, runWithin } from '@toolrack/json-schema/processor-limit'
import { CHECK_STOPPED } from '@toolrack/json-schema/validator'
import type { Parse, Parsed } from 'toolrack/definitions'

/** Longest check of a value that does not wait, ms of processor time. */
const MAX_CHECK_MS = 300
/** The same once a check of this schema was stopped. */
const MAX_NEXT_CHECK_MS = 100

const STOPPED: Parsed = Object.freeze({ issues: [CHECK_STOPPED], isStopped: true })

/** @param parse what it does after it has waited for something is not limited */
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
