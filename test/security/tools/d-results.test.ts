// A tool returns something that is no result, or too much.
import t from 'tap'
import { audio, defineTool, image, Type } from '../../../src/index.ts'
import { callTool } from '../../support/app.ts'
import { attack, CANARY, failure, rack } from '../../support/security/hostile.ts'

class Price {
  amount = 1
}
const bomb = () => {
  throw new Error(`set off, ${CANARY}`)
}
const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)])
const circular: unknown[] = []
circular.push({ again: circular })

const INVALID: [row: string, what: string, make: () => unknown, text: RegExp][] = [
  ['D9', 'content that is no array', () => ({ content: 'x' }), /invalid result: content must be an array/],
  ['D9', 'content that is null', () => ({ content: null }), /content must be an array/],
  ['D9', 'a text block without text', () => ({ content: [{ type: 'text' }] }), /invalid result: content\.0\.text/],
  ['D9', 'a text block whose text is none', () => ({ type: 'text', text: 5 }), /content\.0\.text/],
  ['D9', 'a block of a kind unheard of', () => ({ content: [{ type: 'video' }] }), /content\.0\.type must be one of/],
  ['D9', 'a block that is null', () => ({ content: [null] }), /content\.0/],
  ['D9', 'a block that is a text', () => ({ content: ['x'] }), /content\.0/],
  ['D9', 'a resource link without a name', () => ({ type: 'resource_link', uri: 'a:b' }), /content\.0\.name/],
  ['D9', 'a resource without contents', () => ({ type: 'resource', resource: { uri: 'a:b' } }), /content\.0\.resource/],
  ['D9', 'isError that is no boolean', () => ({ content: [], isError: 'no' }), /isError must be a boolean/],
  ['D9', '_meta that is no object', () => ({ content: [], _meta: 'x' }), /_meta/],
  ['D9', '_meta that is an array', () => ({ content: [], _meta: [1] }), /_meta/],
  ['D9', 'a function', () => bomb, /\(root\) is a function/],
  ['D9', 'a Symbol', () => Symbol('x'), /\(root\) is a symbol/],
  ['D9', 'a Date', () => new Date(0), /\(root\) is a Date, not a plain object/],
  ['D9', 'a Map', () => new Map([['a', 1]]), /is a Map/],
  ['D9', 'a Set', () => ({ tags: new Set() }), /tags is a Set/],
  ['D9', 'a Buffer', () => Buffer.from('x'), /is a Buffer|is a Uint8Array/],
  ['D9', 'an instance of a class', () => ({ price: new Price() }), /price is a Price/],
  ['D9', 'an Error', () => new Error(CANARY), /is a Error|is an Error/],
  ['D9', 'NaN', () => ({ price: Number.NaN }), /price is NaN/],
  ['D9', 'Infinity', () => [1, Number.POSITIVE_INFINITY], /1 is Infinity/],
  ['D9', 'undefined in an array', () => [undefined], /0 is undefined/],
  ['D9', 'a key that names its prototype', () => JSON.parse('{"__proto__":{"a":1}}'), /prototype/],
  ['D10', 'a BigInt', () => ({ a: { b: 10n } }), /a\.b is a bigint/],
  ['D10', 'a bare BigInt', () => 10n, /\(root\) is a bigint/],
  ['D10', 'a circular value', () => circular, /is circular or nested deeper than 100/],
  ['D10', 'a value that is nested too deeply', () => nested(5000), /is circular or nested deeper than 100/],
  ['D10', 'a toJSON that throws', () => ({ toJSON: bomb }), /toJSON is a function/],
  ['D10', 'a block with a BigInt in its _meta', () => ({ type: 'text', text: 'x', _meta: { a: 1n } }), /is a bigint/],
  [
    'D10',
    'a getter that throws',
    () => ({
      get price() {
        return bomb()
      },
    }),
    /reading it threw an error/,
  ],
  ['D10', 'a proxy that throws at its keys', () => new Proxy({}, { ownKeys: bomb }), /reading it threw an error/],
  ['D10', 'a proxy that throws at everything', () => new Proxy({}, { get: bomb, getPrototypeOf: bomb }), /set off/],
  ['D10', 'a revoked proxy', revoked, /proxy that has been revoked|cannot be read/],
  ['D10', 'a proxy without end', endless, /nested deeper than 100|too large/],
  ['D10', 'an array with a hole of four billion', () => new Array(2 ** 32 - 1), /too large/],
  ['D10', 'an array that says it is endless', () => new Proxy([], { get: lengthOf }), /too large/],
  ['D11', 'a text of 50 MB', () => 'x'.repeat(50_000_000), /returned a result that is too large: over 4194304 bytes/],
  ['D11', 'a million blocks', () => new Array(1_000_000).fill({ type: 'text', text: '' }), /too large/],
  ['D11', 'a million numbers', () => ({ all: new Array(5_000_000).fill(1) }), /too large/],
  ['D11', 'an image of 4 MiB', () => image(new Uint8Array(4 * 1024 * 1024), 'image/png'), /too large/],
  ['D11', 'text that is too large as JSON', () => '"'.repeat(3_000_000), /too large/],
  ['D12', 'an image that is not Base64', () => ({ type: 'image', data: 'not base64!', mimeType: 'image/png' }), /data/],
  ['D12', 'an image of odd Base64', () => ({ type: 'image', data: 'abcde', mimeType: 'image/png' }), /not Base64/],
  ['D12', 'audio that is URL-safe Base64', () => ({ type: 'audio', data: '-_-_', mimeType: 'audio/wav' }), /data/],
  ['D12', 'an image that is a text', () => image(new Uint8Array(3), 'text/plain'), /content\.0\.mimeType/],
  ['D12', 'audio that is an image', () => audio(new Uint8Array(3), 'image/png'), /content\.0\.mimeType/],
  ['D12', 'an image without a mimeType', () => ({ type: 'image', data: 'AAAA' }), /content\.0\.mimeType/],
  [
    'D12',
    'a resource whose blob is not Base64',
    () => ({ type: 'resource', resource: { uri: 'a:b', blob: 'abcde' } }),
    /content\.0/,
  ],
]

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function endless(): unknown {
  return new Proxy({}, { ownKeys: () => ['a', 'b'], getOwnPropertyDescriptor: descriptor, get: endless })
}

