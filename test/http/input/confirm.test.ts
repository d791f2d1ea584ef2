// `ctx.confirm`: the client asks its user, or the model has to, and brings a confirmation that counts once.
import type { Client } from '@modelcontextprotocol/client'
import t, { type Test } from 'tap'
import { testTools } from '../../../packages/testing/src/index.ts'
import { defineTool, type ServerOptions, type ToolDefinition, Type } from '../../../src/index.ts'
import { type App, build, call, callTool } from '../../support/app.ts'
import { ALICE, bearer, RESOURCE, SECRET } from '../../support/auth/guarded.ts'
import { connectMode, MODES } from '../../support/clients/connect-mode.ts'
import { tempFolder } from '../../support/tools-folder.ts'

const WITHOUT_ELICITATION = { sampling: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }

const cancelled: number[] = []
const cancel = defineTool({
  name: 'cancel_order',
  inputSchema: Type.Object({ id: Type.Integer() }, { additionalProperties: false }),
  async handler({ id }, ctx) {
    await ctx.confirm(`Cancel order ${id}?`)
    cancelled.push(id)
    return `Order ${id} is cancelled.`
  },
})

for (const { name, mode } of MODES) {
  t.test(`client 2.x, ${name}, asks its user`, async t => {
    let action: 'accept' | 'decline' | 'cancel' = 'accept'
    const asked: unknown[] = []
    const { client } = await connectMode(
      t,
      { tools: [cancel] },
      {
        mode,
        capabilities: { elicitation: {} },
        prepare: client =>
          client.setRequestHandler('elicitation/create', ({ params }) => {
            asked.push(params.message)
            return { action, content: {} }
          }),
      },
    )

    t.match(await client.callTool({ name: 'cancel_order', arguments: { id: 1 } }), {
      content: [{ text: 'Order 1 is cancelled.' }],
    })
    for (action of ['decline', 'cancel'] as const)
      t.match(await client.callTool({ name: 'cancel_order', arguments: { id: 2 } }), {
        isError: true,
        content: [{ text: 'The user has not agreed: Cancel order 2?' }],
      })
    t.strictSame(asked, ['Cancel order 1?', 'Cancel order 2?', 'Cancel order 2?'])
    t.notOk(cancelled.includes(2))
  })

  t.test(`client 2.x, ${name}, without elicitation: the model brings the confirmation`, async t => {
    const { client } = await connectMode(t, { tools: [cancel] }, { mode })
    const ask = (args: Record<string, unknown>) => client.callTool({ name: 'cancel_order', arguments: args })

    const refused = await ask({ id: 3 })
    const confirmation = confirmationOf(refused)
    t.match(refused, {
      isError: true,
      content: [{ text: /Ask the user: "Cancel order 3\?" If they agree.*same arguments/ }],
    })
    t.match(await ask({ id: 3, confirmation }), { content: [{ text: 'Order 3 is cancelled.' }] })
    t.match(
      await ask({ id: 3, confirmation }),
      { isError: true, content: [{ text: /needs the consent/ }] },
      'it counts once',
    )
  })
}

for (const { name, mode } of MODES) {
  t.test(`client 2.x, ${name}, accepts without content, since the form has no field`, async t => {
    const { path } = tempFolder(t, {
      'cancel.mjs': ['shared', 'isolated']
        .map(
          name => `export const ${name} = { name: '${name}', isolate: ${name === 'isolated'}, handler: async (_args, ctx) => {
  await ctx.confirm('Sure?')
  const optional = { type: 'object', properties: { note: { type: 'string' } } }
  const { action } = await ctx.elicit('note', { message: 'A note?', requestedSchema: optional })
  return action
} }`,
        )
        .concat('export default [shared, isolated]')
        .join('\n'),
    })
    const asked: unknown[] = []
    const { client } = await connectMode(
      t,
      { toolsDir: path },
      {
        mode,
        capabilities: { elicitation: {} },
        prepare: client =>
          client.setRequestHandler('elicitation/create', ({ params }) => {
            asked.push(params.message)
            return { action: 'accept' }
          }),
      },
    )

    for (const name of ['shared', 'isolated'])
      t.match(await client.callTool({ name }), { content: [{ text: 'accept' }] }, name)
    t.strictSame(asked, ['Sure?', 'A note?', 'Sure?', 'A note?'])
  })

  t.test(`client 2.x, ${name}, is asked a long question, which is cut in the middle of a character`, async t => {
    const emoji = defineTool({
      name: 'emoji',
      description: 'Asks.',
      async handler(_args, ctx) {
        await ctx.confirm(`${'x'.repeat(79)}😀${'y'.repeat(100)}`)
        await ctx.confirm('half \ud83d')
        return 'done'
      },
    })
    const prepare = (client: Client) =>
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }))
    const { client } = await connectMode(t, { tools: [emoji] }, { mode, capabilities: { elicitation: {} }, prepare })

    t.match(await client.callTool({ name: 'emoji' }), { content: [{ text: 'done' }] })
  })
}

