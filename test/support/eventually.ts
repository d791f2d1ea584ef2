// What a test waits for, and time for what must not happen.
import { eventually } from '../../packages/state/src/suites/wait.ts'

export { eventually, plain, settled } from '../../packages/state/src/suites/wait.ts'

/** For what a busy machine keeps waiting; only a test that fails comes near. */
const PATIENT_MS = 120_000

/** The same as `eventually`, for at most two minutes. */
export const until = (isSo: () => unknown, what: string | (() => string)): Promise<void> =>
  eventually(isSo, what, PATIENT_MS)
