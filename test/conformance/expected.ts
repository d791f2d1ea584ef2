// What each run must show: the checks that succeed in a server which does everything, by their ids. A tick of the suite
// proves little, since a check that was never reached fails nothing.
import { readFileSync } from 'node:fs'

/** The successes of one scenario: by the id of the check, how often. */
export type Successes = Readonly<Record<string, number>>

/** The revisions that the suite speaks. */
export type Column = '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28'

export interface Run {
  readonly name: string
  /** The arguments of the suite's program. */
  readonly options: readonly string[]
  /** Which expectation of a scenario applies: that of the first column which has one. */
  readonly columns: readonly Column[]
}

const atRevision = (name: Column): Run => ({
  name,
  options: ['--suite', 'all', '--spec-version', name],
  columns: [name],
})
const requiredBy = (name: Column): Run => ({ name, options: ['--requirements', name], columns: [name] })

/** Between them they run every scenario at every revision that it knows; the last one at the oldest of these. */
export const RUNS: readonly Run[] = [
  atRevision('2025-03-26'),
  atRevision('2025-06-18'),
  requiredBy('2025-11-25'),
  requiredBy('2026-07-28'),
  { name: '--suite all', options: ['--suite', 'all'], columns: ['2025-11-25', '2026-07-28'] },
]

/** By revision and scenario. A new version of the suite is read check by check before its ids go in. */
export const EXPECTED: Readonly<Record<Column, Readonly<Record<string, Successes>>>> = JSON.parse(
  readFileSync(new URL('expected-checks.json', import.meta.url), 'utf8'),
)

/** The suite skips this one for everybody. */
export const UNAVOIDABLE_SKIPS: readonly string[] = ['tasks-status-notifications']

/** Scenarios that run and are not judged, by the reason. */
export const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  'need skills, later issue': ['sep-2640-skills-directory', 'sep-2640-skills-enumeration', 'sep-2640-skills-manifest'],
}