function confirmationOf(result: unknown): string {
  const text = JSON.stringify((result as { content: { text: string }[] }).content[0]!.text)
  return /confirmation\.[A-Za-z0-9_.-]+/.exec(text)![0]
}

async function guarded(t: Test, tools: ServerOptions['tools'], options: ServerOptions = {}): Promise<App> {
  return build(t, { publicUrl: RESOURCE, tools, ...options, jwt: { secret: SECRET, ...options.jwt } })
}

t.test('a confirmation is for one caller, one tool and one set of arguments', async t => {
  const twin = { ...cancel, name: 'cancel_twin' }
  const app = await guarded(t, [cancel, twin])
  const ask = (args: object, headers = ALICE, name = 'cancel_order') => callTool(app, name, args, { headers })
  const confirmation = confirmationOf(await ask({ id: 4 }))
  const missing = { isError: true, content: [{ text: /needs the consent/ }] }

  t.match(await ask({ id: 5, confirmation }), missing)
  t.match(await ask({ id: 4, confirmation }, bearer('read', { sub: 'bob' })), missing)
  t.match(await ask({ id: 4, confirmation }, ALICE, 'cancel_twin'), missing)
  t.match(await ask({ id: 4, confirmation: `${confirmation}x` }), missing)
  t.match(await ask({ id: 4, confirmation: 'confirmation.yes' }), missing)
  t.match(await ask({ id: 4, confirmation: true }), { isError: true, content: [{ text: /^Invalid arguments/ }] })
  t.match(await ask({ confirmation, id: 4 }), { content: [{ text: 'Order 4 is cancelled.' }] })
})

t.test('a confirmation of the second question answers the first one too', async t => {
  const both = defineTool({
    name: 'both',
    async handler(_args, ctx) {
      await ctx.confirm('First?')
      await ctx.confirm('Second?')
      return 'done'
    },
  })
  const app = await build(t, { tools: [both] })

  const first = confirmationOf(await callTool(app, 'both'))
  const second = await callTool(app, 'both', { confirmation: first })
  t.match(second, { isError: true, content: [{ text: /"Second\?"/ }] })
  t.match(await callTool(app, 'both', { confirmation: confirmationOf(second) }), { content: [{ text: 'done' }] })
})

t.test('a refusal has a bound, however many and however long the questions are', async t => {
  const rows = Array.from({ length: 40 }, (_, row) => `${'Delete '.repeat(10_000)} row ${row}?`)
  const many = defineTool({
    name: 'many',
    async handler(_args, ctx) {
      await Promise.all(rows.map(row => ctx.confirm(row)))
      return 'done'
    },
  })
  const app = await build(t, { tools: [many] })

  const first = await callTool(app, 'many')
  const second = await callTool(app, 'many', { confirmation: confirmationOf(first) })

  t.ok(JSON.stringify(first).length < 32_000)
  t.match(await callTool(app, 'many', { confirmation: confirmationOf(second) }), { content: [{ text: 'done' }] })
})

t.test('a handler that swallows the refusal is refused all the same', async t => {
  const careless = defineTool({
    name: 'careless',
    async handler(_args, ctx) {
      await ctx.confirm('Sure?').catch(() => {})
      return 'done'
    },
  })
  const app = await build(t, { tools: [careless] })

  t.match(await callTool(app, 'careless'), { isError: true, content: [{ text: /needs the consent/ }] })
})

t.test('with an idempotency key, the refusal is not the first result', async t => {
  const confirmation = Type.Optional(Type.String())
  const declaring = { ...cancel, inputSchema: Type.Object({ id: Type.Integer(), confirmation }) }
  for (const [id, tool] of [cancel, declaring].entries()) {
    const app = await build(t, { tools: [{ ...tool, idempotency: true } as ToolDefinition] })
    const args = { id: 60 + id, idempotencyKey: '1' }
    const confirmation = confirmationOf(await callTool(app, 'cancel_order', args))

    // The model may leave the confirmation out when it calls again.
    for (const given of [{ confirmation }, { confirmation }, {}])
      t.match(await callTool(app, 'cancel_order', { ...args, ...given }), {
        content: [{ text: `Order ${args.id} is cancelled.` }],
      })
    t.equal(cancelled.filter(each => each === args.id).length, 1)
  }
})

t.test('a tool that takes any argument keeps its own of that name', async t => {
  const any = defineTool({ name: 'any', inputSchema: { type: 'object' }, handler: args => JSON.stringify(args) })
  const app = await build(t, { tools: [any] })

  t.match(await callTool(app, 'any', { confirmation: 'A4711' }), { content: [{ text: '{"confirmation":"A4711"}' }] })
})

