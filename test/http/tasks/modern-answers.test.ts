// Extension io.modelcontextprotocol/tasks: "Task Update Requests": answers that are none, keys, rounds, refusals.
import t from 'tap'
import { ABLE, accept, form } from '../../support/input/rounds.ts'
import {
  cancel,
  get,
  type Handler,
  rack,
  TASKS,
  taskFrom,
  textOf,
  update,
  whenAsking,
  whenEnded,
  whenIn,
} from '../../support/tasks/modern.ts'
import { keysOf, later, nameOf, question } from '../../support/tasks/modern-asking.ts'

const IMPROVABLE: Record<string, unknown> = {
  'of the wrong type': accept({ name: 5 }),
  'without content': { action: 'accept' },
  'with null for what is required': accept({ name: null }),
}

for (const [what, answer] of Object.entries(IMPROVABLE)) {
  t.test(`tasks/update: an answer ${what} is asked again, under a key that is new`, async t => {
    const app = await rack(t, [later(async ctx => `Hello ${await nameOf(ctx)}`)])
    const taskId = await taskFrom(app, 'asker')
    const keys = keysOf(await whenAsking(app, taskId))

    await update(app, { taskId, inputResponses: { name: answer } })
    const again = await whenAsking(app, taskId)
    keys.push(...keysOf(again))
    await update(app, { taskId, inputResponses: { name: accept({ name: 'too late' }) } })
    t.strictSame((await get(app, taskId)).result, again, 'the old key is of no use')
    await update(app, { taskId, inputResponses: { [keys[1]!]: accept({ name: true }) } })
    keys.push(...keysOf(await whenAsking(app, taskId)))

    t.equal(new Set(keys).size, 3, keys.join())
    await update(app, { taskId, inputResponses: { [keys[2]!]: accept({ name: 'Ada' }) } })
    t.equal(textOf(await whenEnded(app, taskId)), 'Hello Ada')
  })

  t.test(`tasks/update: an answer ${what}, twice, ends the task`, async t => {
    const app = await rack(t, [later(async ctx => `Hello ${await nameOf(ctx)}`)])
    const taskId = await taskFrom(app, 'asker')

    for (let round = 0; round < 2; round++) {
      const [key] = keysOf(await whenAsking(app, taskId))
      await update(app, { taskId, inputResponses: { [key!]: answer } })
    }

    t.match(textOf(await whenEnded(app, taskId)), /^The answer to "name" cannot be used: name /)
  })
}

const HOPELESS: Record<string, unknown> = {
  'of no action': { content: { name: 'Ada' } },
  'of an unknown action': { action: 'reject' },
}

for (const [what, answer] of Object.entries(HOPELESS)) {
  t.test(`tasks/update: an answer ${what} ends the task at once, and says what was wrong`, async t => {
    const app = await rack(t, [later(async ctx => `Hello ${await nameOf(ctx)}`)])
    const taskId = await taskFrom(app, 'asker')
    await whenAsking(app, taskId)

    await update(app, { taskId, inputResponses: { name: answer } })

    const task = await whenEnded(app, taskId)
    t.equal(task.result.isError, true)
    t.match(textOf(task), /^The answer to "name" cannot be used: \S/)
  })
}

for (const answer of ['Ada', null, []]) {
  t.test(`tasks/update: ${JSON.stringify(answer)} is no answer, and the task still waits for one`, async t => {
    const app = await rack(t, [later(async ctx => `Hello ${await nameOf(ctx)}`)])
    const taskId = await taskFrom(app, 'asker')
    await whenAsking(app, taskId)

    t.match(await update(app, { taskId, inputResponses: { name: answer } }), { error: { code: -32602 } })
    await update(app, { taskId, inputResponses: { name: accept({ name: 'Ada' }) } })

    t.equal(textOf(await whenEnded(app, taskId)), 'Hello Ada')
  })
}

t.test('tasks/get: no key comes twice, even where the tool asks for what another was renamed to', async t => {
  const app = await rack(t, [later(async ctx => `${await nameOf(ctx, 'k')} ${await nameOf(ctx, 'k-2')}`)])
  const taskId = await taskFrom(app, 'asker')
  const issued: string[] = []

  for (const answer of [accept({}), accept({ name: 'A' }), accept({ name: 'B' })]) {
    const [key] = keysOf(await whenAsking(app, taskId))
    issued.push(key!)
    await update(app, { taskId, inputResponses: { [key!]: answer } })
  }

  t.equal(textOf(await whenEnded(app, taskId)), 'A B')
  t.equal(new Set(issued).size, 3, issued.join())
})

