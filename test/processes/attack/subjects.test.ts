// P2 (test/security/README.md): a short run of `npm run attack:subjects`, which has 200 subjects and
// 100,000 calls by default. SEED repeats a run.
import t from 'tap'
import { SEED } from '../../support/security/mutants.ts'
import { attackSubjects, rowsOf } from './subjects.ts'

const CALLS = Number(process.env['CALLS'] ?? 4000)
const SUBJECTS = 50

t.test(`P2: ${CALLS} interleaved calls of ${SUBJECTS} subjects with the same ids: none hears of another`, async t => {
  t.comment(`SEED=${SEED}`)

  const report = await attackSubjects(CALLS, SUBJECTS)

  for (const [what, figure] of rowsOf(report)) t.comment(`${what}: ${figure}`)
  t.strictSame([report.crashes, report.crossed, report.wrong], [0, 0, 0], report.faults.join('\n'))
  t.ok(report.refused > 0)
  for (const kind of [
    'modern calls',
    'on behalf',
    'calls in sessions',
    'modern questions',
    'questions in sessions',
    'lists',
  ]) {
    t.ok(report.made[kind]! > 0, kind)
  }
})
