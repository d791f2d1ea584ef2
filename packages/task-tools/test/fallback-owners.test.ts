// Whose tasks get_task_result and cancel_task reach.
import t from 'tap'
import { build } from '../../../test/support/app.ts'
import { bearer, guarded } from '../../../test/support/auth/guarded.ts'
import {
  gatedReport,
  idOf,
  later,
  plainClient,
  TOLD,
  textOf,
  VERSIONS,
} from '../../../test/support/tasks/fallback-rack.ts'

const READER = bearer('read')
const NOBODYS = { isError: true, content: [{ text: /^There is no such task: / }] }

for (const version of VERSIONS) {
  t.test(
    `tasks: a subject reaches its own tasks in ${version}, over whichever session, and nobody else does`,
    async t => {
      const { report, started, open } = gatedReport({ scopes: ['read'] })
      const app = await guarded(t, { tools: [report], ...TOLD })
      const clientOf = (headers: Record<string, string>) => plainClient(t, app, { version, headers })
      const taskId = idOf(await (await clientOf(READER)).call('report'))
      const signal = await started

      for (const headers of [
        bearer('read', { sub: 'bob' }),
        bearer('read', { iss: 'https://other.example' }),
        bearer(),
      ]) {
        const other = await clientOf(headers)
        t.match((await other.call('get_task_result', { taskId })).result, NOBODYS)
        t.match((await other.call('cancel_task', { taskId })).result, NOBODYS)
      }
      t.notOk(signal.aborted)
      open()
      const again = await clientOf(bearer('read', { jti: 'new' }))
      t.match((await again.call('get_task_result', { taskId })).result.structuredContent, { pages: 7 })
    },
  )
}

t.test('tasks: what is refused to others is told as what never was', async t => {
  const { report } = gatedReport()
  const app = await guarded(t, { tools: [report], ...TOLD })
  const mine = await plainClient(t, app, { version: '2026-07-28', headers: READER })
  const bobs = await plainClient(t, app, { version: '2026-07-28', headers: bearer('', { sub: 'bob' }) })
  const taskId = idOf(await mine.call('report'))

  const foreign = await bobs.call('get_task_result', { taskId })
  const unknown = await bobs.call('get_task_result', { taskId: 'x'.repeat(32) })

  t.strictSame(foreign.result, unknown.result)
})

t.test('tasks: where nobody is verified, whoever knows the id reaches the task, in any revision', async t => {
  const app = await build(t, { tools: [later('quick', () => 'done')], ...TOLD })
  const [modern, older, oldest] = await Promise.all(VERSIONS.map(version => plainClient(t, app, { version })))

  const taskId = idOf(await older!.call('quick'))

  for (const client of [modern!, older!, oldest!]) {
    t.equal(textOf(await client.call('get_task_result', { taskId })), 'done')
  }
})