t.test('tasks: round by round a tool knows all answers so far', async t => {
  const app = await rack(t, [
    later(async ctx => {
      const names: unknown[] = []
      for (const key of ['a', 'b', 'c']) names.push(await nameOf(ctx, key))
      return names.join(' ')
    }),
  ])
  const taskId = await taskFrom(app, 'asker')

  for (const key of ['a', 'b', 'c']) {
    const task = await whenIn(app, taskId, ['input_required'])
    t.strictSame(keysOf(task), [key])
    await update(app, { taskId, inputResponses: { [key]: accept({ name: key }) } })
  }

  t.equal(textOf(await whenEnded(app, taskId)), 'a b c')
})

t.test('tasks: a tool that does not stop asking ends, and its task is completed with isError', async t => {
  let asked = 0
  const app = await rack(t, [later(async ctx => nameOf(ctx, `k${++asked}`))])
  const taskId = await taskFrom(app, 'asker')

  let task = await whenIn(app, taskId, ['input_required', 'completed'])
  for (; task.status === 'input_required'; task = await whenIn(app, taskId, ['input_required', 'completed'])) {
    const [key] = keysOf(task)
    await update(app, { taskId, inputResponses: { [key!]: accept({ name: 'x' }) } })
  }

  t.match(task.result, { isError: true, content: [{ text: /asked its client in more than 10 rounds/ }] })
  t.ok(asked <= 12, `${asked}`)
})

t.test('tasks: declined is an answer, too', async t => {
  const app = await rack(t, [later(async ctx => (await ctx.elicit('name', form('name'))).action)])

  for (const action of ['decline', 'cancel']) {
    const taskId = await taskFrom(app, 'asker')
    await whenAsking(app, taskId)
    await update(app, { taskId, inputResponses: { name: { action } } })
    t.equal(textOf(await whenEnded(app, taskId)), action)
  }
})

t.test('tasks: a client that cannot be asked: the task is failed, with the error', async t => {
  const ASKS: [handler: Handler, required: object][] = [
    [ctx => ctx.elicit('k', form('name')), { elicitation: { form: {} } }],
    [ctx => ctx.sample('k', question), { sampling: {} }],
    [ctx => ctx.listRoots('k'), { roots: {} }],
  ]
  for (const [handler, required] of ASKS) {
    const app = await rack(t, [later(handler)])
    const taskId = await taskFrom(app, 'asker', {}, { capabilities: TASKS })

    const { status, error, statusMessage, ...task } = await whenEnded(app, taskId)

    t.strictSame(status, 'failed')
    t.match(error, { code: -32021, data: { requiredCapabilities: required } })
    t.equal(statusMessage, error.message)
    t.equal('result' in task, false)
  }
})

t.test('tasks: what a client could do when it called is what it is asked, whatever it declares later', async t => {
  const app = await rack(t, [later(async ctx => `Hello ${await nameOf(ctx)}`)])
  const taskId = await taskFrom(app, 'asker', {}, { capabilities: { ...ABLE, ...TASKS } })
  await whenAsking(app, taskId, { capabilities: TASKS })

  const inputResponses = { name: accept({ name: 'Ada' }) }
  await update(app, { taskId, inputResponses }, { capabilities: TASKS })

  t.equal(textOf(await whenEnded(app, taskId, { capabilities: TASKS })), 'Hello Ada')
})

t.test('tasks/cancel: a task that waits for its client is cancelled, and its questions are gone', async t => {
  const app = await rack(t, [later(async ctx => `Hello ${await nameOf(ctx)}`)])
  const taskId = await taskFrom(app, 'asker')
  await whenAsking(app, taskId)

  await cancel(app, taskId)
  await update(app, { taskId, inputResponses: { name: accept({ name: 'Ada' }) } })

  const { result } = await get(app, taskId)
  t.equal(result.status, 'cancelled')
  t.equal('inputRequests' in result, false)
})
