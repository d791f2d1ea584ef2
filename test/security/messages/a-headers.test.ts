// Headers: media types and mirrored metadata. Headers that contradict the body are refused.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { VERSION } from '../../support/app.ts'
import { type Attack, echoCall, recorder, refuses, serves, target } from '../../support/security/probe.ts'

type Headers = NonNullable<Attack['headers']>

const MISMATCH = { status: 400, code: -32020 }

t.test('A15: any media type but application/json in UTF-8 is 415', async t => {
  const { tool, received } = recorder()
  const app = await target(t, { tools: [tool] })
  const refused = [
    'text/plain',
    undefined,
    '',
    'application/json\ta',
    ' application/json',
    'application/json garbage',
    'application/json;charset=utf-16',
    'application/json; charset=latin1',
    'application/jsonp',
    'application/json, text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ]

  for (const type of refused) await refuses(t, app, { 'content-type': type }, { status: 415, code: 41500 })

  t.same(received, [])
  for (const type of ['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'Application/JSON'])
    await serves(t, app, { 'content-type': type })
})

t.test('A16: a client that takes neither JSON nor a stream gets 406', async t => {
  const app = await target(t, { tools: [recorder().tool] })

  for (const accept of ['text/html', 'image/*', 'application/jsonp', 'application/json;q=0, text/event-stream;q=0.0'])
    await refuses(t, app, { accept }, { status: 406, code: 40600 })
})

t.test('A16: JSON alone is always answered with JSON, a stream alone or rather always with a stream', async t => {
  const talkative = defineTool({
    name: 'echo',
    inputSchema: { type: 'object' },
    handler(_args, ctx) {
      ctx.progress(1)
      return 'x'
    },
  })
  const app = await target(t, { tools: [talkative] })
  const body = echoCall({}).replace('"_meta":{', '"_meta":{"progressToken":1,')
  const json = ['application/json', 'Application/JSON', 'application/*', 'application/json, text/event-stream;q=0']
  const sse = ['text/event-stream', 'text/*', 'application/json;q=0, text/event-stream']
  const rather = ['text/event-stream, application/json', 'application/json;q=0.9, text/event-stream', 'text/*, */*']
  const both = [undefined, '*/*', 'application/json, text/event-stream', 'text/event-stream;q=0.5,application/json']

  for (const accept of json) {
    const { headers } = await serves(t, app, { accept }, body)
    t.match(headers['content-type'], /^application\/json/, `${accept}`)
  }
  for (const accept of [...sse, ...rather, ...both]) {
    const { headers } = await serves(t, app, { accept }, body)
    t.equal(headers['content-type'], 'text/event-stream', `${accept}`)
  }
  for (const accept of [...sse, ...rather]) {
    const { headers } = await serves(t, app, { accept }, echoCall({}))
    t.equal(headers['content-type'], 'text/event-stream', `${accept}, and nothing to notify`)
  }
  for (const accept of both) {
    const { headers } = await serves(t, app, { accept }, echoCall({}))
    t.match(headers['content-type'], /^application\/json/, `${accept}, and nothing to notify`)
  }
})

t.test('A24: a mirrored header that is missing, or says another thing than the body, is a mismatch', async t => {
  const { tool, received } = recorder()
  const app = await target(t, { tools: [tool] })
  const wrong: Headers[] = [
    { 'mcp-method': undefined },
    { 'mcp-method': 'tools/list' },
    { 'mcp-method': 'Tools/Call' },
    { 'mcp-method': '' },
    { 'mcp-method': ['tools/call', 'tools/call'] },
    { 'mcp-method': '=?base64?dG9vbHMvY2FsbA==?=' },
    { 'mcp-name': undefined },
    { 'mcp-name': 'probe' },
    { 'mcp-name': 'Echo' },
    { 'mcp-name': '' },
    { 'mcp-name': ['echo', 'echo'] },
    { 'mcp-protocol-version': undefined },
    { 'mcp-protocol-version': '2025-11-25' },
    { 'mcp-protocol-version': [VERSION, VERSION] },
    { 'mcp-protocol-version': '' },
  ]

  for (const headers of wrong) await refuses(t, app, headers, MISMATCH)

  t.same(received, [])
  await serves(t, app, { 'mcp-method': undefined, 'MCP-METHOD': 'tools/call' })
})

t.test('A25: Mcp-Name may be Base64 in the sentinel, canonical and UTF-8, and nothing else', async t => {
  const app = await target(t, { tools: [recorder().tool] })

  await serves(t, app, { 'mcp-name': '=?base64?ZWNobw==?=' })
  const wrong = ['!!', '/w==', 'ZWNobw', 'ZWNobw=', 'ZWNobx==', 'ZWNo bw==', 'ZWNobw==\t', '', 'ZWNobw==ZWNobw==']
  for (const base64 of wrong) await refuses(t, app, { 'mcp-name': `=?base64?${base64}?=` }, MISMATCH)
  for (const name of [
    '=?BASE64?ZWNobw==?=',
    '=?Base64?ZWNobw==?=',
    '=?base64?ZWNobw==',
    'ech\u00f6',
    'echo\u0000',
    '=?',
  ])
    await refuses(t, app, { 'mcp-name': name }, MISMATCH)
})

t.test('A25: a name outside of ASCII must come encoded, also where the bytes would be the same', async t => {
  const app = await target(t, { tools: [recorder().tool] })
  const body = echoCall().replace('"echo"', '"caf\u00e9"')

  await refuses(t, app, { 'mcp-name': 'caf\u00e9' }, MISMATCH, body)

  const encoded = `=?base64?${Buffer.from('caf\u00e9').toString('base64')}?=`
  await refuses(t, app, { 'mcp-name': encoded }, { status: 200, code: -32602 }, body)
})
