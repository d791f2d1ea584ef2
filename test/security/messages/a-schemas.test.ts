// Definitions: names, mirrored parameters and schemas that registration refuses.
import http from 'node:http'
import t, { type Test } from 'tap'
import type { ToolDefinition } from '../../../src/index.ts'
import { type App, call, callTool } from '../../support/app.ts'
import { target } from '../../support/security/probe.ts'

type Schema = Record<string, unknown>

/** Registers it, expects a refusal with this text, and that the others are still served. */
async function refuses(t: Test, app: App, definition: Partial<ToolDefinition>, text: RegExp) {
  t.throws(() => app.toolrack.add({ name: 'bad', handler: () => '', ...definition }), { message: text })

  const { result } = await call(app, 'tools/list')
  t.same(
    result.tools.map(({ name }: { name: string }) => name),
    ['probe'],
  )
}

const withParam = (schema: Schema): Schema => ({ type: 'object', properties: { a: schema } })
const mirrored = (name: unknown, type: unknown = 'string') => withParam({ type, 'x-mcp-header': name })

t.test('A38: a tool name is 1 to 128 of A-Za-z0-9_.-', async t => {
  const app = await target(t)

  for (const name of ['', 'a b', 'é', 'a/b', 'a,b', 'a\n', 'x'.repeat(129), '__proto__ ', 'a\0', '\u{e0041}'])
    await refuses(t, app, { name }, /name/)

  for (const name of ['a', 'x'.repeat(128), 'admin.tools.list', 'DATA_EXPORT-v2', '__proto__', 'constructor'])
    t.doesNotThrow(() => app.toolrack.add({ name, handler: () => 'x' }), name)
  t.match(await callTool(app, '__proto__'), { content: [{ text: 'x' }] })
})

t.test('A38: x-mcp-header is a token, unique, and on primitives that are reached through properties', async t => {
  const app = await target(t)
  const two = { a: { type: 'string', 'x-mcp-header': 'Region' }, b: { type: 'string', 'x-mcp-header': 'REGION' } }
  const annotated = { type: 'string', 'x-mcp-header': 'A' }
  const schemas: Schema[] = [
    mirrored('a\rb'),
    mirrored('a\nb'),
    mirrored('a b'),
    mirrored('a:b'),
    mirrored('é'),
    mirrored(''),
    mirrored(7),
    mirrored('A', 'number'),
    mirrored('A', 'object'),
    mirrored('A', 'array'),
    mirrored('A', 'null'),
    mirrored('A', ['string', 'null']),
    withParam({ 'x-mcp-header': 'A' }),
    { type: 'object', 'x-mcp-header': 'A' },
    { type: 'object', properties: two },
    withParam({ type: 'array', items: annotated }),
    withParam({ anyOf: [annotated] }),
    withParam({ not: annotated }),
    withParam({ if: annotated }),
    { type: 'object', $defs: { a: annotated } },
    { type: 'object', additionalProperties: annotated },
    { type: 'object', patternProperties: { '^a': annotated } },
    { type: 'object', oneOf: [{ properties: { a: annotated } }] },
  ]

  for (const inputSchema of schemas) await refuses(t, app, { inputSchema }, /"bad": inputSchema .*x-mcp-header/)

  t.doesNotThrow(() => app.toolrack.add({ name: 'good', inputSchema: mirrored('Region'), handler: () => '' }))
})

t.test('A39: a schema that would fetch, or cost too much, is refused, and nothing is fetched', async t => {
  const app = await target(t)
  let fetched = 0
  const server = http.createServer((_request, response) => void response.end(String(++fetched)))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/schema.json`
  let deep: Schema = { type: 'string' }
  for (let depth = 0; depth < 40; depth++) deep = withParam(deep)
  const wide = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`p${index}`, {}]))

  const schemas: [Schema, RegExp][] = [
    [withParam({ $ref: url }), /#\/properties\/a\/\$ref.*not local/],
    [withParam({ $dynamicRef: url }), /not local/],
    [withParam({ $ref: 'other.json' }), /not local/],
    [withParam({ prefixItems: [{ not: { $ref: url } }] }), /not local/],
    [withParam({ $id: url, $ref: '#/nothing' }), /inputSchema/],
    [withParam({ $ref: '#/$defs/nothing' }), /nothing/],
    [{ $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' }, /\$schema.*not supported/],
    [{ $schema: url, type: 'object' }, /\$schema.*not supported/],
    [{ $schema: 7, type: 'object' }, /\$schema.*not supported/],
    [withParam({ type: 'string', pattern: '(?=(a+)+$)' }), /pattern.*linear time/],
    [withParam({ patternProperties: { '(a*)*\\1': {} } }), /patternProperties.*linear time/],
    [withParam({ type: 'string', pattern: '(' }), /pattern/],
    [{ type: 'object', properties: wide }, /1000 subschemas/],
    [deep, /nested deeper/],
    [withParam({ type: 'strin' }), /type/],
    [{ type: 'object', required: 'a' }, /required/],
    [{ type: 'string' }, /inputSchema is not the schema of an object/],
    [
      {
        type: 'object',
        $schema: 'http://json-schema.org/draft-07/schema#',
        dependencies: { const: { pattern: '(?=(a+)+$)' } },
      },
      /linear time/,
    ],
  ]

  for (const [inputSchema, text] of schemas) await refuses(t, app, { inputSchema }, text)

  t.equal(fetched, 0)
})

t.test('A39: a pattern that would take V8 exponential time holds no call up', async t => {
  const app = await target(t)
  const patterns = ['(a+)+$', '^(a|a)*$', '^(\\w+\\s?)*$', '([a-zA-Z]+)*$', 'a{1000}b']
  const text = `${'a'.repeat(1_000_000)}!`

  for (const [index, pattern] of patterns.entries()) {
    app.toolrack.add({ name: `t${index}`, inputSchema: withParam({ type: 'string', pattern }), handler: () => 'ran' })
    const before = process.threadCpuUsage()
    t.match(await callTool(app, `t${index}`, { a: text }), { isError: true })
    const { user } = process.threadCpuUsage(before)
    t.ok(user < 1_000_000, `${pattern} ${user} µs`)
  }
})
