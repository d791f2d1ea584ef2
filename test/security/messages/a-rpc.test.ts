// Messages: ids, batches, methods and names, by the rules of JSON-RPC and MCP.
import t from 'tap'
import { defineTool, Type } from '../../../src/index.ts'
import { call, request } from '../../support/app.ts'
import { attack, echoCall, recorder, target } from '../../support/security/probe.ts'

/** A right call of `echo` with its id, or its params, as this text. */
const withId = (id: string) => echoCall().replace('"id":1', `"id":${id}`)
const withParams = (params: string) => echoCall().replace(/"params":\{.*\}$/, `"params":${params}}`)

t.test('A12: an id is a string or an integer, and what cannot be echoed is left out', async t => {
  const { tool, received } = recorder()
  const app = await target(t, { tools: [tool] })

  for (const id of ['null', '1.5', 'true', '{}', '[]', '["1"]', '1e400', '9007199254740993', '-9007199254740993']) {
    const got = await attack(app, { body: withId(id) })

    t.match({ status: got.status, code: got.message?.error?.code }, { status: 400, code: -32600 }, id)
    t.notOk(got.message && 'id' in got.message, `${id} is not echoed`)
  }
  t.same(received, [])
})

t.test('A13: ids are echoed as they came, the empty one and the largest too', async t => {
  const app = await target(t, { tools: [recorder().tool] })

  for (const id of ['', '0', 0, -1, Number.MAX_SAFE_INTEGER, 'x'.repeat(1024), 'é'.repeat(512), '__proto__']) {
    const got = await attack(app, { body: withId(JSON.stringify(id)) })

    t.match({ status: got.status, id: got.message?.id }, { status: 200, id })
  }
})

t.test('A13: a string id has at most 1,024 bytes', async t => {
  const app = await target(t, { tools: [recorder().tool] })

  for (const id of ['x'.repeat(1025), `${'é'.repeat(512)}x`]) {
    const got = await attack(app, { body: withId(JSON.stringify(id)) })

    t.match({ status: got.status, code: got.message?.error?.code }, { status: 400, code: -32600 })
    t.notOk(got.message && 'id' in got.message)
  }
})

t.test('A13: two clients with the same id in flight each get their own answer', async t => {
  const gate = Promise.withResolvers<void>()
  let waiting = 0
  const slow = defineTool({
    name: 'slow',
    inputSchema: Type.Object({ who: Type.String() }),
    async handler({ who }) {
      if (++waiting === 20) gate.resolve()
      await gate.promise
      return who
    },
  })
  const app = await target(t, { tools: [slow] })

  const clients = Array.from({ length: 20 }, (_, index) => `client ${index}`)
  const replies = await Promise.all(
    clients.map(who => call(app, 'tools/call', { name: 'slow', arguments: { who } }, { id: 'same' })),
  )

  t.same(
    replies.map(({ result }) => result.content[0].text),
    clients,
  )
})

t.test('A14: a batch is refused whole', async t => {
  const { tool, received } = recorder()
  const app = await target(t, { tools: [tool] })

  for (const body of [`[${echoCall()}]`, '[]', '[[]]', '[1]', `[${echoCall()},${echoCall()}]`]) {
    const got = await attack(app, { body })

    t.match({ status: got.status, code: got.message?.error?.code }, { status: 400, code: -32600 }, body.slice(0, 20))
  }
  t.same(received, [])
})

t.test('A19: an unknown method is 404 with -32601, whatever it is named', async t => {
  const app = await target(t)
  const methods = [
    'nope',
    '__proto__',
    'constructor',
    'toString',
    'Tools/List',
    'tools/list/',
    'initialize',
    'ping',
    '',
  ]

  for (const method of methods) {
    const { message, headers } = request(method)
    const got = await attack(app, { body: message, headers: { ...headers, 'mcp-name': undefined } })

    t.match({ status: got.status, code: got.message?.error?.code }, { status: 404, code: -32601 }, `"${method}"`)
  }
})

t.test('A20: names of Object.prototype are as unknown as any other', async t => {
  const app = await target(t)
  const names = ['nope', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'PROBE', 'probe ', '']

  for (const name of names) {
    const { message, headers } = request('tools/call', { name, arguments: {} }, { id: 1 })
    const encoded = `=?base64?${Buffer.from(name).toString('base64')}?=`
    const got = await attack(app, { body: message, headers: { ...headers, 'mcp-name': encoded } })

    t.match(got, { status: 200, message: { id: 1, error: { code: -32602, message: `Unknown tool: ${name}` } } })
  }
})

t.test('A21: a notification is answered with 202 and nothing, or refused without an id', async t => {
  const app = await target(t)

  for (const method of ['notifications/x', 'notifications/cancelled', 'notifications/initialized', 'tools/list']) {
    const got = await attack(app, { body: { jsonrpc: '2.0', method }, headers: { 'mcp-method': method } })

    t.match(got, { status: 202, text: '' })
  }
  const refused = await attack(app, { body: { jsonrpc: '2.0', method: 'notifications/x', params: [] } })
  t.match(refused, { status: 400, message: { error: { code: -32600 } } })
  t.notOk(refused.message && 'id' in refused.message)
})

t.test('A22: a response from a client is refused, and not answered by its id', async t => {
  const app = await target(t)
  const answers = [{ result: {} }, { error: { code: 1, message: 'no' } }, { result: { action: 'accept' } }]

  for (const answer of answers) {
    const got = await attack(app, { body: { jsonrpc: '2.0', id: 7, ...answer } })

    t.match(got, { status: 400, message: { error: { code: -32600 } } })
    t.notOk(got.message && 'id' in got.message)
  }
})

t.test('A23: what is no JSON-RPC 2.0 message is an invalid request', async t => {
  const { tool, received } = recorder()
  const app = await target(t, { tools: [tool] })
  const bodies = [
    '42',
    'null',
    '"x"',
    'true',
    '{}',
    echoCall().replace('"2.0"', '"1.0"'),
    echoCall().replace('"2.0"', '2'),
    echoCall().replace('"jsonrpc":"2.0",', ''),
    withParams('[]'),
    withParams('null'),
    withParams('"x"'),
    echoCall().replace('"tools/call"', '7'),
    echoCall().replace('"tools/call"', 'null'),
    echoCall({ message: 'x' }, { result: {} }),
    echoCall({ message: 'x' }, { error: { code: 1, message: '' } }),
  ]

  for (const body of bodies) {
    const got = await attack(app, { body })

    t.match({ status: got.status, code: got.message?.error?.code }, { status: 400, code: -32600 }, body.slice(0, 60))
  }
  t.same(received, [])
})
