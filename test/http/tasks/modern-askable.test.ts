// What is open is shown to who has declared that it can be answered, and to nobody else: another client of the same
// subject may look at a task. Spec 2026-07-28: basic/patterns/mrtr; extension io.modelcontextprotocol/tasks: tasks.
import t, { type Test } from 'tap'
import { call, listening, stream } from '../../support/app.ts'
import { accept, form } from '../../support/input/rounds.ts'
import { get, TASKS, taskFrom, textOf, update, whenAsking, whenEnded } from '../../support/tasks/modern.ts'
import { keysOf, later, question } from '../../support/tasks/modern-asking.ts'

const said = { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'm' }
const ANSWERS: Record<string, object> = {
  name: accept({ name: 'Ada' }),
  page: { action: 'accept' },
  capital: said,
  tool: said,
  roots: { roots: [] },
}
const tools = [{ name: 'look', inputSchema: { type: 'object' } }]

/** A server, and the id of a task that asks one question of each kind. */
async function asking(t: Test) {
  const asker = later(async ctx => {
    const asked = [
      ctx.elicit('name', form('name')),
      ctx.elicit('page', { mode: 'url', message: 'Sign in', url: 'https://a.example/' }),
      ctx.sample('capital', question),
      ctx.sample('tool', { ...question, tools }),
      ctx.listRoots('roots'),
    ]
    return `${(await Promise.all(asked)).length} answers`
  })
  const { app, url } = await listening(t, { tools: [asker], tasks: { inlineMs: 0 }, drainMs: 20 })
  const taskId = await taskFrom(app, 'asker')
  t.strictSame(keysOf(await whenAsking(app, taskId)), ['capital', 'name', 'page', 'roots', 'tool'])
  return { app, url, taskId }
}

const BY_CAPABILITIES: [declared: object, keys: string[], missing: string][] = [
  [{}, [], 'elicitation.form, elicitation.url, sampling.tools, roots'],
  [{ elicitation: {} }, ['name'], 'elicitation.url, sampling.tools, roots'],
  [{ elicitation: { url: {} } }, ['page'], 'elicitation.form, sampling.tools, roots'],
  [{ sampling: {}, roots: {} }, ['capital', 'roots'], 'elicitation.form, elicitation.url, sampling.tools'],
  [{ elicitation: { form: {}, url: {} }, sampling: { tools: {} } }, ['capital', 'name', 'page', 'tool'], 'roots'],
  [{ elicitation: { form: {}, url: {} }, roots: {} }, ['name', 'page', 'roots'], 'sampling.tools'],
]

t.test('tasks/get: a client is shown the questions that it can answer, and told who can answer the others', async t => {
  const { app, taskId } = await asking(t)

  for (const [declared, keys, missing] of BY_CAPABILITIES) {
    const { result } = await get(app, taskId, { capabilities: { ...declared, ...TASKS } })
    t.strictSame(
      [result.status, keysOf(result), result.statusMessage],
      ['input_required', keys, `Waits for an answer from a client that declares ${missing}`],
      JSON.stringify(declared),
    )
  }
  t.notOk('statusMessage' in (await get(app, taskId)).result, 'who can answer all is told no more than before')
})

t.test('what one client cannot see another answers, and the task goes on for both', async t => {
  const { app, taskId } = await asking(t)
  const forms = { capabilities: { elicitation: {}, ...TASKS } }

  await update(app, { taskId, inputResponses: { name: ANSWERS['name'] } }, forms)
  t.strictSame(keysOf((await get(app, taskId, forms)).result), [])
  await update(app, { taskId, inputResponses: ANSWERS })

  t.equal(textOf(await whenEnded(app, taskId, forms)), '5 answers')
})

t.test('notifications/tasks: a listener hears no question that it has not declared', async t => {
  const { app, url, taskId } = await asking(t)
  const listen = (declared: object) =>
    stream(
      t,
      url,
      'subscriptions/listen',
      { notifications: { taskIds: [taskId] } },
      { capabilities: { ...declared, ...TASKS } },
    )
  const [none, forms] = [await listen({}), await listen({ elicitation: {} })]

  t.match((await none.next(1)).params, {
    status: 'input_required',
    inputRequests: {},
    statusMessage: /declares elicitation/,
  })
  t.strictSame(keysOf((await forms.next(1)).params), ['name'])
  await update(app, { taskId, inputResponses: ANSWERS })
  await whenEnded(app, taskId)
  t.notMatch(JSON.stringify(none.messages), /requestedSchema|a\.example|maxTokens|roots\/list/)
})

t.test('tasks/get: without the extension nothing at all is shown', async t => {
  const { app, taskId } = await asking(t)

  const { error } = await call(app, 'tasks/get', { taskId })

  t.equal(error.code, -32021)
})
