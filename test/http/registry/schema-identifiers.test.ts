// Tools whose schemas have identifiers (`Type.Recursive`, `$id`, `$anchor`, `$dynamicRef`): each reader
// of a listed schema follows their references, and a reload announces nothing.
import { Validator } from '@cfworker/json-schema'
import { scope } from 'arktype'
import t from 'tap'
import { z } from 'zod'
import { parseArguments } from '../../../packages/cli/src/client/arguments.ts'
import { findRefusals } from '../../../packages/cli/src/doctor/checks/definitions.ts'
import { formatSignature } from '../../../packages/json-schema/src/signature.ts'
import { defineTool, Type } from '../../../src/index.ts'
import { build, call, callTool } from '../../support/app.ts'
import { plain } from '../../support/plain.ts'
import { serve } from '../../support/tools-folder.ts'

const Node = Type.Recursive(self =>
  Type.Object({
    count: Type.Integer(),
    tag: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
    below: Type.Optional(self),
  }),
)
const count = { $dynamicAnchor: 'count', type: 'integer' }
const size = { $id: 'https://a.example/size.json', type: 'integer' }

/** Input schemas with an integer at `node.count`, behind a reference. */
const SCHEMAS: Readonly<Record<string, object>> = {
  recursive: Type.Object({ node: Node, other: Type.Optional(Node) }),
  id: {
    type: 'object',
    $id: 'https://a.example/args',
    properties: { node: { type: 'object', properties: { count: { $ref: 'size.json' } }, required: ['count'] } },
    required: ['node'],
    $defs: { size },
  },
  anchor: {
    type: 'object',
    properties: { node: { $ref: '#node' } },
    required: ['node'],
    $defs: { n: { $anchor: 'node', type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] } },
  },
  dynamic: {
    type: 'object',
    properties: { node: { type: 'object', properties: { count: { $dynamicRef: '#count' } }, required: ['count'] } },
    required: ['node'],
    $defs: { count },
  },
  module: Type.Module({
    Args: Type.Object({ node: Type.Ref('Node') }),
    Node: Type.Object({ count: Type.Integer(), below: Type.Optional(Type.Ref('Node')) }),
  }).Import('Args'),
}

const handler = (args: unknown) => JSON.stringify(args)
const tools = Object.entries(SCHEMAS).map(([name, inputSchema]) =>
  defineTool({ name, description: 'Counts.', inputSchema: inputSchema as never, handler }),
)
const right = { node: { count: 3 } }
const wrong = { node: { count: 'x' } }

t.test('calls are checked as before', async t => {
  const app = await build(t, { tools })

  for (const name of Object.keys(SCHEMAS)) {
    t.match(await callTool(app, name, right), { content: [{ text: JSON.stringify(right) }] }, name)
    t.match(await callTool(app, name, wrong), { isError: true, content: [{ text: /node\.count/ }] }, name)
  }
})

t.test('an argument that is sent in a header, too, may be what references lead to', async t => {
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  for (const inputSchema of [
    { properties: { region: { ...region, $anchor: 'r' }, other: { $ref: '#r' } } },
    { $id: 'https://a.example/b', properties: { region, other: { $ref: '#/properties/region' } } },
    { properties: { region, other: { $ref: '#/properties/region' }, third: { $anchor: 'c' } } },
  ]) {
    const app = await build(t, {
      tools: [defineTool({ name: 'a', inputSchema: { type: 'object', ...inputSchema } as never, handler })],
    })
    const [{ inputSchema: listed }] = (await call(app, 'tools/list')).result.tools

    t.strictSame(listed.properties.region, region)
    t.strictSame(listed.properties.other, { $ref: '#/properties/region' })
    const args = { region: 'x', other: 'y' }
    const headers = { 'mcp-param-region': 'x' }
    t.match(await callTool(app, 'a', args, { headers }), { content: [{ text: JSON.stringify(args) }] })
  }
})

t.test('a schema that would become too large or too deep is served as it is', async t => {
  const anchored = Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [`a${index}`, { $anchor: `n${index}` }]),
  )
  const anyOf = Object.keys(anchored).map((_, index) => ({ $ref: `#n${index}` }))
  let deep: object = { $anchor: 'deep', type: 'string' }
  for (let depth = 0; depth < 30; depth++) deep = { not: deep }
  deep = { $anchor: 'top', ...deep }
  for (const schema of [
    { properties: anchored, anyOf },
    { not: deep, anyOf: [{ $ref: '#top' }] },
  ]) {
    const tool = defineTool({ name: 'a', inputSchema: { type: 'object', ...schema } as never, handler })
    t.match(await callTool(await build(t, { tools: [tool] }), 'a', {}), { content: [{}] })
  }
})

