// A body that is not one well-formed JSON-RPC message within the limits never reaches a tool.
import t, { type Test } from 'tap'
import { MAX_JSON_DEPTH, MAX_JSON_MEMBERS, parseJson } from '../../../src/protocol/json.ts'
import type { App } from '../../support/app.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'
import { attack, echoCall, recorder, target } from '../../support/security/probe.ts'

/** Sends each body and expects the one refusal; nothing may reach the tool. */
async function refuses(
  t: Test,
  {
    app,
    bodies,
    status = 400,
    code,
  }: { app: App; bodies: Record<string, string | Buffer>; status?: number; code: number },
) {
  for (const [name, body] of Object.entries(bodies)) {
    const got = await attack(app, { body })
    t.match({ status: got.status, code: got.message?.error?.code }, { status, code }, name)
  }
}

async function withEcho(t: Test) {
  const { tool, received } = recorder()
  return { app: await target(t, { tools: [tool] }), received }
}

/** A right call with one piece of its text replaced. */
const tampered = (from: string, to: string) => {
  const text = echoCall()
  if (!text.includes(from)) throw new Error(`${from} is not in ${text}`)
  return text.replace(from, to)
}

/** A call whose whole message is nested `depth` deep: the object, params, arguments, then arrays. */
const nested = (depth: number) =>
  echoCall({ message: '#' }).replace('"#"', '['.repeat(depth - 3) + ']'.repeat(depth - 3))

t.test('A1, A2: broken JSON and an empty body are parse errors in the shape of JSON-RPC', async t => {
  const { app, received } = await withEcho(t)

  await refuses(t, { app, bodies: { broken: '{"jsonrpc":', empty: '', blank: ' \n', text: 'hello' }, code: -32700 })

  t.same(received, [])
})

t.test('A3: 100,000 open brackets are refused before JSON.parse', async t => {
  const { app } = await withEcho(t)
  const parse = t.intercept(JSON, 'parse')
  const body = Buffer.from('['.repeat(100_000))

  t.throws(() => parseJson(body), { code: -32600 })

  t.same(parse(), [])
  await refuses(t, { app, bodies: { arrays: body, objects: '{"a":'.repeat(100_000) }, code: -32600 })
})

t.test('A4: a message may nest 64 deep, and not 65', async t => {
  const { app, received } = await withEcho(t)

  const deepest = await attack(app, { body: nested(MAX_JSON_DEPTH) })

  t.match(deepest, { status: 200, message: { result: {} } })
  t.equal(received.length, 1)
  await refuses(t, { app, bodies: { deeper: nested(MAX_JSON_DEPTH + 1) }, code: -32600 })
  t.equal(received.length, 1)
})

t.test('A6: half a million elements are refused by their number, in a small answer and without blocking', async t => {
  const { app, received } = await withEcho(t)
  const body = echoCall({ message: '#' }).replace('"#"', `[${'0,'.repeat(511_000)}0]`)

  const elapsedMs = cpuMsOf(() => t.throws(() => parseJson(Buffer.from(body)), { code: -32600 }))

  const got = await attack(app, { body })
  t.match(got, { status: 400, message: { error: { code: -32600 } } })
  t.ok(got.text.length <= 1024)
  t.ok(elapsedMs < 50, `${elapsedMs} ms`)
  t.same(received, [])
})

t.test('A6: as many elements as may be, all of them wrong, give ten faults and a small answer', async t => {
  const { tool } = recorder()
  const strict = {
    ...tool,
    name: 'strict',
    inputSchema: { type: 'object', properties: { items: { type: 'array', items: { type: 'object' } } } },
  }
  const app = await target(t, { tools: [strict] })
  const body = echoCall({ items: Array(MAX_JSON_MEMBERS - 50).fill(0) }).replace('"echo"', '"strict"')

  const got = await attack(app, { body, headers: { 'mcp-name': 'strict' } })

  t.match(got, { status: 200, message: { result: { isError: true } } })
  t.ok(got.text.length <= 1024)
})

