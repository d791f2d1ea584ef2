// Reads checks strictly: whatever is not a success or mere information is a fault, and so is a check that is missing.
import { EXPECTED, LEFT_OUT, UNAVOIDABLE_SKIPS } from './expected.ts'

/** One entry of a scenario's checks.json, as far as it matters here. */
export interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

export interface Verdict {
  readonly scenario: string
  /** Checks that succeeded. */
  readonly passed: number
  readonly expected: number
  readonly faults: readonly string[]
}

/** @param checks undefined where the scenario left none */
export function judge(scenario: string, checks: readonly Check[] | undefined, expected: number): Verdict {
  if (checks === undefined) return { scenario, passed: 0, expected, faults: ['did not run'] }
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length
  const faults = checks.filter(check => isFault(scenario, check)).map(describe)
  if (passed !== expected && faults.length === 0) faults.push(`${passed} checks succeeded, not ${expected}`)
  return { scenario, passed, expected, faults }
}

function isFault(scenario: string, { status }: Check): boolean {
  if (status === 'SKIPPED') return !UNAVOIDABLE_SKIPS.includes(scenario)
  return status !== 'SUCCESS' && status !== 'INFO'
}

const describe = ({ status, id, errorMessage }: Check) =>
  errorMessage === undefined ? `${status} ${id}` : `${status} ${id}: ${errorMessage}`

/** What the suite has and this table does not, and the reverse: a new suite must not go unread. */
export function judgeCatalogue(scenarios: readonly string[]): string[] {
  const known = [...Object.keys(EXPECTED), ...Object.values(LEFT_OUT).flat()]
  return [
    ...scenarios.filter(name => !known.includes(name)).map(name => `${name} is neither expected nor left out`),
    ...known.filter(name => !scenarios.includes(name)).map(name => `${name} is not in the suite`),
  ]
}