t.test('an isolated tool confirms in the same way', async t => {
  const { path } = tempFolder(t, {
    'isolated.mjs': `export default {
  name: 'isolated',
  isolate: true,
  handler: async (_args, ctx) => { await ctx.confirm('Sure?'); return 'done' },
}`,
  })
  const app = await build(t, { toolsDir: path })
  const confirmation = confirmationOf(await callTool(app, 'isolated'))

  t.match(await callTool(app, 'isolated', { confirmation }), { content: [{ text: 'done' }] })
})

t.test('the question is told as it is, also with a path, and blanks around the confirmation do not count', async t => {
  const remove = defineTool({
    name: 'remove',
    inputSchema: Type.Object({ path: Type.String() }),
    async handler({ path }, ctx) {
      await ctx.confirm(`Delete ${path}?`)
      return 'deleted'
    },
  })
  const app = await build(t, { tools: [remove] })
  const args = { path: '/home/ann/report.txt' }

  const refused = await callTool(app, 'remove', args)

  t.match(refused.content[0].text, '"Delete /home/ann/report.txt?"')
  const confirmation = ` ${confirmationOf(refused)}\n`
  t.match(await callTool(app, 'remove', { ...args, confirmation }), { content: [{ text: 'deleted' }] })
})

t.test('a tool may declare the argument, of any type, and does not get the confirmation', async t => {
  for (const own of [Type.String(), Type.String({ maxLength: 20 }), Type.Boolean()]) {
    const echo = defineTool({
      name: 'echo',
      description: 'Returns its arguments.',
      inputSchema: Type.Object({ id: Type.Integer(), confirmation: Type.Optional(own) }),
      async handler(args, ctx) {
        await ctx.confirm('Sure?')
        return JSON.stringify(args)
      },
    })
    const app = await build(t, { tools: [echo] })
    const confirmation = confirmationOf(await callTool(app, 'echo', { id: 7 }))

    t.match(await callTool(app, 'echo', { id: 7, confirmation }), { content: [{ text: '{"id":7}' }] })
  }
})

t.test('a tool that requires an argument of that name is told so, whatever its client can', async t => {
  const inputSchema = Type.Object({ id: Type.Integer(), confirmation: Type.Boolean() })
  const app = await build(t, { tools: [defineTool({ ...cancel, inputSchema })] })
  const text = /^confirm: cancel_order requires an argument confirmation of its own, .*; give it another name$/

  for (const capabilities of [{}, { elicitation: {} }])
    t.match(await callTool(app, 'cancel_order', { id: 7, confirmation: true }, { capabilities }), {
      isError: true,
      content: [{ text }],
    })
})

t.test('a handler that does not wait for the answer is refused', async t => {
  const hasty = defineTool({
    name: 'hasty',
    handler(_args, ctx) {
      void ctx.confirm('Sure?')
      return 'done'
    },
  })
  const app = await build(t, { tools: [hasty] })

  t.match(await callTool(app, 'hasty'), { isError: true, content: [{ text: /needs the consent/ }] })
})

for (const task of ['forbidden', 'required'] as const) {
  t.test(`the consent holds for the later rounds of a call, task ${task}`, async t => {
    const draft = defineTool({
      name: 'draft',
      task,
      async handler(_args, ctx) {
        await ctx.confirm('Write a letter?')
        await ctx.sample('letter', { messages: [], maxTokens: 10 })
        await ctx.confirm('Send it?')
        return 'sent'
      },
    })
    const letter = { role: 'assistant' as const, content: { type: 'text' as const, text: 'Hello' }, model: 'm' }
    const tools = await testTools(draft, { answers: { letter }, capabilities: WITHOUT_ELICITATION })
    t.teardown(() => tools.close())

    const first = confirmationOf(await tools.call('draft'))
    const second = confirmationOf(await tools.call('draft', { confirmation: first }))

    t.match(await tools.call('draft', { confirmation: second }), { text: 'sent' })
    t.match(await tools.call('draft', { confirmation: second }), { isError: true, text: /needs the consent/ })
  })
}

t.test('an answer that was not asked for is no consent', async t => {
  const app = await build(t, { tools: [cancel] })
  for (const action of ['accept', 'decline']) {
    const { result } = await call(app, 'tools/call', {
      name: 'cancel_order',
      arguments: { id: 8 },
      inputResponses: { 'Cancel order 8?': { action }, '': { id: 'x' } },
    })

    t.match(result, { isError: true, content: [{ text: /needs the consent/ }] }, action)
  }
  t.notOk(cancelled.includes(8))
})

t.test('without a text there is nothing to confirm', async t => {
  const empty = defineTool({ name: 'empty', handler: (_args, ctx) => ctx.confirm('') })
  const app = await build(t, { tools: [empty] })

  t.match(await callTool(app, 'empty'), { isError: true, content: [{ text: /confirm needs the question/ }] })
  t.equal((await call(app, 'tools/list')).result.tools.length, 1)
})
