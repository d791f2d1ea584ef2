// A definition as it is served: its schemas, its listing, its handler.
import t from 'tap'
import { defineTool, Type } from '../../../src/index.ts'
import { build, call, callTool } from '../../support/app.ts'

const handler = () => 'ok'
const good = defineTool({ name: 'good', handler })

t.test('a tool whose schemas are draft-07 is checked by its rules', async t => {
  const app = await build(t, {
    tools: [
      defineTool({
        name: 'old',
        inputSchema: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          type: 'object',
          definitions: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] } },
          properties: { pair: { $ref: '#/definitions/pair' } },
          dependencies: { a: ['pair'] },
        },
        handler: args => JSON.stringify(args),
      }),
    ],
  })

  t.match(await callTool(app, 'old', { pair: ['a', 1] }), { content: [{ text: '{"pair":["a",1]}' }] })
  t.match(await callTool(app, 'old', { pair: [1, 'a'] }), { isError: true, content: [{ text: /pair\.0.*string/ }] })
  t.match(await callTool(app, 'old', { a: 1 }), { isError: true, content: [{ text: /pair/ }] })
  const { result } = await call(app, 'tools/list')
  t.equal(result.tools[0].inputSchema.$schema, 'http://json-schema.org/draft-07/schema#')
})

t.test('a tool whose schemas are 2020-12, named or not, is checked by its rules', async t => {
  const pair = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] }
  const tool = (name: string, more: object) =>
    defineTool({ name, inputSchema: { type: 'object', properties: { pair }, ...more }, handler })
  const app = await build(t, {
    tools: [tool('plain', {}), tool('named', { $schema: 'https://json-schema.org/draft/2020-12/schema' })],
  })

  for (const name of ['plain', 'named']) {
    t.match(await callTool(app, name, { pair: ['a', 1] }), { content: [{ text: 'ok' }] })
    t.match(await callTool(app, name, { pair: [1, 'a'] }), { isError: true, content: [{ text: /pair\.0/ }] })
  }
})

t.test('tools whose schemas have the same $id do not get in each other’s way', async t => {
  const inputSchema = { $id: 'https://example.com/args', type: 'object', properties: { a: { $ref: '#/$defs/a' } } }
  const tool = (name: string, type: string) =>
    defineTool({ name, inputSchema: { ...inputSchema, $defs: { a: { type } } }, handler })
  const app = await build(t, { tools: [tool('text', 'string'), tool('number', 'number')] })

  t.match(await callTool(app, 'text', { a: 'x' }), { content: [{ text: 'ok' }] })
  t.match(await callTool(app, 'number', { a: 1 }), { content: [{ text: 'ok' }] })
  t.match(await callTool(app, 'number', { a: 'x' }), { isError: true })
})

t.test('a tool without schemas is listed without arguments, and drops what clients send', async t => {
  const app = await build(t, { tools: [good] })

  const { result } = await call(app, 'tools/list')
  t.strictSame(result.tools[0].inputSchema, { type: 'object', additionalProperties: false })
  t.match(await callTool(app, 'good', { a: 1 }), { content: [{ text: 'ok' }] })
})

t.test('a definition is taken as it is when it is registered', async t => {
  const inputSchema = { type: 'object', properties: { a: { type: 'string' } } }
  const definition = defineTool({ name: 'a', inputSchema, handler: () => 'as defined' })
  const app = await build(t, { tools: [definition] })

  inputSchema.properties.a.type = 'number'
  definition.handler = () => 'changed'

  t.match(await callTool(app, 'a', { a: 'text' }), { content: [{ text: 'as defined' }] })
  const { result } = await call(app, 'tools/list')
  t.equal(result.tools[0].inputSchema.properties.a.type, 'string')
})

t.test('what is listed is clean text', async t => {
  const app = await build(t, {
    tools: [
      defineTool({
        name: 'a',
        description: 'Good\u202eevil\u001b[31m\u{e0041}\ttext',
        inputSchema: Type.Object({ b: Type.Optional(Type.String({ description: 'x\u0000y' })) }),
        handler,
      }),
    ],
  })

  const { result } = await call(app, 'tools/list')

  t.equal(result.tools[0].description, 'Goodevil\ttext')
  t.equal(result.tools[0].inputSchema.properties.b.description, 'xy')
})

t.test('a handler keeps its this', async t => {
  const tool = {
    name: 'a',
    greeting: 'hello',
    handler(this: { name: string }) {
      return this.name
    },
  }
  const { greeting: _, ...definition } = tool
  const app = await build(t, { tools: [definition] })

  t.match(await callTool(app, 'a'), { content: [{ text: 'a' }] })
})
