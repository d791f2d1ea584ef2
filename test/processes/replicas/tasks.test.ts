// Tasks of two replicas: either knows a task, whichever runs it. F9 of test/security/README.md.
import t from 'tap'
import { stream } from '../../support/app.ts'
import type { Place } from '../../support/client/transport.ts'
import { accept } from '../../support/input/rounds.ts'
import { pair, said, until, whoSaid } from '../../support/replicas/pair.ts'
import { openAt, textOf } from '../../support/replicas/session.ts'
import { ask, callTool, openGate } from '../../support/replicas/stateless.ts'
import { NO_REDIS } from '../../support/servers/redis-server.ts'

/** At once, but for a busy machine; a lease would end after 8 s. */
const ABORTED_WITHIN_MS = 5000

const get = async (at: Place, taskId: string) => (await ask(at, 'tasks/get', { taskId })).result
const whenIn = (at: Place, taskId: string, status: string) =>
  until(async () => (await get(at, taskId))?.status === status, `${taskId} is ${status}`)

t.test('tasks: of two replicas', { skip: NO_REDIS, timeout: 120_000 }, async t => {
  const replicas = await pair(t)
  const { one, two, proxy } = replicas

  async function begin(at: Place, name: string): Promise<string> {
    const { result } = await callTool(at, 'job', { name })
    t.equal(result.resultType, 'task')
    return result.taskId
  }

  for (const [from, other] of [
    [one, two],
    [two, one],
  ] as const) {
    const name = `begun on ${from === one ? 'one' : 'two'}`
    t.test(`2026-07-28: ${name}, followed to its end on the other`, async t => {
      const taskId = await begin(from, name)
      t.equal((await get(other, taskId)).status, 'working')
      const told = await stream(
        t,
        other.url,
        'subscriptions/listen',
        { notifications: { taskIds: [taskId] } },
        { capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
      )
      await told.next(0)
      const { here } = await whoSaid(`${name} began`, replicas)

      await openGate(here, name)

      await until(() => told.messages.some(({ params }) => params?.status === 'completed'), 'its end is told')
      for (const at of [from, other]) t.equal((await get(at, taskId)).result.content[0].text, `${name} ended`)
      t.equal([...one.lines, ...two.lines].filter(line => line === `${name} began`).length, 1)
    })
  }

  t.test('F9: cancelled on the replica that does not run it, it is aborted within 1 s', async t => {
    const tookMs: number[] = []
    for (const era of ['stateless', 'session'] as const) {
      const name = `cancelled ${era}`
      const client = await openAt(t, proxy)
      const { taskId } =
        era === 'stateless'
          ? { taskId: await begin(one, name) }
          : (await client.at(one).call('tools/call', { name: 'job', arguments: { name }, task: {} })).result.task
      const { here, there } = await whoSaid(`${name} began`, replicas)

      const begunMs = performance.now()
      if (era === 'stateless') await ask(there, 'tasks/cancel', { taskId })
      else t.equal((await client.at(there).call('tasks/cancel', { taskId })).result.status, 'cancelled')
      await said(here, `${name} aborted: The client cancelled the request`)

      tookMs.push(performance.now() - begunMs)
      if (era === 'stateless') for (const at of [one, two]) t.equal((await get(at, taskId)).status, 'cancelled')
    }
    // A busy machine may hold up one of them; were they not told, both would take longer.
    t.ok(Math.min(...tookMs) < ABORTED_WITHIN_MS, `${tookMs}`)
  })

  t.test('2026-07-28: what a task asks is answered on the other replica', async t => {
    const { taskId } = (await callTool(one, 'greet_later')).result
    await whenIn(two, taskId, 'input_required')
    const [key] = Object.keys((await get(two, taskId)).inputRequests)

    await ask(two, 'tasks/update', { taskId, inputResponses: { [key!]: accept({ name: 'Ada' }) } })

    await whenIn(one, taskId, 'completed')
    t.equal((await get(two, taskId)).result.content[0].text, 'Hello Ada')
  })

  t.test('2025-11-25: in the list, the result and the news of its session, on both', async t => {
    const client = await openAt(t, one)
    const news = { one: await client.at(one).listen() }
    const { task } = (
      await client.at(two).call('tools/call', { name: 'job', arguments: { name: 'in session' }, task: {} })
    ).result
    const { here } = await whoSaid('in session began', replicas)
    const waiting = await Promise.all(
      [one, two].map(at => client.at(at).post(client.request('tasks/result', { taskId: task.taskId }))),
    )

    for (const at of [one, two]) {
      t.equal((await client.at(at).call('tasks/get', { taskId: task.taskId })).result.status, 'working')
      t.strictSame(
        (await client.at(at).call('tasks/list')).result.tasks.map(({ taskId }: { taskId: string }) => taskId),
        [task.taskId],
      )
    }
    await openGate(here, 'in session')

    for (const each of waiting) t.equal(await textOf(each), 'in session ended')
    await news.one.until(() => news.one.messages.some(({ params }) => params?.status === 'completed'), 'its end')
    t.ok(news.one.messages.every(({ method }) => method === 'notifications/tasks/status'))
    t.equal(news.one.messages.filter(({ params }) => params.status === 'completed').length, 1)
  })

  t.test('2025-11-25: what a task asks comes with its result on one, and is answered on the other', async t => {
    const client = await openAt(t, two)
    const { task } = (await client.at(one).call('tools/call', { name: 'greet_later', arguments: {}, task: {} })).result
    const waiting = await client.at(one).post(client.request('tasks/result', { taskId: task.taskId }))
    await waiting.until(() => waiting.messages.some(({ method }) => method === 'elicitation/create'), 'the question')
    const question = waiting.messages.find(({ method }) => method === 'elicitation/create')!

    await client.at(two).answer(question, accept({ name: 'Ada' }))

    t.equal(await textOf(waiting), 'Hello Ada')
    t.equal(
      await textOf(await client.at(two).post(client.request('tasks/result', { taskId: task.taskId }))),
      'Hello Ada',
    )
  })

  t.test('2025-11-25: the end of its session on one ends its tasks, wherever they run', async t => {
    const client = await openAt(t, one)
    for (const name of ['orphan one', 'orphan two', 'orphan three']) {
      await client.at(proxy).call('tools/call', { name: 'job', arguments: { name }, task: {} })
      await whoSaid(`${name} began`, replicas)
    }

    await client.at(two).end()

    for (const name of ['orphan one', 'orphan two', 'orphan three'])
      await whoSaid(`${name} aborted: The client cancelled the request`, replicas)
  })

  t.test('a requestState begins one task only, whichever replica sees it first', async t => {
    const { requestState } = (await callTool(one, 'ask_then_job')).result
    const round = { requestState, inputResponses: { name: accept({ name: 'spent' }) } }

    const replies = await Promise.all([one, two, one, two].map(at => callTool(at, 'ask_then_job', {}, round)))

    t.equal(replies.filter(({ result }) => result?.resultType === 'task').length, 1)
    t.equal(replies.filter(({ error }) => error?.code === -32602).length, 3)
    const { here } = await whoSaid('spent began', replicas)
    await openGate(here, 'spent')
    t.equal([...one.lines, ...two.lines].filter(line => line === 'spent began').length, 1)
  })

  // The last, since it takes a replica away.
  t.test('a task with an idempotency key runs again at once when its replica has died', async t => {
    const { result } = await callTool(one, 'put', { name: 'key', idempotencyKey: '1' })
    const { here, there } = await whoSaid('key began', replicas)

    await here.kill()
    await said(there, 'key began')
    await openGate(there, 'key')

    await whenIn(there, result.taskId, 'completed')
    t.equal((await get(there, result.taskId)).result.content[0].text, 'key ended')
  })
})