t.test('A7: a key that comes twice is refused, since a router in front may read the first', async t => {
  const { app, received } = await withEcho(t)

  const bodies = {
    method: tampered('"method":', '"method":"tools/list","method":'),
    escaped: tampered('"method":', '"\\u006dethod":"tools/list","method":'),
    name: tampered('"name":', '"name":"probe","name":'),
    id: tampered('"id":1', '"id":2,"id":1'),
    argument: tampered('"message":', '"message":"y","message":'),
    meta: tampered('"_meta":', '"_meta":{},"_meta":'),
  }

  await refuses(t, { app, bodies, code: -32600 })
  t.same(received, [])
})

t.test('A8: members are named letter for letter', async t => {
  const { app, received } = await withEcho(t)

  const bodies = {
    Method: tampered('"method"', '"Method"'),
    PARAMS: tampered('"params"', '"PARAMS"'),
    both: tampered('"method":', '"Method":"tools/list","method":'),
    Id: tampered('"id":1', '"Id":1,"id":1'),
    JSONRPC: tampered('"jsonrpc"', '"JSONRPC":"1.0","jsonrpc"'),
    'a long s, which some readers take for an s': tampered('"params"', '"param\u017f":{"name":"probe"},"params"'),
  }

  await refuses(t, { app, bodies, code: -32600 })
  t.same(received, [])
})

t.test('A9: keys that name a prototype are refused anywhere, escaped or not', async t => {
  const { app, received } = await withEcho(t)

  const keys = {
    arguments: tampered('"message":"x"', '"__proto__":{"admin":true}'),
    nested: tampered('"x"', '[{"a":{"__proto__":{"admin":true}}}]'),
    escaped: tampered('"message":"x"', '"\\u005f_proto__":{"admin":true}'),
    number: tampered('"message":"x"', '"__proto__":1'),
    constructor: tampered('"message":"x"', '"constructor":{"prototype":{"admin":true}}'),
    'constructor, escaped': tampered('"x"', '{"c\\u006fnstructor":{"prototype":{"admin":true}}}'),
    _meta: tampered('"_meta":{', '"_meta":{"__proto__":{"admin":true},'),
    params: tampered('"params":{', '"params":{"__proto__":{"name":"probe"},'),
    message: tampered('{"jsonrpc"', '{"__proto__":{"id":7},"jsonrpc"'),
    'beside a lone surrogate': tampered('"message":"x"', '"message":"\\ud800","__proto__":{"admin":true}'),
  }

  await refuses(t, { app, bodies: keys, code: -32600 })
  t.equal(({} as { admin?: unknown }).admin, undefined)
  t.same(received, [])
})

t.test('A10: what only JavaScript reads is no JSON', async t => {
  const { app } = await withEcho(t)
  const literals = ['NaN', 'Infinity', '-Infinity', '0x10', '01', '.5', '+1', "'x'", 'undefined', '"a\tb"', '"\\x41"']
  const values = Object.fromEntries(literals.map(each => [each, tampered('"x"', each)]))

  const bodies = {
    ...values,
    'trailing comma': tampered('"x"}', '"x",}'),
    comment: tampered('"x"', '"x"/* c */'),
    'line comment': `${echoCall()}// c`,
    'two values': `${echoCall()} 1`,
  }

  await refuses(t, { app, bodies, code: -32700 })
})

t.test('A17: a byte order mark and bytes that are not UTF-8 are parse errors', async t => {
  const { app, received } = await withEcho(t)
  const [before, after] = echoCall({ message: '#' }).split('#') as [string, string]
  const within = (...bytes: number[]) => Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])

  const bodies = {
    BOM: `\ufeff${echoCall()}`,
    'ff fe': within(0xff, 0xfe),
    'c0 80': within(0xc0, 0x80),
    'surrogate in UTF-8': within(0xed, 0xa0, 0x80),
    cut: within(0xe4, 0xb8),
    'UTF-16': Buffer.from(echoCall(), 'utf16le'),
  }

  await refuses(t, { app, bodies, code: -32700 })
  t.same(received, [])
})
