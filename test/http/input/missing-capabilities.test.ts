// What a client lacks is told at once, whatever it was to be asked. Spec 2026-07-28: basic/index, "Capabilities".
import t from 'tap'
import { definePrompt } from '../../../src/index.ts'
import { build, call } from '../../support/app.ts'
import { ask, form, type Handler, rack } from '../../support/input/rounds.ts'
import { tempFolder } from '../../support/tools-folder.ts'

const text = { type: 'text', text: 'Hi' }
const plain = { messages: [{ role: 'user' as const, content: text }], maxTokens: 5 }
const use = { role: 'assistant' as const, content: { type: 'tool_use', id: '1', name: 'look', input: {} } }
const result = { role: 'user' as const, content: [{ type: 'tool_result', toolUseId: '1', content: [text] }] }
const TOOLS = { sampling: { tools: {} } }
const CONTEXT = { sampling: { context: {} } }

const GATED: [what: string, more: object, declared: object, missing: object][] = [
  ['tools', { tools: [] }, {}, TOOLS],
  ['a choice of tools', { toolChoice: { mode: 'none' } }, {}, TOOLS],
  ['a tool use', { messages: [use, result] }, {}, TOOLS],
  ['a tool result', { messages: [result] }, {}, TOOLS],
  ['a context', { includeContext: 'thisServer' }, { tools: {} }, CONTEXT],
  ['every context', { includeContext: 'allServers' }, { tools: {} }, CONTEXT],
  ['tools and a context', { tools: [], includeContext: 'thisServer' }, { context: {} }, TOOLS],
]

for (const [what, more, sampling, requiredCapabilities] of GATED) {
  t.test(`sample: ${what} needs a capability of its own`, async t => {
    const app = await rack(t, ctx => ctx.sample('q', { ...plain, ...more }))

    const refused = await ask(app, {}, undefined, { capabilities: { sampling } })
    const asked = await ask(app, {}, undefined, { capabilities: { sampling: { tools: {}, context: {} } } })

    t.match(refused, { status: 400, error: { code: -32021 } })
    t.strictSame(refused.error.data, { requiredCapabilities })
    t.ok('q' in asked.result.inputRequests)
  })
}

t.test('sample: no context needs no capability of its own', async t => {
  const app = await rack(t, ctx => ctx.sample('q', { ...plain, includeContext: 'none' }))

  const { result } = await ask(app, {}, undefined, { capabilities: { sampling: {} } })

  t.ok('q' in result.inputRequests)
})

const everything: Handler = ctx =>
  Promise.all([
    ctx.elicit('form', form('a')),
    ctx.elicit('url', { mode: 'url', message: 'Go', url: 'https://x.example' }),
    ctx.sample('plain', plain),
    ctx.sample('tools', { ...plain, tools: [] }),
    ctx.listRoots('roots'),
  ])

const ALL = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }

for (const [what, handler] of [
  ['', everything],
  [', also where the handler catches it', (ctx, args) => Promise.resolve(everything(ctx, args)).catch(() => 'on')],
] as [string, Handler][]) {
  t.test(`all that is missing is told at once${what}`, async t => {
    const app = await rack(t, handler)

    const none = await ask(app, {}, undefined, { capabilities: {} })
    const some = await ask(app, {}, undefined, { capabilities: { elicitation: {}, sampling: {} } })

    t.match(none, { status: 400, error: { code: -32021, message: /elicitation, sampling, roots/ } })
    t.strictSame(none.error.data, { requiredCapabilities: ALL })
    t.strictSame(some.error.data, {
      requiredCapabilities: { elicitation: { url: {} }, sampling: { tools: {} }, roots: {} },
    })
  })
}

t.test('so it is for a prompt', async t => {
  const handler = async (_args: unknown, ctx: Parameters<Handler>[0]) => String(await everything(ctx, {}))
  const app = await build(t, { prompts: [definePrompt({ name: 'p', handler })] })

  const { error } = await call(app, 'prompts/get', { name: 'p' }, { capabilities: {} })

  t.strictSame(error.data, { requiredCapabilities: ALL })
})

t.test('so it is for an isolated tool', async t => {
  const handler = `(_args, ctx) => Promise.all([
    ctx.elicit('a', ${JSON.stringify(form('a'))}), ctx.sample('b', ${JSON.stringify(plain)}), ctx.listRoots('c')])`
  const file = `export default { name: 'asker', isolate: true, handler: ${handler} }`
  const app = await build(t, { toolsDir: tempFolder(t, { 'asker.ts': file }).path, watchTools: false })

  const { error } = await ask(app, {}, undefined, { capabilities: {} })

  t.strictSame(error.data, { requiredCapabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } })
})
