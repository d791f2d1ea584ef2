// Reads checks strictly: whatever is not a success or mere information is a fault, and so is a check that is missing.
import { EXPECTED, LEFT_OUT, type Run, UNAVOIDABLE_SKIPS } from './expected.ts'

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

const leftOut = new Set(Object.values(LEFT_OUT).flat())

/** What a run is to show, without what is left out of it. */
export function expectedOf({ columns }: Run): Map<string, number> {
  const expected = new Map<string, number>()
  for (const [scenario, counts] of Object.entries(EXPECTED)) {
    const column = columns.find(name => counts[name] !== undefined)
    if (column !== undefined && !leftOut.has(scenario)) expected.set(scenario, counts[column]!)
  }
  return expected
}

/** @param found what each scenario of the run left */
export function judgeRun(run: Run, found: ReadonlyMap<string, readonly Check[]>): Verdict[] {
  const expected = expectedOf(run)
  const unexpected = [...found.keys()].filter(scenario => !expected.has(scenario) && !leftOut.has(scenario))
  return [
    ...[...expected].map(([scenario, count]) => judge(scenario, found.get(scenario), count)),
    ...unexpected.map(scenario => ({ scenario, passed: 0, expected: 0, faults: ['ran, and is not expected'] })),
  ]
}

/** @param checks undefined where the scenario left none */
export function judge(scenario: string, checks: readonly Check[] | undefined, expected: number): Verdict {
  if (checks === undefined) return { scenario, passed: 0, expected, faults: ['did not run'] }
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length
  const faults = checks.filter(check => isFault(scenario, check)).map(describe)
  if (passed !== expected && faults.length === 0) faults.push(miscount(checks, { passed, expected }))
  return { scenario, passed, expected, faults }
}

function isFault(scenario: string, { status }: Check): boolean {
  if (status === 'SKIPPED') return !UNAVOIDABLE_SKIPS.includes(scenario)
  return status !== 'SUCCESS' && status !== 'INFO'
}

const describe = ({ status, id, errorMessage }: Check) =>
  errorMessage === undefined ? `${status} ${id}` : `${status} ${id}: ${errorMessage}`

// Where the suite could not check a thing, it says so as information.
function miscount(checks: readonly Check[], { passed, expected }: { passed: number; expected: number }): string {
  const hollow = new Set(checks.filter(({ status }) => status === 'INFO').map(({ id }) => id))
  const instead = hollow.size === 0 ? '' : `; mere information: ${[...hollow].join(', ')}`
  return `${passed} checks succeeded, not ${expected}${instead}`
}

/** What the suite has and the table does not, and the reverse: a new suite must not go unread. */
export function judgeCatalogue(scenarios: readonly string[]): string[] {
  const known = Object.keys(EXPECTED)
  return [
    ...scenarios.filter(name => !known.includes(name)).map(name => `${name} is not expected`),
    ...known.filter(name => !scenarios.includes(name)).map(name => `${name} is not in the suite`),
  ]
}