t.test('the page checks them, and doctor and the signature read them', async t => {
  const { result } = await call(await build(t, { tools }), 'tools/list')

  for (const tool of result.tools) {
    const validator = new Validator(tool.inputSchema, '2020-12')
    t.ok(validator.validate(right).valid, tool.name)
    t.notOk(validator.validate(wrong).valid, tool.name)
    t.strictSame(findRefusals(tool), [], tool.name)
    t.match(formatSignature(tool), /^\w+\(node: \{ count: integer\b/)
  }
})

/** Input schemas with a text `a` behind a reference. */
const TEXTS: Readonly<Record<string, object>> = {
  id: { properties: { a: { $ref: 'text' } }, $defs: { t: { $id: 'text', type: 'string' } } },
  anchor: { properties: { a: { $ref: '#text' } }, $defs: { t: { $anchor: 'text', type: 'string' } } },
  dynamic: { properties: { a: { $dynamicRef: '#text' } }, $defs: { t: { $dynamicAnchor: 'text', type: 'string' } } },
}

t.test('forms and the command line know the types behind references: a text of digits stays one', async t => {
  const texts = Object.entries(TEXTS).map(([name, schema]) =>
    defineTool({ name, inputSchema: { type: 'object', ...schema } as never, handler }),
  )
  const app = await build(t, { tools: texts, plainHttp: true })
  const { result } = await call(app, 'tools/list')

  for (const { name, inputSchema } of result.tools) {
    const { body } = await plain(app, `/tools/${name}`, { form: 'a=3' })
    t.strictSame(body, { a: '3' }, name)
    t.strictSame(parseArguments(['a=3'], inputSchema), { a: '3' }, name)
  }
})

t.test('a reload announces no change, whatever numbers a library gives', async t => {
  const text = `import { defineTool, Type } from 'toolrack'
const tree = Type.Recursive(self => Type.Object({ below: Type.Array(self) }))
export default defineTool({ name: 'a', inputSchema: Type.Object({ tree }), outputSchema: tree, handler: () => ({ below: [] }) })
`
  const { app, write, announced } = await serve(t, { 'a.ts': text })
  const list = async () => JSON.stringify((await call(app, 'tools/list')).result)
  const before = await list()

  write({ 'a.ts': `${text}// another version` })
  await app.toolrack.reload()

  t.equal(await list(), before)
  t.equal(await announced(), 0)
})

t.test('recursive types of ArkType have the same names each time they are made', async t => {
  const list = async () => {
    const { node } = scope({ node: { 'next?': 'node', all: 'leaf[]' }, leaf: { x: 'node|string' } }).export()
    const app = await build(t, { tools: [defineTool({ name: 'a', inputSchema: node as never, handler })] })
    return (await call(app, 'tools/list')).result.tools[0].inputSchema
  }
  const first = await list()

  t.strictSame(await list(), first)
  t.strictSame(Object.keys(first.$defs).sort(), ['intersection1', 'intersection2', 'intersection3', 'union1'])
  t.ok(new Validator(first, '2020-12').validate({ all: [{ x: { all: [{ x: 'a' }] } }] }).valid)
  t.notOk(new Validator(first, '2020-12').validate({ all: [{ x: { all: [{ x: 1 }] } }] }).valid)
})

t.test('a reference that leads out of the schema is refused, with its place and what to write', async t => {
  for (const [schema, place] of [
    [{ properties: { a: { $ref: 'https://a.example/other' } } }, '#/properties/a/$ref: "https://a.example/other"'],
    [{ $id: 'https://a.example/b', items: { $ref: 'c.json' } }, '#/items/$ref: "c.json"'],
    [{ $defs: { a: { $dynamicRef: 'x#b' } } }, '#/$defs/a/$dynamicRef: "x#b"'],
  ] as const) {
    const tool = defineTool({ name: 'a', inputSchema: { type: 'object', ...schema } as never, handler })
    await t.rejects(build(t, { tools: [tool] }), {
      message: `tool "a": inputSchema: ${place} is not local; nothing is fetched: write the schema into $defs, and refer to #/$defs/NAME`,
    })
  }
  const broken = defineTool({
    name: 'a',
    inputSchema: { type: 'object', properties: { a: { $ref: '#nobody' } } } as never,
    handler,
  })
  await t.rejects(build(t, { tools: [broken] }), { message: /#\/properties\/a\/\$ref: "#nobody" leads to no schema/ })
})

t.test('an argument that is a JSON Schema is checked as one, and listed without a reference elsewhere', async t => {
  for (const $schema of ['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#']) {
    const inputSchema = { $schema, type: 'object', properties: { rows: { $ref: $schema } } }
    const app = await build(t, { tools: [defineTool({ name: 'a', description: 'Makes rows.', inputSchema, handler })] })
    const [tool] = (await call(app, 'tools/list')).result.tools

    t.match(await callTool(app, 'a', { rows: { type: 'string' } }), {
      content: [{ text: '{"rows":{"type":"string"}}' }],
    })
    t.match(await callTool(app, 'a', { rows: { type: 'text' } }), { isError: true })
    t.strictSame(findRefusals(tool), [])
    t.notMatch(JSON.stringify(tool.inputSchema.properties), /json-schema\.org/)
  }
})

t.test('named schemas of Zod are listed by their names', async t => {
  const Cat = z.object({ a: z.string() }).meta({ $id: 'https://a.example/cat', $anchor: 'cat' })
  const { result } = await call(
    await build(t, { tools: [defineTool({ name: 'a', inputSchema: z.object({ one: Cat, other: Cat }), handler })] }),
    'tools/list',
  )

  t.notMatch(JSON.stringify(result), /\$(?:id|anchor)/)
})
