// Reads checks strictly: whatever is not a success or mere information is a fault, and so is a check that is missing.
import { EXPECTED, LEFT_OUT, type Run, type Successes, UNAVOIDABLE_SKIPS } from './expected.ts'

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
export function expectedOf({ columns }: Run): Map<string, Successes> {
  // The first column wins.
  const expected = columns.toReversed().flatMap(column => Object.entries(EXPECTED[column]))
  return new Map(expected.filter(([scenario]) => !leftOut.has(scenario)))
}

export const countOf = (successes: Successes): number => Object.values(successes).reduce((sum, count) => sum + count, 0)

/** @param found what each scenario of the run left */
export function judgeRun(run: Run, found: ReadonlyMap<string, readonly Check[]>): Verdict[] {
  const expected = expectedOf(run)
  const unexpected = [...found.keys()].filter(scenario => !expected.has(scenario) && !leftOut.has(scenario))
  return [
    ...[...expected].map(([scenario, successes]) => judge(scenario, found.get(scenario), successes)),
    ...unexpected.map(scenario => ({ scenario, passed: 0, expected: 0, faults: ['ran, and is not expected'] })),
  ]
}

/** @param checks undefined where the scenario left none */
export function judge(scenario: string, checks: readonly Check[] | undefined, successes: Successes): Verdict {
  const expected = countOf(successes)
  if (checks === undefined) return { scenario, passed: 0, expected, faults: ['did not run'] }
  const passed = checks.filter(({ status }) => status === 'SUCCESS')
  const faults = checks.filter(check => isFault(scenario, check)).map(describe)
  return { scenario, passed: passed.length, expected, faults: [...faults, ...miscount(passed, successes)] }
}

function isFault(scenario: string, { status }: Check): boolean {
  if (status === 'SKIPPED') return !UNAVOIDABLE_SKIPS.includes(scenario)
  return status !== 'SUCCESS' && status !== 'INFO'
}

const describe = ({ status, id, errorMessage }: Check) =>
  errorMessage === undefined ? `${status} ${id}` : `${status} ${id}: ${errorMessage}`

/** A check that was not reached, or that the suite could only inform about, leaves no success. */
function miscount(passed: readonly Check[], successes: Successes): string[] {
  const ids = new Set([...Object.keys(successes), ...passed.map(({ id }) => id)])
  return [...ids].flatMap(id => {
    const count = passed.filter(check => check.id === id).length
    const expected = successes[id] ?? 0
    return count === expected ? [] : [`${id}: ${count} successes, not ${expected}`]
  })
}

/** What the suite has and the table does not, and the reverse: a new suite must not go unread. */
export function judgeCatalogue(scenarios: readonly string[]): string[] {
  const known = new Set([...Object.values(EXPECTED).flatMap(Object.keys), ...leftOut])
  return [
    ...scenarios.filter(name => !known.has(name)).map(name => `${name} is not expected`),
    ...[...known].filter(name => !scenarios.includes(name)).map(name => `${name} is not in the suite`),
  ]
}
