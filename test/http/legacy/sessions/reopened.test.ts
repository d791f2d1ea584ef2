// A session whose process has ended: with STATE_SECRET, the next process opens it again, empty.
import t, { type Test } from 'tap'
import { defineResource, type ServerOptions } from '../../../../src/index.ts'
import { listening } from '../../../support/app.ts'
import { bearer, guarded } from '../../../support/auth/guarded.ts'
import { AppClient, connected, open, session } from '../../../support/client/app-client.ts'
import type { Opening } from '../../../support/client/client.ts'
import { textOf } from '../../../support/client/reply.ts'
import { movableClock } from '../../../support/clock.ts'
import { form } from '../../../support/legacy/asking.ts'
import { begin, taskTool } from '../../../support/legacy/tasking.ts'
import { tool } from '../../../support/steered-tools.ts'

const STATE = { stateSecret: 'a secret of the state, and long enough' }
const echo = tool('echo', (_ctx, { text }) => `${text}`)
const asks = tool('asks', async ctx => JSON.stringify((await ctx.elicit('name', form('name'))).content))
const note = defineResource({ uri: 'memory://note', name: 'note', handler: () => 'a note' })
const loud = tool('loud', ({ log, progress }) => {
  log.error({}, 'loud')
  progress(1)
  return 'said'
})
const LOST = { status: 404, error: { code: 40400 } }

/** The client's session with a later process of the server. */
async function restart(t: Test, client: AppClient, options: ServerOptions = {}): Promise<AppClient> {
  const { app } = await listening(t, { ...STATE, ...options })
  return new AppClient(t, app, client)
}

const begun = (t: Test, options: ServerOptions = {}, opening?: Opening) => session(t, { ...STATE, ...options }, opening)

for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']) {
  t.test(`${revision}: a session goes on after a restart`, async t => {
    const client = await begun(t, { tools: [echo] }, { revision })

    const after = await restart(t, client, { tools: [echo] })

    t.strictSame((await after.call('ping')).result, {})
    const { result } = await after.callTool('echo', { text: 'hi' })
    t.equal(revision === '2024-10-07' ? result.toolResult : result.content[0].text, 'hi')
  })
}

t.test('a batch is one of its revision after a restart, whatever the header says', async t => {
  const client = await begun(t, {}, { revision: '2025-03-26' })
  const after = await restart(t, client)

  const reply = await after.send([after.request('ping')], { 'mcp-protocol-version': '2025-11-25' })

  t.match(reply, { status: 200, result: {} })
})

t.test('a tool may ask the client what it could before', async t => {
  const client = await begun(t)
  const after = await restart(t, client, { tools: [asks] })

  const stream = await after.postTool('asks')
  await after.answer(await stream.next(0), { action: 'accept', content: { name: 'Ada' } })

  t.equal(textOf((await stream.last()) as never), '{"name":"Ada"}')
})

t.test('a client that could not be asked cannot be asked after a restart', async t => {
  const client = await begun(t, {}, { capabilities: {} })
  const after = await restart(t, client, { tools: [asks] })

  t.match((await after.callTool('asks')).result, { isError: true, content: [{ text: /elicitation\.form/ }] })
})

t.test(
  'log level and subscriptions are gone: the client is told nothing that it did not ask this process for',
  async t => {
    const client = await connected(t, { ...STATE, tools: [loud], resources: [note] })
    await client.call('logging/setLevel', { level: 'debug' })
    await client.call('resources/subscribe', { uri: 'memory://note' })
    const after = await restart(t, client, { tools: [loud], resources: [note] })

    const stream = await after.postTool('loud', {}, { _meta: { progressToken: 1 } })
    await stream.ended
    t.same(
      stream.messages.map(({ method }) => method),
      ['notifications/progress', undefined],
    )

    const news = await after.listen()
    after.app.toolrack.resourceUpdated('memory://note')
    after.app.toolrack.remove('loud')
    await news.until(() => news.messages.filter(({ method }) => /tools/.test(method!)).length === 2, 'the change')
    t.notOk(news.messages.some(({ method }) => method === 'notifications/resources/updated'))
  },
)

t.test('its first stream says that the lists may have changed', async t => {
  const client = await begun(t, { tools: [echo] })
  const after = await restart(t, client, { tools: [loud] })

  const news = await after.listen()

  t.equal((await news.next(0)).method, 'notifications/tools/list_changed')
})

