// A tool that has to ask a client which cannot be asked: its model is told, not the client alone.
// Spec 2025-11-25: server/tools, "Error Handling"; 2026-07-28: basic/patterns/mrtr.
import t from 'tap'
import { definePrompt } from '../../../../src/index.ts'
import { build, call } from '../../../support/app.ts'
import { open, session } from '../../../support/client/app-client.ts'
import { textOf } from '../../../support/client/reply.ts'
import { tool } from '../../../support/steered-tools.ts'

const form = { message: 'Delete it?', requestedSchema: { type: 'object' as const, properties: {} } }
const page = { mode: 'url' as const, message: 'Sign in at the shop', url: 'https://shop.example/secret' }
const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hi' } }]
const asking = [
  tool('form', ctx => ctx.elicit('a', form)),
  tool('page', ctx => ctx.elicit('a', page)),
  tool('sampled', ctx => ctx.sample('a', { messages, maxTokens: 1 })),
  tool('with_tools', ctx => ctx.sample('a', { messages, maxTokens: 1, tools: [] })),
  tool('roots', ctx => ctx.listRoots('a')),
  tool('all', ctx => Promise.all([ctx.elicit('a', form), ctx.elicit('b', page), ctx.listRoots('c')])),
  tool('caught', async ctx => {
    try {
      return await ctx.elicit('a', form)
    } catch {
      return 'went on'
    }
  }),
]

const CASES: [name: string, capabilities: object, missing: string][] = [
  ['form', {}, 'elicitation.form'],
  ['form', { elicitation: { url: {} } }, 'elicitation.form'],
  ['page', {}, 'elicitation.url'],
  ['page', { elicitation: {} }, 'elicitation.url'],
  ['page', { elicitation: { form: {} } }, 'elicitation.url'],
  ['sampled', {}, 'sampling'],
  ['with_tools', {}, 'sampling.tools'],
  ['with_tools', { sampling: {} }, 'sampling.tools'],
  ['roots', {}, 'roots'],
  ['all', {}, 'elicitation.form, elicitation.url, roots'],
  ['all', { roots: {} }, 'elicitation.form, elicitation.url'],
  ['caught', {}, 'elicitation.form'],
]

for (const [name, capabilities, missing] of CASES) {
  t.test(`${name}, of a client with ${JSON.stringify(capabilities)}: a text that names ${missing}`, async t => {
    const client = await session(t, { tools: asking }, { capabilities })

    const reply = await client.callTool(name)

    t.equal(reply.error, undefined)
    t.equal(reply.result.isError, true)
    const text = textOf(reply)!
    t.match(text, `Missing required client capability: ${missing}. ${name} cannot go on without asking.`)
    t.equal(text.includes('"Delete it?"'), missing.includes('elicitation.form'))
    t.notMatch(text, /secret/)
    t.match(text, /\. [A-Z][^.]+\.$/)
  })
}

for (const revision of ['2025-06-18', '2025-03-26', '2024-11-05']) {
  t.test(`${revision}: the same`, async t => {
    const client = await session(t, { tools: asking }, { revision, capabilities: {} })

    t.match(await client.callTool('form'), { result: { isError: true, content: [{ text: /elicitation\.form/ }] } })
  })
}

t.test('2026-07-28 has it told to the client, as an error', async t => {
  const app = await build(t, { tools: asking })

  t.match(await call(app, 'tools/call', { name: 'page' }), {
    status: 400,
    error: { code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } },
  })
})

t.test('a prompt has no result that says so: it is an error', async t => {
  const app = await build(t)
  app.toolrack.add(definePrompt({ name: 'ask', handler: async (_, ctx) => String(await ctx.elicit('a', form)) }))
  const client = await open(t, app, { capabilities: {} })

  t.match(await client.call('prompts/get', { name: 'ask' }), { error: { code: -32600 } })
})

t.test('a long question is cut', async t => {
  const long = tool('long', ctx => ctx.elicit('a', { ...form, message: 'x'.repeat(5000) }))
  const client = await session(t, { tools: [long] }, { capabilities: {} })

  const text = textOf(await client.callTool('long'))!

  t.match(text, /"x{500}"/)
  t.match(text, /Ask the user yourself/)
})

t.test('the audit has it as a failure of the tool', async t => {
  const app = await build(t, { tools: asking })
  const client = await open(t, app, { capabilities: {} })

  await client.callTool('form')

  t.match(app.audit.lines.at(-1), { tool: 'form', outcome: 'isError', kind: 'tool_error' })
})
