// Extension io.modelcontextprotocol/tasks: "Task Update Requests": what a tool asks in the course of its task.
import t from 'tap'
import { accept, form } from '../../support/input/rounds.ts'
import { get, rack, taskFrom, textOf, update, whenAsking, whenEnded } from '../../support/tasks/modern.ts'
import { keysOf, later, nameOf, question } from '../../support/tasks/modern-asking.ts'

const said = { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'm' }
const ROOTS = { roots: [{ uri: 'file:///a', name: 'a' }] }

const isAcknowledged = ({ result }: { result?: object }) => ({ ...result, _meta: undefined })
const ACKNOWLEDGED = { resultType: 'complete', _meta: undefined }

t.test('tasks/get: all that is asked is there while it is open, each time the same', async t => {
  const app = await rack(t, [
    later(async ctx => {
      const asked = [ctx.elicit('name', form('name')), ctx.sample('capital', question), ctx.listRoots('roots')]
      return JSON.stringify(await Promise.all(asked))
    }),
  ])

  const taskId = await taskFrom(app, 'asker')
  const task = await whenAsking(app, taskId)

  t.strictSame(task.inputRequests, {
    name: { method: 'elicitation/create', params: { mode: 'form', ...form('name') } },
    capital: { method: 'sampling/createMessage', params: question },
    roots: { method: 'roots/list', params: {} },
  })
  t.equal(task.resultType, 'complete')
  t.strictSame((await get(app, taskId)).result, task)
  await update(app, { taskId, inputResponses: { name: accept({ name: 'Ada' }), capital: said, roots: ROOTS } })
  const ended = await whenEnded(app, taskId)
  t.strictSame(JSON.parse(textOf(ended)), [accept({ name: 'Ada' }), said, ROOTS])
})

t.test('tasks/update: it is acknowledged with an empty result, and the task goes on', async t => {
  const app = await rack(t, [later(async ctx => `Hello ${await nameOf(ctx)}`)])
  const taskId = await taskFrom(app, 'asker')
  await whenAsking(app, taskId)

  const acknowledged = await update(app, { taskId, inputResponses: { name: accept({ name: 'Ada' }) } })

  t.strictSame(isAcknowledged(acknowledged), ACKNOWLEDGED)
  const { status } = (await get(app, taskId)).result
  t.ok(['working', 'completed'].includes(status), status)
  t.equal(textOf(await whenEnded(app, taskId)), 'Hello Ada')
})

t.test('tasks/update: answers may come one by one; what was answered is no longer asked', async t => {
  const runs: number[] = []
  const app = await rack(t, [
    later(async ctx => {
      runs.push(1)
      return (await Promise.all([nameOf(ctx, 'a'), nameOf(ctx, 'b'), nameOf(ctx, 'c')])).join(' ')
    }),
  ])
  const taskId = await taskFrom(app, 'asker')
  t.strictSame(keysOf(await whenAsking(app, taskId)), ['a', 'b', 'c'])

  await update(app, { taskId, inputResponses: { b: accept({ name: 'B' }) } })
  const task = (await get(app, taskId)).result
  t.strictSame([task.status, keysOf(task)], ['input_required', ['a', 'c']])
  await update(app, { taskId, inputResponses: { b: accept({ name: 'late' }), a: accept({ name: 'A' }) } })
  t.strictSame(keysOf((await get(app, taskId)).result), ['c'])
  t.equal(runs.length, 1, 'it waits for the last')
  await update(app, { taskId, inputResponses: { c: accept({ name: 'C' }) } })

  t.equal(textOf(await whenEnded(app, taskId)), 'A B C', 'the first answer counts')
})

t.test('tasks/update: answers to what was never asked, or was answered, are ignored and acknowledged', async t => {
  const app = await rack(t, [later(async ctx => `Hello ${await nameOf(ctx)}`)])
  const taskId = await taskFrom(app, 'asker')
  const before = await whenAsking(app, taskId)
  const ignored: object[] = [
    {},
    { 'unknown-key': { ignored: true } },
    { 'name-2': accept({ name: 'no' }) },
    { toString: {} },
  ]

  for (const inputResponses of ignored)
    t.strictSame(isAcknowledged(await update(app, { taskId, inputResponses })), ACKNOWLEDGED)
  t.strictSame((await get(app, taskId)).result, before, 'nothing changed, not even its time')

  await update(app, { taskId, inputResponses: { other: 1, name: accept({ name: 'Ada' }) } })
  const ended = await whenEnded(app, taskId)
  for (const inputResponses of [...ignored, { name: accept({ name: 'Bob' }) }])
    t.strictSame(isAcknowledged(await update(app, { taskId, inputResponses })), ACKNOWLEDGED)
  t.strictSame((await get(app, taskId)).result, ended)
  t.equal(textOf(ended), 'Hello Ada')
})

t.test('tasks/update: of two answers at once one counts', async t => {
  const app = await rack(t, [later(async ctx => `Hello ${await nameOf(ctx)}`)])

  for (let round = 0; round < 20; round++) {
    const taskId = await taskFrom(app, 'asker')
    await whenAsking(app, taskId)
    const answers = ['A', 'B'].map(name => update(app, { taskId, inputResponses: { name: accept({ name }) } }))
    for (const each of await Promise.all(answers)) t.strictSame(isAcknowledged(each), ACKNOWLEDGED)
    t.match(textOf(await whenEnded(app, taskId)), /^Hello [AB]$/)
  }
})
