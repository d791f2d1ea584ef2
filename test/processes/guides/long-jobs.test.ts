// docs/guides/long-jobs.md: its job shows its progress, becomes a task, is cancelled, and goes on where it stopped.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { noTerminal, startOnTerminal } from '../../support/command-line.ts'
import { until } from '../../support/eventually.ts'
import { guideProject, readPage } from '../../support/guide.ts'

const page = readPage('docs/guides/long-jobs.md')
const start = page.take('sh', 'npx toolrack dev\n')
const call = page.take('sh', 'npx toolrack call make_report year=2026\n')
const stream = page.take('sh', 'text/event-stream')
const task = page.take('sh', 'Prefer: respond-async')

/** Of a month, ms: the twelve take longer than a machine stands still. */
const SLOW = '4000'

const TOTAL_OF_2026 = 2026 * 78

async function started(t: Test, MONTH_MS: string) {
  const project = await guideProject(t, 'long-jobs', { 'tools/make-report.ts': 'make-report.ts' })
  const server = await project.start(start, { MONTH_MS })
  const done = (year: number) => {
    const folder = join(project.folder, 'reports')
    return existsSync(folder) ? readdirSync(folder).filter(name => name.startsWith(`${year}-`)) : []
  }
  return { project, server, done }
}

t.test('the call waits for the task that it becomes', async t => {
  // Longer than TASK_INLINE_MS in all.
  const { project } = await started(t, '250')

  t.strictSame(JSON.parse((await project.run(call)).stdout), { total: TOTAL_OF_2026 })
})

t.test('a stream has each month, and then the result', async t => {
  const { project } = await started(t, '20')

  const { stdout } = await project.run(stream)

  t.match(stdout, 'Month 1 of 2025')
  t.match(stdout, /event: result\ndata: .*"total":157950/)
})

t.test('a task says how far it is, is cancelled, and the next call goes on where it stopped', async t => {
  const { project, server, done } = await started(t, SLOW)
  const [make = '', poll = ''] = task.split(/(?<=\/\\1\/'\)\n)/)
  t.match(poll, 'DELETE')

  const ended = project.run(`${make}until [ -e reports/2024-1.txt ]; do sleep 0.1; done\n${poll}`)

  t.match((await ended).stdout, /"status":"working","message":"Month \d+ of 2024/)
  const kept = done(2024)
  t.ok(kept.length >= 1 && kept.length < 12, `${kept.length} months were done`)
  // Another value shows that the month was not worked out again.
  const first = join(project.folder, 'reports/2024-1.txt')
  writeFileSync(first, '0')
  await server.stop()
  await project.start(start, { MONTH_MS: '1' })
  const again = await project.run(call.replace('2026', '2024'))
  t.strictSame(JSON.parse(again.stdout), { total: 2024 * 77 })
  t.equal(readFileSync(first, 'utf8'), '0')
})

t.test('the terminal shows the months, and Ctrl-C cancels the job', { skip: noTerminal }, async t => {
  const { project, server } = await started(t, SLOW)
  const [, ...words] = call.trim().split(' ').slice(1)
  const terminal = startOnTerminal(t, words, { env: { PORT: String(project.port) }, cwd: project.folder })

  await terminal.shows(/Month \d+ of 2026/)
  terminal.type('\x03')

  t.equal((await terminal.ended).code, 130)
  await until(() => /\bcancelled\b/.test(server.log), 'the job is cancelled')
})

t.test('each block of the page was run', async t => {
  t.strictSame(page.left(), [])
})
