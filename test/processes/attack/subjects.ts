// npm run attack:subjects: two hundred callers with the same request ids, progress tokens and keys of questions, over
// the same sockets, in both eras, at once: what belongs to one must reach no other. Half of them are one subject, each in
// another tenant.
//   npm run attack:subjects -- --calls=1000000 --subjects=100
import { parseArgs } from 'node:util'
import { bearer } from '../../support/auth/guarded.ts'
import { SEED } from '../../support/security/mutants.ts'
import { openSubject, type Subject, type Tally } from './subject.ts'
import { startTarget } from './target.ts'

/** Requests that one subject has under way. */
const WIDTH = 2
const SOCKETS = 128

export interface SubjectsReport extends Tally {
  readonly subjects: number
  readonly calls: number
  readonly seconds: number
  readonly crashes: number
  readonly isGood: boolean
}

/** Has so many subjects make so many calls in all, of a server of its own. */
export async function attackSubjects(calls: number, amount: number): Promise<SubjectsReport> {
  const target = await startTarget(SOCKETS)
  const tally: Tally = { made: {}, crossed: 0, wrong: 0, refused: 0, faults: [] }
  try {
    const subjects: Subject[] = []
    for (let index = 0; index < amount; index++) {
      const name = `sub-${index}-${(SEED + index).toString(36)}`
      const scope = index % 2 === 0 ? 'even' : 'odd'
      const who = index % 4 < 2 ? { sub: name } : { sub: 'shared', tenant: name }
      const headers = bearer(scope, { ...who, exp: Math.floor(Date.now() / 1000) + 86_000 })
      subjects.push(await openSubject(target, tally, { name, scope, headers }))
    }
    const startedMs = performance.now()
    let left = calls
    const work = async (subject: Subject, index: number) => {
      // The same ids for all: each begins with 1, and takes its own neighbour's sealed state now and then.
      const neighbour = subjects[(index + 1) % subjects.length]!
      for (let id = 1; left > 0 && target.end === undefined; id++) {
        const count = await subject.step(id, neighbour)
        left -= count
      }
    }
    await Promise.all(subjects.flatMap((subject, index) => Array.from({ length: WIDTH }, () => work(subject, index))))
    const seconds = (performance.now() - startedMs) / 1000
    const crashes = target.end === undefined ? 0 : 1
    const isGood = crashes + tally.crossed + tally.wrong === 0
    return { ...tally, subjects: amount, calls: calls - left, seconds, crashes, isGood }
  } finally {
    target.close()
  }
}

export function rowsOf(report: SubjectsReport): [what: string, figure: string | number][] {
  const { subjects, calls, seconds, made, crossed, wrong, refused, crashes } = report
  return [
    ['subjects', subjects],
    ['interleaved calls', `${calls} in ${seconds.toFixed(1)} s`],
    ['of them', JSON.stringify(made)],
    ['messages that held something of another subject', crossed],
    ['answers that were wrong', wrong],
    ["another subject's sealed state, refused", refused],
    ['crashes', crashes],
  ]
}

if (import.meta.main) {
  const options = {
    calls: { type: 'string', default: '100000' },
    subjects: { type: 'string', default: '200' },
  } as const
  const { values } = parseArgs({ options })
  const report = await attackSubjects(Number(values.calls), Number(values.subjects))
  for (const [what, figure] of rowsOf(report)) console.log(`| ${what} | ${figure} |`)
  for (const fault of report.faults) console.log(fault)
  console.log(report.isGood ? 'held' : 'BROKEN')
  process.exitCode = report.isGood ? 0 : 1
}
