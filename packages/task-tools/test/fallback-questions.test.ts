// What a task asks is asked through get_task_result, in the way in which its client can be asked.
import t, { type Test } from 'tap'
import type { ToolContext } from '../../../src/index.ts'
import { type App, build, type CallOptions, call, type Reply } from '../../../test/support/app.ts'
import { type AppClient, connected } from '../../../test/support/client/app-client.ts'
import type { TestReply } from '../../../test/support/client/reply.ts'
import { ABLE, accept, form } from '../../../test/support/input/rounds.ts'
import { idOf, later, TOLD, textOf } from '../../../test/support/tasks/fallback-rack.ts'

const greet = async (ctx: ToolContext) => {
  const { action, content } = await ctx.elicit('name', form('name'))
  return action === 'accept' ? `Hello ${content?.['name']}` : `No name: ${action}`
}

/** Goes on where its user will not be asked. */
const tries = (ctx: ToolContext) => greet(ctx).catch(error => `${error.name}: ${error.message}`)

const greeter = () => build(t, { tools: [later('greet', greet)], ...TOLD })

interface Round {
  name?: string
  arguments?: object
  before?: Reply
  inputResponses?: object
}

const ask = (app: App, { before, name = 'get_task_result', ...round }: Round, options: CallOptions = {}) =>
  call(
    app,
    'tools/call',
    { name, arguments: {}, ...(before && { requestState: before.result.requestState }), ...round },
    { capabilities: ABLE, ...options },
  )

/** Until the task asks; a look at one that has just begun waits for it, and then says so. */
async function asked(app: App, taskId: string): Promise<Reply> {
  const reply = await ask(app, { arguments: { taskId } })
  return reply.result.resultType === 'input_required' ? reply : ask(app, { arguments: { taskId } })
}

t.test('tasks: a question of a task is the result of get_task_result where the protocol is stateless', async t => {
  const app = await greeter()
  const taskId = idOf(await ask(app, { name: 'greet' }))

  const question = await asked(app, taskId)
  const odd = await ask(app, { arguments: { taskId }, before: question, inputResponses: { name: accept({}) } })
  const answered = await ask(app, {
    arguments: { taskId },
    before: odd,
    inputResponses: { name: accept({ name: 'Ada' }) },
  })

  t.match(question.result, {
    resultType: 'input_required',
    inputRequests: { name: { method: 'elicitation/create', params: form('name') } },
  })
  t.equal(odd.result.resultType, 'input_required', 'an answer that breaks the schema is asked for again')
  t.equal(textOf(answered), 'Hello Ada')
})

t.test('tasks: a look that waited says that the task asks; the next one asks', async t => {
  const gate = Promise.withResolvers<void>()
  const gated = later('greet', async ctx => {
    await gate.promise
    return greet(ctx)
  })
  const app = await build(t, { tools: [gated], ...TOLD })
  const taskId = idOf(await ask(app, { name: 'greet' }))

  const looking = ask(app, { arguments: { taskId } })
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
  gate.resolve()
  const waited = await looking
  const question = await ask(app, { arguments: { taskId } })

  t.match(textOf(waited), /is input_required\. It has a question: call get_task_result again\.$/)
  t.strictSame(Object.keys(question.result.inputRequests), ['name'])
})

t.test('tasks: questions that are asked together are asked in one round', async t => {
  const both = later('both', async ctx => {
    const answers = await Promise.all([ctx.elicit('a', form('a')), ctx.listRoots('b')])
    return JSON.stringify(answers)
  })
  const app = await build(t, { tools: [both], ...TOLD })
  const taskId = idOf(await ask(app, { name: 'both' }))

  const question = await asked(app, taskId)
  const answers = { a: accept({ a: 'x' }), b: { roots: [] } }
  const answered = await ask(app, { arguments: { taskId }, before: question, inputResponses: answers })

  t.strictSame(Object.keys(question.result.inputRequests).sort(), ['a', 'b'])
  t.equal(textOf(answered), JSON.stringify(Object.values(answers)))
})

t.test('tasks: a client that cannot be asked is refused, and the question stays for one that can', async t => {
  const app = await greeter()
  const taskId = idOf(await ask(app, { name: 'greet' }))
  await asked(app, taskId)

  const refused = await ask(app, { arguments: { taskId } }, { capabilities: {} })
  const question = await ask(app, { arguments: { taskId } })

  t.match(refused.error, { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } })
  t.equal(question.result.resultType, 'input_required')
})

t.test('tasks: what a tool asks first is asked before there is a task', async t => {
  const app = await build(t, { tools: [later('greet', greet)], tasks: { fallbackTools: true, inlineMs: 60_000 } })

  const question = await ask(app, { name: 'greet' })
  const answered = await ask(app, {
    name: 'greet',
    before: question,
    inputResponses: { name: accept({ name: 'Ada' }) },
  })

  t.equal(question.result.resultType, 'input_required')
  t.equal(textOf(answered), 'Hello Ada')
})

/** A look that has asked, whether or not one had to wait for that. */
async function lookThatAsks(client: AppClient, taskId: string): Promise<TestReply> {
  const look = await client.postTool('get_task_result', { taskId })
  const { method } = await look.next(0)
  return method === undefined ? lookThatAsks(client, taskId) : look
}

for (const revision of ['2025-11-25', '2025-06-18']) {
  const opened = async (t: Test, handler: typeof greet) => {
    const client = await connected(t, { tools: [later('greet', handler)], ...TOLD }, { revision })
    const taskId = idOf(await client.callTool('greet'))
    return { client, taskId, look: await lookThatAsks(client, taskId) }
  }

  t.test(`tasks: a question of a task comes over the stream of get_task_result in ${revision}`, async t => {
    const { client, look } = await opened(t, greet)

    const question = await look.next(0)
    await client.answer(question, accept({ name: 'Ada' }))

    t.match(question, { method: 'elicitation/create', params: form('name') })
    t.equal(textOf(await look.last()), 'Hello Ada')
  })

  t.test(`tasks: that its user will not be asked is told to the tool in ${revision}`, async t => {
    const { client, look } = await opened(t, tries)

    await client.refuse(await look.next(0), 'the user is asleep')

    t.match(textOf(await look.last()), /^Refused: .*the user is asleep$/)
  })

  t.test(`tasks: a question that one look left open is asked by the next in ${revision}`, async t => {
    const { client, taskId, look } = await opened(t, greet)
    const first = await look.next(0)
    look.close()

    const second = await lookThatAsks(client, taskId)
    const question = await second.next(0)
    await client.answer(question, accept({ name: 'Ada' }))

    t.not(question.id, first.id)
    t.equal(textOf(await second.last()), 'Hello Ada')
  })
}