const descriptor = (_target: object, key: string) =>
  key === 'a' || key === 'b' ? { enumerable: true, configurable: true } : undefined
const lengthOf = (target: object, key: string) => (key === 'length' ? 2 ** 50 : Reflect.get(target, key))

for (const [row, what, make, text] of INVALID) {
  t.test(`${row}: ${what} that is returned is an invalid result, within a second`, async t => {
    const app = await rack(t, [defineTool({ name: 'odd', handler: make })])

    const reply = await attack(app, 'odd')

    t.match(failure(reply), text)
    t.strictSame(Object.keys(reply.result).sort(), ['_meta', 'content', 'isError', 'resultType'])
  })
}

t.test('D9: undefined, null and a text are results: nothing, JSON, the text', async t => {
  const values = { nothing: undefined, null: null, text: 'x', empty: '' }
  const tools = Object.entries(values).map(([name, value]) => defineTool({ name, handler: () => value }))
  const app = await rack(t, tools)

  t.strictSame((await callTool(app, 'nothing')).content, [])
  t.strictSame((await callTool(app, 'null')).content, [{ type: 'text', text: 'null' }])
  t.strictSame((await callTool(app, 'text')).content, [{ type: 'text', text: 'x' }])
  t.strictSame((await callTool(app, 'empty')).content, [{ type: 'text', text: '' }])
})

t.test('D9: an invalid result is logged with the reason, and never delivered', async t => {
  const app = await rack(t, [defineTool({ name: 'odd', handler: () => ({ content: [{ type: CANARY }] }) })])

  await attack(app, 'odd')

  t.match(
    app.logs.lines.find(({ msg }) => msg === 'tool failed'),
    { tool: 'odd', kind: 'invalid_output', reason: /content\.0\.type must be one of/ },
  )
})

t.test('D11: a result that is refused costs little memory', async t => {
  const half = new Array(500_000).fill({ type: 'text', text: 'x'.repeat(20) })
  const app = await rack(t, [defineTool({ name: 'huge', handler: () => half })])
  const before = process.memoryUsage().rss

  for (let count = 0; count < 5; count++) failure(await attack(app, 'huge'))

  t.ok(process.memoryUsage().rss - before < 200 * 1024 * 1024)
})

t.test('D11: a result just within the bound is delivered, one byte past it is not', async t => {
  const sized = defineTool({
    name: 'sized',
    inputSchema: Type.Object({ length: Type.Integer() }),
    handler: ({ length }) => 'x'.repeat(length),
  })
  const app = await rack(t, [sized], { limits: { maxResultBytes: 10_000 } })
  const frame = JSON.stringify({ resultType: 'complete', content: [{ type: 'text', text: '' }] }).length

  t.notOk((await attack(app, 'sized', { length: 10_000 - frame })).result.isError)
  t.match(failure(await attack(app, 'sized', { length: 10_001 - frame })), 'too large')
})

const output = Type.Object({ price: Type.Number(), currency: Type.String() })
const MISMATCHED: [what: string, value: unknown, text: RegExp][] = [
  ['a wrong type', { price: CANARY, currency: 'EUR' }, /structuredContent price must be number$/],
  ['a missing property', { price: 1 }, /structuredContent currency is required$/],
  ['nothing', undefined, /\(root\) is undefined$/],
  ['null', null, /structuredContent \(root\) must be object$/],
  ['a text', CANARY, /structuredContent \(root\) must be object$/],
  ['a whole result without it', { content: [], isError: false }, /structuredContent is missing/],
  ['a whole result with a wrong one', { content: [], structuredContent: { price: 1 } }, /currency is required$/],
]

for (const [what, value, text] of MISMATCHED) {
  t.test(`D13: ${what} where an outputSchema asks for more is a tool error that names the path only`, async t => {
    const tool = defineTool({ name: 'priced', outputSchema: output, handler: () => value as never })
    const app = await rack(t, [tool])

    const reply = await attack(app, 'priced')

    t.match(failure(reply), text)
    t.notOk('structuredContent' in reply.result)
  })
}

t.test('D13: what is wrong is said in one short line, in which keys show as little as an error does', async t => {
  const named = `/home/me/x\n${CANARY} ${'x'.repeat(5000)}`
  const outputSchema = { type: 'object', additionalProperties: false }
  const app = await rack(t, [defineTool({ name: 'odd', outputSchema, handler: () => ({ [named]: 1 }) })])

  const { text } = (await callTool(app, 'odd')).content[0]

  t.match(text, /^odd returned an invalid result: structuredContent \[path\] \S+ x+…$/)
  t.equal(text.length, 2000)
})

t.test('D13: a tool error needs no structured content', async t => {
  const whole = { content: [{ type: 'text' as const, text: 'sold out' }], isError: true }
  const tool = defineTool({ name: 'priced', outputSchema: output, handler: () => whole })
  const app = await rack(t, [tool])

  t.equal(failure(await attack(app, 'priced')), 'sold out')
})
