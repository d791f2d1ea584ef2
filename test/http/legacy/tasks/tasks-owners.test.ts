// Spec 2025-11-25: basic/utilities/tasks, "Task Isolation and Access Control": who may know of a task, and do something to it.
import t from 'tap'
import type { App } from '../../../support/app.ts'
import { bearer, guarded } from '../../../support/auth/guarded.ts'
import { type AppClient, open } from '../../../support/client/app-client.ts'
import { type TestReply, textOf } from '../../../support/client/reply.ts'
import type { Headers } from '../../../support/client/transport.ts'
import { begin, callAsTask, gate, optional, taskTool, withJob } from '../../../support/legacy/tasking.ts'

type Methods = 'tasks/get' | 'tasks/result' | 'tasks/cancel'
const METHODS: readonly Methods[] = ['tasks/get', 'tasks/result', 'tasks/cancel']
const idsOf = ({ result }: TestReply) => result.tasks.map(({ taskId }: { taskId: string }) => taskId)

const alice = bearer('read')
const bob = bearer('read', { sub: 'bob' })
const otherAlice = bearer('read', { iss: 'https://other.example' })

const openAs = (t: Parameters<typeof open>[0], app: App, headers: Headers) => open(t, app, { headers })

async function beginAs(client: AppClient, as: Headers, name = 'job'): Promise<string> {
  return (await callAsTask(client, name, {}, {}, as)).result.task.taskId
}

/** Every method and the list, by somebody who may not know of the task: as of one that nobody made. */
async function assertUnknown(t: Parameters<typeof open>[0], client: AppClient, taskId: string, as: Headers = {}) {
  for (const method of METHODS) {
    const { status, error } = await client.call(method, { taskId }, as)
    const unknown = await client.call(method, { taskId: 'nope' }, as)

    t.equal(error?.code, -32602, method)
    t.strictSame({ status, error }, { status: unknown.status, error: unknown.error }, method)
  }
  t.strictSame(idsOf(await client.call('tasks/list', {}, as)), [])
}

t.test('where nobody is verified, a task belongs to its session', async t => {
  const { handler, end } = gate()
  const client = await withJob(t, handler)
  const stranger = await open(t, client.app)
  const { taskId } = await begin(client, 'job')

  await assertUnknown(t, stranger, taskId)
  end('done')

  t.equal(textOf(await client.call('tasks/result', { taskId })), 'done')
  t.strictSame(idsOf(await client.call('tasks/list')), [taskId])
  await assertUnknown(t, stranger, taskId)
})

t.test('where nobody is verified, the tasks of a session that has ended are nobody’s', async t => {
  const client = await withJob(t, () => 'done')
  const { taskId } = await begin(client, 'job')

  await client.end()

  t.equal((await client.call('tasks/get', { taskId })).status, 404)
  await assertUnknown(t, await open(t, client.app), taskId)
})

t.test('a task belongs to the subject of its token, in every session and behind the end of each', async t => {
  const { handler, started, end } = gate()
  const app = await guarded(t, { tools: [taskTool('job', handler)] })
  const first = await openAs(t, app, alice)
  const taskId = await beginAs(first, alice)
  await started

  t.equal((await first.end(alice)).status, 204)
  const second = await openAs(t, app, alice)
  t.equal((await second.call('tasks/get', { taskId }, alice)).result.status, 'working')
  t.strictSame(idsOf(await second.call('tasks/list', {}, alice)), [taskId])
  end('done')

  t.equal(textOf(await second.call('tasks/result', { taskId }, alice)), 'done')
})

t.test('a newer token of the same subject is as good', async t => {
  const app = await guarded(t, { tools: [taskTool('job', () => 'done')] })
  const client = await openAs(t, app, alice)
  const taskId = await beginAs(client, alice)

  const { result } = await client.call('tasks/result', { taskId }, bearer('read write', { jti: 'another' }))

  t.equal(result.content[0].text, 'done')
})

for (const [who, headers] of [
  ['another subject', bob],
  ['the same subject of another issuer', otherAlice],
] as const) {
  t.test(`of a task of somebody else nothing is known: ${who}`, async t => {
    const { handler, end, started } = gate()
    const app = await guarded(t, { tools: [taskTool('job', handler)] })
    const owner = await openAs(t, app, alice)
    const stranger = await openAs(t, app, headers)
    const taskId = await beginAs(owner, alice)
    await started

    await assertUnknown(t, stranger, taskId, headers)
    end('done')

    t.equal(textOf(await owner.call('tasks/result', { taskId }, alice)), 'done')
  })
}

t.test('each lists the own tasks, page by page', async t => {
  const app = await guarded(t, { tools: [taskTool('job', () => 'done')], pageSize: 1 })
  const [ofAlice, ofBob] = [await openAs(t, app, alice), await openAs(t, app, bob)]
  const own: string[] = []
  for (let turn = 0; turn < 2; turn++) {
    own.push(await beginAs(ofAlice, alice))
    await beginAs(ofBob, bob)
  }

  const first = await ofAlice.call('tasks/list', {}, alice)
  const { nextCursor } = first.result
  const second = await ofAlice.call('tasks/list', { cursor: nextCursor }, alice)
  const stolen = await ofBob.call('tasks/list', { cursor: nextCursor }, bob)

  t.strictSame([...idsOf(first), ...idsOf(second)].sort(), own.sort())
  t.notOk('nextCursor' in second.result)
  t.match(stolen.error, { code: -32602, message: /^Invalid cursor/ })
})

t.test('who has lost a scope of the tool cannot look at its tasks', async t => {
  const { handler } = gate()
  const closed = taskTool('closed', handler, { ...optional, scopes: ['read'] })
  const app = await guarded(t, { tools: [closed] })
  const client = await openAs(t, app, alice)
  const taskId = await beginAs(client, alice, 'closed')
  const less = bearer('')

  for (const method of METHODS) {
    const { status, headers } = await client.call(method, { taskId }, less)
    t.equal(status, 403, method)
    t.match(headers['www-authenticate'], /scope="read"/)
  }
  t.strictSame(idsOf(await client.call('tasks/list', {}, less)), [])
  t.equal((await client.call('tasks/get', { taskId }, alice)).result.status, 'working')
})

t.test('who lacks a scope of the tool cannot begin a task', async t => {
  let runs = 0
  const closed = taskTool('closed', () => runs++, { scopes: ['read'] })
  const app = await guarded(t, { tools: [closed] })
  const headers = bearer('')
  const client = await openAs(t, app, headers)

  const { status } = await callAsTask(client, 'closed', {}, {}, headers)

  t.equal(status, 403)
  t.strictSame(idsOf(await client.call('tasks/list', {}, headers)), [])
  t.equal(runs, 0)
})
