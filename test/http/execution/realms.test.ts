// Values of another realm, as `node:vm` and Jest make them, are what they seem; instances of classes say what to do.
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { defineResource, defineTool, file, image, json, Type } from '../../../src/index.ts'
import { build, call, callTool } from '../../support/app.ts'
import { everyDoor } from '../../support/every-door.ts'

// Processes of isolated tools start slowly on a busy machine.
t.setTimeout(120_000)

const VM = "import { runInNewContext } from 'node:vm'"
const foreign = (source: string): unknown => runInNewContext(source)

t.test('a plain object of another realm is one, behind every door', async t => {
  const value = '({ total: 3, rows: [{ id: 1 }, structuredClone({ id: 2 })] })'
  const { askAll } = await everyDoor(
    t,
    {
      total: `() => runInNewContext("${value}", { structuredClone })`,
      text: `() => runInNewContext("({ contents: [{ uri: 'test://text', text: 'x' }], messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] })")`,
    },
    { topLevel: VM },
  )

  const { tool, isolated, 'plain HTTP': plain, testing } = await askAll('total')
  for (const text of [tool, isolated, plain, testing]) t.equal(text, '{"total":3,"rows":[{"id":1},{"id":2}]}')
  const { prompt, resource } = await askAll('text')
  t.strictSame([prompt, resource], ['x', 'x'])
})

const INSTANCES: [what: string, source: string, text: string][] = [
  [
    'a row of a database driver',
    '({ rows: [new TextRow()] })',
    'rows.0 is a TextRow, not a plain object: use json(value)',
  ],
  ['a Date', '({ at: new Date(0) })', 'at is a Date, not a plain object: use json(value)'],
  [
    'a Date of another realm',
    "({ at: runInNewContext('new Date(0)') })",
    'at is a Date, not a plain object: use json(value)',
  ],
  ['a Map', '({ by: new Map() })', 'by is a Map, not a plain object: use json(value)'],
  ['a bigint', '({ id: 1n })', 'id is a bigint: use json(value)'],
  [
    'bytes',
    '({ png: Buffer.from("x") })',
    "png is a Buffer, not a plain object: return them by file(), or as toString('base64')",
  ],
  [
    'an error',
    '({ failed: new Error("x") })',
    'failed is an Error, not a plain object: throw it, or return its message',
  ],
  ['a promise', '({ rows: Promise.resolve() })', 'rows is a Promise, not a plain object: await it'],
  ['a RegExp', '({ by: /x/ })', 'by is a RegExp, not a plain object: JSON keeps nothing of it'],
]

t.test('an instance of a class says which it is, and what to write, behind the doors of a tool', async t => {
  const handlers = INSTANCES.map(([, source], row) => [`row${row}`, `() => (${source})`])
  const topLevel = `${VM}\nclass TextRow { id = 1 }`
  const { askAll } = await everyDoor(t, Object.fromEntries(handlers), { topLevel })

  for (const [row, [what, , text]] of INSTANCES.entries()) {
    const { tool, isolated, 'plain HTTP': plain, testing } = await askAll(`row${row}`)
    for (const said of [tool, isolated, plain, testing])
      t.equal(said?.replace(/^row\d+(?:-isolated)?/, ''), ` returned an invalid result: ${text}`, what)
  }
})

t.test('json() writes what an instance points to', async t => {
  class TextRow {
    id = 1
    at = new Date(0)
  }

  t.strictSame(json([new TextRow()]), [{ id: 1, at: '1970-01-01T00:00:00.000Z' }])
  t.strictSame(json(foreign('({ at: new Date(0), by: new Map([[1, new Set([2])]]) })')), {
    at: '1970-01-01T00:00:00.000Z',
    by: { 1: [2] },
  })
  t.throws(() => json(foreign('new Date(NaN)')), { message: 'the value is an invalid date' })
  t.throws(() => json(foreign('[new Uint8Array(1)]')), { message: /^0 is bytes/ })
  t.throws(() => json(foreign('[new Error("x")]')), { message: /^0 is an error/ })
})

t.test('bytes, errors and structured results of another realm are what they seem', async t => {
  const tools = [
    defineTool({ name: 'picture', handler: () => image(foreign('new ArrayBuffer(3)') as ArrayBuffer, 'image/png') }),
    defineTool({
      name: 'file',
      handler: () => file(foreign('new Uint8Array([104, 105]).buffer') as ArrayBuffer, { name: 'a.bin' }),
    }),
    defineTool({
      name: 'structured',
      outputSchema: Type.Object({ n: Type.Number() }),
      handler: () => foreign('({ n: 1 })') as { n: number },
    }),
    defineTool({
      name: 'refuses',
      handler() {
        throw foreign('Object.assign(new Error("try another"), { name: "ToolError" })')
      },
    }),
  ]
  const bytes = defineResource({
    uri: 'test://bytes',
    name: 'bytes',
    handler: () => foreign('new Uint8Array([104, 105])') as Uint8Array,
  })
  const app = await build(t, { tools, resources: [bytes], errorMessages: 'tool-errors' })

  t.match(await callTool(app, 'picture'), { content: [{ type: 'image', data: 'AAAA' }] })
  t.match(await callTool(app, 'file'), { content: [{ resource: { blob: 'aGk=' } }] })
  t.match(await callTool(app, 'structured'), { structuredContent: { n: 1 } })
  t.match(await callTool(app, 'refuses'), { isError: true, content: [{ text: 'try another' }] })
  t.match((await call(app, 'resources/read', { uri: 'test://bytes' })).result, { contents: [{ blob: 'aGk=' }] })
})
