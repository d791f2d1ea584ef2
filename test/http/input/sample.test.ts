import t from 'tap'
import { defineTool, type ToolContext } from '../../../src/index.ts'
import { build } from '../../support/app.ts'
import { accept, ask, askedOf, form, textOf } from '../../support/input/rounds.ts'

const rack = (t: Parameters<typeof build>[0], handler: (ctx: ToolContext) => unknown) =>
  build(t, { tools: [defineTool({ name: 'asker', handler: (_args, ctx) => handler(ctx) })] })

const PARAMS = {
  messages: [{ role: 'user' as const, content: { type: 'text', text: 'The capital of France?' } }],
  maxTokens: 100,
}
const ANSWER = {
  role: 'assistant',
  content: { type: 'text', text: 'Paris' },
  model: 'some-model',
  stopReason: 'endTurn',
}

const capital = async (ctx: ToolContext) => {
  const { content, model } = await ctx.sample('capital', PARAMS)
  return `${model}: ${(Array.isArray(content) ? content[0] : content)?.['text']}`
}

t.test('sample: the client’s model is asked as it was written, and answers', async t => {
  const app = await rack(t, capital)

  const first = await ask(app)
  const second = await ask(app, { inputResponses: { capital: ANSWER } }, first)

  t.strictSame(first.result.inputRequests, { capital: { method: 'sampling/createMessage', params: PARAMS } })
  t.equal(textOf(second), 'some-model: Paris')
})

t.test('sample: an answer of several blocks is one', async t => {
  const app = await rack(t, capital)

  const several = { ...ANSWER, content: [ANSWER.content, { type: 'text', text: '!' }] }

  t.equal(textOf(await ask(app, { inputResponses: { capital: several } }, await ask(app))), 'some-model: Paris')
})

for (const [what, answer] of [
  ['without a model', { ...ANSWER, model: undefined }],
  ['of another role', { ...ANSWER, role: 'system' }],
  ['without content', { role: 'assistant', model: 'm' }],
  ['whose content is a text', { ...ANSWER, content: 'Paris' }],
  ['whose content is an unknown block', { ...ANSWER, content: { type: 'zzz' } }],
  ['with an image without data', { ...ANSWER, content: { type: 'image', mimeType: 'image/png' } }],
  ['with an image whose data is none', { ...ANSWER, content: { type: 'image', data: '~', mimeType: 'image/png' } }],
  ['with a tool use without an id', { ...ANSWER, content: [{ type: 'tool_use', name: 'look', input: {} }] }],
  ['of a user', accept({ text: 'Paris' })],
] as const) {
  t.test(`sample: an answer ${what} fails the call at once`, async t => {
    const app = await rack(t, capital)

    t.match((await ask(app, { inputResponses: { capital: answer } }, await ask(app))).result, {
      isError: true,
      content: [{ text: /^The answer to "capital" cannot be used: result\.\w/ }],
    })
  })
}

t.test('sample: null of an optional member is absence', async t => {
  const app = await rack(t, async ctx => JSON.stringify(await ctx.sample('capital', PARAMS)))
  const block = { type: 'text', text: 'Paris', annotations: { audience: null }, _meta: null }
  const answer = { ...ANSWER, stopReason: null, _meta: null, content: block }

  const { content, ...rest } = JSON.parse(
    textOf(await ask(app, { inputResponses: { capital: answer } }, await ask(app))),
  )

  t.strictSame(content, { type: 'text', text: 'Paris', annotations: {} })
  t.strictSame(rest, { role: 'assistant', model: 'some-model' })
})

for (const [what, capabilities, tools, requiredCapabilities] of [
  ['cannot sample', { elicitation: {}, roots: {} }, undefined, { sampling: {} }],
  ['samples without tools', { sampling: {} }, [{ name: 'x' }], { sampling: { tools: {} } }],
] as const) {
  t.test(`sample: a client that ${what} is refused with -32021 and what it would need`, async t => {
    const app = await rack(t, ctx => ctx.sample('q', { ...PARAMS, ...(tools && { tools }) }))

    const reply = await ask(app, {}, undefined, { capabilities })

    t.match(reply, { status: 400, error: { code: -32021, data: { requiredCapabilities } } })
  })
}

const ROOTS = { roots: [{ uri: 'file:///home/me', name: 'home' }, { uri: 'file:///srv' }] }

const folders = async (ctx: ToolContext) => (await ctx.listRoots('where')).roots.map(({ uri }) => uri).join(' ')

t.test('listRoots: the client’s folders are asked for, and told', async t => {
  const app = await rack(t, folders)

  const first = await ask(app)
  const second = await ask(app, { inputResponses: { where: ROOTS } }, first)

  t.match(first.result.inputRequests, { where: { method: 'roots/list' } })
  t.equal(textOf(second), 'file:///home/me file:///srv')
})

t.test('listRoots: none is an answer', async t => {
  const app = await rack(t, folders)

  t.equal(textOf(await ask(app, { inputResponses: { where: { roots: [] } } }, await ask(app))), '')
})

for (const answer of [
  { roots: [{ uri: 'http://x' }] },
  { roots: [{ uri: 'file:///a' }, { uri: 'file:' }] },
  { roots: [{ uri: 'file:///a b' }] },
  {},
  { roots: 'file:///' },
  { roots: [{ name: 'x' }] },
]) {
  t.test(`listRoots: ${JSON.stringify(answer)} for an answer fails the call at once`, async t => {
    const app = await rack(t, folders)

    t.match((await ask(app, { inputResponses: { where: answer } }, await ask(app))).result, {
      isError: true,
      content: [{ text: /^The answer to "where" cannot be used: \S/ }],
    })
  })
}

t.test('listRoots: a root whose name is null has none', async t => {
  const app = await rack(t, async ctx => JSON.stringify((await ctx.listRoots('where')).roots))
  const where = { roots: [{ uri: 'file:///a', name: null, _meta: null }], _meta: null }

  t.equal(textOf(await ask(app, { inputResponses: { where } }, await ask(app))), '[{"uri":"file:///a"}]')
})

t.test('listRoots: a client without roots is refused with -32021', async t => {
  const app = await rack(t, folders)

  const reply = await ask(app, {}, undefined, { capabilities: { sampling: {}, elicitation: {} } })

  t.match(reply, { status: 400, error: { code: -32021, data: { requiredCapabilities: { roots: {} } } } })
})

t.test('questions of every kind are asked in one round', async t => {
  const app = await rack(t, async ctx => {
    const [where, what, who] = await Promise.all([
      ctx.listRoots('where'),
      ctx.sample('what', PARAMS),
      ctx.elicit('who', form('name')),
    ])
    return `${where.roots.length} ${what.model} ${who.content?.['name']}`
  })

  const first = await ask(app)
  const inputResponses = { where: ROOTS, what: ANSWER, who: accept({ name: 'Ada' }) }

  t.strictSame(askedOf(first), ['what', 'where', 'who'])
  t.equal(textOf(await ask(app, { inputResponses }, first)), '2 some-model Ada')
})
