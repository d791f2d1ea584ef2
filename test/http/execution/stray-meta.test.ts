// A `_meta` that a client puts among the arguments, beside that of the request.
import { type } from 'arktype'
import t from 'tap'
import { defineTool, Type } from '../../../src/index.ts'
import { build, call, callTool } from '../../support/app.ts'
import { open } from '../../support/client/app-client.ts'

const _meta = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
const told = (args: unknown) => JSON.stringify(args)
const strict = { additionalProperties: false }
const tools = [
  defineTool({ name: 'none', handler: told }),
  defineTool({ name: 'closed', inputSchema: Type.Object({ a: Type.Number() }, strict), handler: told }),
  defineTool({ name: 'open', inputSchema: Type.Object({ a: Type.Number() }), handler: told }),
  defineTool({
    name: 'declares',
    inputSchema: Type.Object({ _meta: Type.Object({ id: Type.String() }, strict) }, strict),
    handler: told,
  }),
  defineTool({
    name: 'nested',
    inputSchema: Type.Object({ inner: Type.Object({ a: Type.Number() }, strict) }, strict),
    handler: told,
  }),
  defineTool({ name: 'patterns', inputSchema: type({ '[/^x-/]': 'number', '+': 'reject' }), handler: told }),
  defineTool({ name: 'anyName', inputSchema: type({ '[/^[_x]/]': 'unknown', '+': 'reject' }), handler: told }),
  defineTool({ name: 'job', inputSchema: Type.Object({ a: Type.Number() }, strict), task: 'optional', handler: told }),
  defineTool({
    name: 'asks',
    inputSchema: Type.Object({ a: Type.Number() }, strict),
    async handler(args, ctx) {
      const { action } = await ctx.elicit('a', {
        message: 'Go on?',
        requestedSchema: { type: 'object', properties: {} },
      })
      return `${action} ${told(args)}`
    },
  }),
]

const SERVED: [name: string, args: object, seen: object][] = [
  ['none', { _meta }, {}],
  ['closed', { a: 1, _meta }, { a: 1 }],
  ['closed', { _meta: null, a: 1 }, { a: 1 }],
  ['open', { a: 1, _meta }, { a: 1, _meta }],
  ['declares', { _meta: { id: 'x' } }, { _meta: { id: 'x' } }],
  ['patterns', { 'x-a': 1, _meta }, { 'x-a': 1 }],
  ['anyName', { x: 1, _meta }, { x: 1, _meta }],
  ['job', { a: 1, _meta }, { a: 1 }],
]

for (const [name, args, seen] of SERVED) {
  t.test(`${name} with ${told(args)} gets ${told(seen)}`, async t => {
    const app = await build(t, { tools })
    const client = await open(t, app)

    t.match(await callTool(app, name, args), { content: [{ text: told(seen) }] })
    t.match((await client.callTool(name, args)).result, { content: [{ text: told(seen) }] })
  })
}

const REFUSED: [name: string, args: object, text: RegExp][] = [
  ['closed', { a: 'x', _meta }, /^Invalid arguments for closed: a [^;]+$/],
  ['closed', { a: 1, _meta, b: 2 }, /: [^;]*b[^;]*$/],
  ['closed', { a: 1, _Meta: {} }, /_Meta/],
  ['declares', { _meta: { id: 1 } }, /_meta/],
  ['nested', { inner: { a: 1, _meta } }, /_meta/],
]

for (const [name, args, text] of REFUSED) {
  t.test(`${name} with ${told(args)} is refused, for what is wrong with it`, async t => {
    const result = await callTool(await build(t, { tools }), name, args)

    t.equal(result.isError, true)
    t.match(result.content[0].text, text)
  })
}

t.test('a call that is repeated with an answer may come with another trace', async t => {
  const app = await build(t, { tools })
  const able = { capabilities: { elicitation: {} } }
  const asked = await call(app, 'tools/call', { name: 'asks', arguments: { a: 1, _meta } }, able)
  const { requestState } = asked.result

  const reply = await call(
    app,
    'tools/call',
    {
      name: 'asks',
      arguments: { a: 1, _meta: { traceparent: 'another' } },
      requestState,
      inputResponses: { a: { action: 'accept', content: {} } },
    },
    able,
  )

  t.match(reply.result, { content: [{ text: 'accept {"a":1}' }] })
})

t.test('the _meta of the request itself stays, and so do its tasks', async t => {
  const tool = defineTool({ name: 'meta', handler: (_args, { meta }) => told(meta['traceparent']) })
  const client = await open(t, await build(t, { tools: [tool] }))

  const { result } = await client.callTool('meta', { _meta: { traceparent: 'other' } }, { _meta })

  t.equal(result.content[0].text, told(_meta.traceparent))
})
