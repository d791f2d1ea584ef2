// A42, P3 (test/security/README.md): a short run of `npm run attack:bodies`. SEED repeats a run,
// RUNS makes it longer.
import t from 'tap'
import { SEED } from '../../support/security/mutants.ts'
import { attackBodies, rowsOf } from './bodies.ts'

const RUNS = Number(process.env['RUNS'] ?? 50_000)

t.test(`A42, P3: ${RUNS} hostile bodies over real sockets: no crash, no hang, no 5xx, memory returned`, async t => {
  t.comment(`SEED=${SEED}`)

  const report = await attackBodies(RUNS)

  for (const [what, figure] of rowsOf(report)) t.comment(`${what}: ${figure}`)
  // A hang is told by the command; a test on a busy machine says nothing about a second.
  const { crashes, serverErrors, unanswered, wrongProbes, errorLines, faults } = report
  // What is never answered is counted as unanswered, after 30 s.
  const hangs = report.slowestMs > 25_000
  t.strictSame(
    { crashes, serverErrors, unanswered, wrongProbes, errorLines, hangs },
    { crashes: 0, serverErrors: 0, unanswered: 0, wrongProbes: 0, errorLines: 0, hangs: false },
    faults.join('\n'),
  )
  t.ok(report.heap[1] - report.heap[0] < 16 * 1024 * 1024)
})