t.test('a stream of the former process begins anew', async t => {
  const client = await connected(t, { ...STATE, tools: [loud] })
  const stream = await client.postTool('loud', {}, { _meta: { progressToken: 1 } })
  await stream.ended
  const id = stream.events.find(event => event.id !== undefined)!.id!
  const after = await restart(t, client)

  const resumed = await after.listen(id)

  t.equal(resumed.status, 200)
  const primed = await resumed.event(0)
  t.not(primed.id!.split('.')[0], id.split('.')[0])
})

t.test('tasks are gone, and tasks of another session are as unknown as before', async t => {
  const client = await begun(t, { tools: [taskTool('job', () => 'done')] })
  const { taskId } = await begin(client, 'job')
  const after = await restart(t, client, { tools: [taskTool('job', () => 'done')] })
  const other = await open(t, after.app)

  t.match((await after.call('tasks/get', { taskId })).error, { code: -32602 })
  const own = await begin(after, 'job')
  t.equal(textOf(await after.call('tasks/result', { taskId: own.taskId })), 'done')
  t.match((await other.call('tasks/get', { taskId: own.taskId })).error, { code: -32602 })
})

t.test('DELETE ends it for good in this process', async t => {
  const client = await begun(t)
  const after = await restart(t, client)

  t.equal((await after.end()).status, 204)

  t.match(await after.call('ping'), LOST)
  t.equal((await after.end()).status, 404)
  t.equal((await after.listen()).status, 404)
})

t.test('what was ended before the restart opens an empty session to its owner', async t => {
  const client = await begun(t)
  await client.end()
  t.match(await client.call('ping'), LOST)

  t.strictSame((await (await restart(t, client)).call('ping')).result, {})
})

t.test('a session that this process opened expires as usual, and one of a former process opens again', async t => {
  const clock = movableClock(t)
  const client = await begun(t, { sessions: { ttlMs: 1000 } })
  const after = await restart(t, client, { sessions: { ttlMs: 1000 } })
  t.equal((await after.call('ping')).status, 200)

  clock.forward(1001)

  t.match(await client.call('ping'), LOST)
  t.equal((await after.call('ping')).status, 200)
})

t.test('two requests at once open it once', async t => {
  const client = await begun(t)
  const after = await restart(t, client, { tools: [echo] })

  const replies = await Promise.all([1, 2, 3].map(text => after.callTool('echo', { text })))

  t.strictSame(replies.map(textOf), ['1', '2', '3'])
  const metrics = await after.app.inject({ url: '/metrics', headers: { host: 'localhost' } })
  t.match(metrics.body, 'toolrack_sessions{status="kept"} 1')
})

t.test('to everybody else it is a session that does not exist', async t => {
  const alice = bearer('read')
  const client = await open(t, await guarded(t, STATE), { headers: alice })
  const app = await guarded(t, { ...STATE, tools: [echo] })
  const after = new AppClient(t, app, client)
  const unknown = await after.call('ping', {}, { ...alice, 'mcp-session-id': 'x'.repeat(32) })

  for (const over of [{ sub: 'bob' }, { iss: 'https://other.example' }, { sub: 'alice ' }]) {
    const { status, error } = await after.call('ping', {}, bearer('read', over))
    t.strictSame({ status, error }, { status: unknown.status, error: unknown.error })
  }
  t.equal((await after.call('ping')).status, 401)
  t.equal((await after.call('ping', {}, alice)).status, 200)
})

t.test('a session without an owner is none for a verified caller, nor the reverse', async t => {
  const nobody = await begun(t)
  const alice = await open(t, await guarded(t, STATE), { headers: bearer('read') })
  const secured = await guarded(t, STATE)
  const opened = await restart(t, alice)

  const asAlice = new AppClient(t, secured, nobody)
  t.match(await asAlice.call('ping', {}, bearer('read')), LOST)
  t.match(await opened.call('ping'), LOST)
})

t.test('without STATE_SECRET a session ends with its process', async t => {
  const client = await session(t)
  t.equal(client.id.length, 36)
  const sealed = await begun(t)

  t.match(await (await restart(t, client, { stateSecret: undefined })).call('ping'), LOST)
  t.match(await (await restart(t, sealed, { stateSecret: undefined })).call('ping'), LOST)
})

t.test('after the secret was changed, STATE_SECRET_PREVIOUS opens it', async t => {
  const client = await begun(t)
  const stateSecret = 'another secret of the state, long enough'

  t.match(await (await restart(t, client, { stateSecret })).call('ping'), LOST)
  const both = await restart(t, client, { stateSecret, stateSecretPrevious: STATE.stateSecret })
  t.equal((await both.call('ping')).status, 200)
})
