// Plain HTTP: a tool is called by its name, with a form or JSON, and answers as its caller accepts.
import { once } from 'node:events'
import http from 'node:http'
import t from 'tap'
import { defineTool, file, Type, text } from '../../../../src/index.ts'
import { build, callTool, listening } from '../../../../test/support/app.ts'
import { PROBLEM, plain, problemOf } from '../../../../test/support/plain.ts'

const PNG = Buffer.from('iVBORw0KGgo=', 'base64')

const sum = defineTool({
  name: 'sum',
  inputSchema: Type.Object({ a: Type.Number(), b: Type.Optional(Type.Number()) }, { additionalProperties: false }),
  outputSchema: Type.Object({ sum: Type.Number() }),
  handler: ({ a, b = 0 }) => ({ sum: a + b }),
})
const now = defineTool({ name: 'now', handler: () => 'noon' })
const give = (name: string, handler: () => unknown) => defineTool({ name, handler })

t.test('a form and JSON call a tool; the structured result comes as JSON', async t => {
  const app = await build(t, { tools: [sum] })

  for (const call of [{ form: 'a=2&b=3' }, { json: { a: 2, b: 3 } }]) {
    const reply = await plain(app, '/tools/sum', call)
    t.strictSame([reply.status, reply.type, reply.body], [200, 'application/json', { sum: 5 }])
    t.equal(reply.headers['x-content-type-options'], 'nosniff')
  }
})

t.test('a file of a form is Base64 where the tool takes it, else text; fields beside it are fields', async t => {
  const bytes = { type: 'string', contentEncoding: 'base64' }
  const store = defineTool({
    name: 'store',
    inputSchema: {
      type: 'object',
      properties: {
        data: { $ref: '#/$defs/bytes' },
        all: { type: 'array', items: bytes },
        csv: { type: 'string' },
        n: { type: 'number' },
        more: { type: 'object' },
      },
      $defs: { bytes },
    } as never,
    handler: args => JSON.stringify(args),
  })
  const { url } = await listening(t, { tools: [store] })
  const send = async (fields: readonly (readonly [string, string | Blob])[]) => {
    const body = new FormData()
    for (const [name, value] of fields) body.append(name, value as string)
    const reply = await fetch(new URL('/tools/store', url), { method: 'POST', body })
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
  }
  const raw = new Blob([new Uint8Array([0, 255])])

  t.strictSame(
    (
      await send([
        ['data', raw],
        ['all', raw],
        ['all', raw],
        ['csv', new Blob(['a,ü\r\n'])],
        ['n', '3'],
      ])
    ).body,
    {
      data: 'AP8=',
      all: ['AP8=', 'AP8='],
      csv: 'a,ü\r\n',
      n: 3,
    },
  )
  t.strictSame(
    (
      await send([
        ['all[]', raw],
        ['more', new Blob(['{"a":1}'])],
      ])
    ).body,
    { all: ['AP8='], more: { a: 1 } },
  )
  const refused = await send([['csv', raw]])
  t.strictSame(
    [refused.status, refused.body['errors']],
    [422, [{ pointer: '#/csv', detail: 'is not text in UTF-8, and the tool takes no Base64 (contentEncoding) there' }]],
  )
})

t.test('an empty body has no arguments', async t => {
  const app = await build(t, { tools: [now, sum] })

  t.equal((await plain(app, '/tools/now', { method: 'POST' })).status, 200)
  t.equal((await plain(app, '/tools/now', { form: '' })).status, 200)
  t.equal(
    (
      await app.inject({
        method: 'POST',
        url: '/tools/now',
        headers: { host: 'localhost', 'content-type': 'application/json' },
      })
    ).statusCode,
    200,
  )
  t.equal((await plain(app, '/tools/sum', { method: 'POST' })).status, 422)
})

t.test('without a structured result: the JSON that the text is, else the blocks', async t => {
  const app = await build(t, {
    tools: [
      now,
      give('object', () => '{"a": 1}'),
      give('list', () => '[1]'),
      give('number', () => '5'),
      give('broken', () => '{oops'),
      give('two', () => [text('{"a":1}'), text('b')]),
    ],
  })
  const told = async (name: string) => (await plain(app, `/tools/${name}`, { method: 'POST' })).body
  const blocks = (...texts: string[]) => ({ content: texts.map(each => ({ type: 'text', text: each })) })

  t.strictSame(await told('object'), { a: 1 })
  t.strictSame(await told('list'), [1])
  t.strictSame(await told('now'), blocks('noon'))
  t.strictSame(await told('number'), blocks('5'))
  t.strictSame(await told('broken'), blocks('{oops'))
  t.strictSame(await told('two'), blocks('{"a":1}', 'b'))
})

t.test('a result keeps its content beside the structure, and text is the text alone', async t => {
  const read = defineTool({
    name: 'read',
    outputSchema: Type.Object({ lines: Type.Number() }),
    text: 'both',
    handler: () => ({ content: [text('one\ntwo')], structuredContent: { lines: 2 } }),
  })
  const app = await build(t, { tools: [read] })
  const get = (accept: string) => plain(app, '/tools/read', { method: 'POST', headers: { accept } })

  const whole = { content: [{ type: 'text', text: 'one\ntwo' }], structuredContent: { lines: 2 } }
  t.strictSame((await get('application/json')).body, whole)
  t.equal((await get('text/plain')).text, 'one\ntwo')
  t.equal((await get('text/event-stream')).text, `event: result\ndata: ${JSON.stringify(whole)}\n\n`)
})

t.test('a text that is JSON keeps its numbers, and cannot end an event', async t => {
  const app = await build(t, { tools: [give('big', () => '{"n": 12345678901234567890,\n\n"m": 1.0}')] })
  const get = (accept: string) => plain(app, '/tools/big', { method: 'POST', headers: { accept } })

  t.match((await get('application/json')).text, /12345678901234567890, +"m": 1\.0/)
  t.match((await get('text/event-stream')).text, /^event: result\ndata: \{"n": 12345678901234567890, "m": 1\.0\}\n\n$/)
})

t.test('a failure keeps what the tool returned with it', async t => {
  const fails = give('fails', () => ({ content: [text('No paper')], structuredContent: { tray: 2 }, isError: true }))
  const { status, body } = await plain(await build(t, { tools: [fails] }), '/tools/fails', { method: 'POST' })

  t.strictSame([status, body.detail, body.structuredContent], [422, 'No paper', { tray: 2 }])
})

t.test('Accept chooses between JSON, text and the bytes of a file', async t => {
  const app = await build(t, {
    tools: [
      sum,
      give('picture', () => ({
        content: [
          { type: 'text', text: 'see' },
          { type: 'image', data: PNG.toString('base64'), mimeType: 'image/png' },
        ],
      })),
      give('sound', () => ({ content: [{ type: 'audio', data: 'AQI=', mimeType: 'audio/wav' }] })),
      give('report', () => file('a,b', { name: 'Größe 1.csv', mimeType: 'text/csv; charset=utf-8' })),
    ],
  })
  const get = (name: string, accept: string, json: object = {}) =>
    plain(app, `/tools/${name}`, { json, headers: { accept } })

  for (const accept of [
    '*/*',
    'application/json',
    'application/*',
    'application/json;charset=utf-8',
    'text/plain;q=0.5, */*',
  ])
    t.strictSame((await get('sum', accept, { a: 1 })).body, { sum: 1 }, accept)
  for (const accept of ['text/plain', 'text/*', 'application/json;q=0.1, text/plain', 'text/plain, */*;q=0.1']) {
    const { type, text } = await get('sum', accept, { a: 1 })
    t.strictSame([type, text], ['text/plain', '{"sum":1}'], accept)
  }
  for (const accept of ['image/png', 'image/*', 'application/octet-stream']) {
    const { type, bytes, headers } = await get('picture', accept)
    t.strictSame([type, bytes], ['image/png', PNG], accept)
    t.equal(headers['content-disposition'], 'attachment; filename=image.png')
  }
  t.equal((await get('sound', 'audio/*')).type, 'audio/wav')
  const report = await get('report', 'text/csv')
  t.strictSame([report.headers['content-type'], report.text], ['text/csv; charset=utf-8', 'a,b'])
  t.match(report.headers['content-disposition'], /^attachment; .*filename\*=UTF-8''Gr%C3%B6%C3%9Fe%201\.csv/)
})

t.test('406 names what there is', async t => {
  const app = await build(t, {
    tools: [sum, give('sound', () => ({ content: [{ type: 'audio', data: 'AQI=', mimeType: 'audio/wav' }] }))],
  })

  const one = await plain(app, '/tools/sum', { json: { a: 1 }, headers: { accept: 'image/png' } })
  const other = await plain(app, '/tools/sound', { method: 'POST', headers: { accept: 'text/plain' } })

  t.strictSame([one.status, one.type, problemOf(one.body)], [406, PROBLEM, 'not-acceptable'])
  t.strictSame(one.body.available, ['application/json', 'text/plain'])
  t.strictSame(other.body.available, ['application/json', 'audio/wav', 'application/octet-stream'])
})

t.test('406 has the result of a tool that has run; a client that accepts nothing runs none', async t => {
  let runs = 0
  const app = await build(t, { tools: [give('acts', () => `run ${++runs}`)] })
  const call = (accept: string) => plain(app, '/tools/acts', { method: 'POST', headers: { accept } })

  for (const accept of ['nonsense', '*/*;q=0', 'application/json;q=0', ', ,']) {
    const { status, body } = await call(accept)
    t.strictSame([status, body.available], [406, ['application/json', 'text/plain', 'text/event-stream']], accept)
  }
  t.equal(runs, 0)
  const { status, body } = await call('image/png')
  t.strictSame([status, body.result], [406, { content: [{ type: 'text', text: 'run 1' }] }])
  const number = give('number', () => '{"id":12345678901234567890}')
  const exact = await plain(await build(t, { tools: [number] }), '/tools/number', {
    method: 'POST',
    headers: { accept: 'image/png' },
  })
  t.match(exact.text, '"result":{"id":12345678901234567890}')
  t.equal((await call('')).status, 200)
})

t.test('what a tool returns cannot run on this origin', async t => {
  const app = await build(t, {
    tools: [
      give('page', () => file('<script>alert(1)</script>', { name: 'a.html', mimeType: 'text/html' })),
      give('drawing', () => ({ content: [{ type: 'image', data: 'PHN2Zy8+', mimeType: 'image/svg+xml' }] })),
      give('split', () => {
        const resource = { uri: 'a:b', mimeType: 'text/html\r\nset-cookie: a=b', blob: 'AQI=' }
        return { content: [{ type: 'resource', resource }] }
      }),
    ],
  })

  for (const [name, accept] of [
    ['page', 'text/html'],
    ['drawing', 'image/*'],
    ['split', 'application/octet-stream'],
  ] as const) {
    const { status, headers } = await plain(app, `/tools/${name}`, { method: 'POST', headers: { accept } })
    t.equal(status, 200, name)
    t.match(headers['content-disposition'], /^attachment/, name)
    t.equal(headers['x-content-type-options'], 'nosniff')
    t.match(headers['content-security-policy'], /sandbox/)
    t.notOk('set-cookie' in headers)
  }
})

t.test('a large file is sent at once by its type, and later by its URL, to its caller', async t => {
  const large = Buffer.alloc(300_000, 7)
  const app = await build(t, {
    tools: [give('report', () => file(large, { name: 'a b.bin', mimeType: 'application/x-report' }))],
  })

  const direct = await plain(app, '/tools/report', { method: 'POST', headers: { accept: 'application/x-report' } })
  const { body, headers } = await plain(app, '/tools/report', { method: 'POST' })
  const [{ url }] = body.content
  const fetched = await plain(app, url)

  t.ok(direct.bytes.equals(large))
  t.match(url, /^\/tools\/files\/[\w-]+\/a%20b\.bin$/)
  t.equal(headers['link'], `<${url}>; rel="item"`)
  t.ok(fetched.bytes.equals(large))
  t.equal(fetched.type, 'application/x-report')
  t.equal(fetched.headers['content-disposition'], 'attachment; filename="a b.bin"')
  t.equal((await plain(app, url.replace('a%20b', 'other'))).status, 404)
  t.equal((await plain(app, '/tools/files/nothing/x')).status, 404)
})

t.test('a large result comes whole over a socket', async t => {
  const { url } = await listening(t, { tools: [give('long', () => 'x'.repeat(2_000_000))] })

  const reply = await fetch(new URL('/tools/long', url), { method: 'POST', headers: { accept: 'text/plain' } })

  t.equal((await reply.text()).length, 2_000_000)
})

t.test('GET with a query calls a tool that only reads; without one it describes the tool', async t => {
  const reads = defineTool({ ...sum, name: 'reads', annotations: { readOnlyHint: true } })
  const bare = defineTool({ name: 'bare', annotations: { readOnlyHint: true }, handler: () => 'read' })
  const app = await build(t, { tools: [reads, bare] })

  const { status, body, headers } = await plain(app, '/tools/reads?a=2&b=3')
  t.strictSame([status, body, headers['cache-control']], [200, { sum: 5 }, 'no-store'])
  t.equal((await plain(app, '/tools/reads')).body.name, 'reads')
  t.equal((await plain(app, '/tools/reads?a=2', { headers: { accept: 'text/plain' } })).text, '{"sum":2}')
  const { port } = await listening(t, { tools: [bare] })
  const request = http.get({ port, path: '/tools/bare?', headers: { accept: 'text/plain' }, agent: false })
  const [answer] = await once(request, 'response')
  t.equal(String(Buffer.concat(await answer.toArray())), 'read')
  const head = await plain(app, '/tools/reads?a=2&b=3', { method: 'HEAD' })
  t.strictSame([head.status, head.headers['content-length'], head.text], [200, '9', ''])
  t.equal((await plain(app, '/tools/reads?a=x')).status, 422)
  t.equal((await plain(app, '/tools/reads?a=%zz')).status, 400)
})

t.test('a key for a tool that would act twice is refused before it runs', async t => {
  let runs = 0
  const app = await build(t, { tools: [give('acts', () => `run ${++runs}`)] })

  const { status, body } = await plain(app, '/tools/acts', { method: 'POST', headers: { 'idempotency-key': '"k"' } })

  t.strictSame([status, problemOf(body), runs], [400, 'invalid-request', 0])
  t.match(body.detail, /acts has no safe writes/)
})

t.test('an Idempotency-Key makes a call act once, in quotes or without', async t => {
  let runs = 0
  const count = defineTool({ name: 'count', idempotency: true, handler: () => `run ${++runs}` })
  for (const key of ['"k1', 'k1"', '"k1", "k2"', 'k 1', '""x'])
    t.equal(
      (
        await plain(await build(t, { tools: [count] }), '/tools/count', {
          method: 'POST',
          headers: { 'idempotency-key': key },
        })
      ).status,
      400,
      key,
    )
  const app = await build(t, { tools: [count] })
  const call = (key: string) =>
    plain(app, '/tools/count', { method: 'POST', headers: { accept: 'text/plain', 'idempotency-key': key } })

  t.equal((await call('k1')).text, 'run 1')
  t.equal((await call('"k1"')).text, 'run 1')
  t.equal((await call('"k1";of=mine')).text, 'run 1')
  t.equal((await call('k2')).text, 'run 2')
  t.equal((await call('x'.repeat(256))).status, 422)
})

t.test('a mirrored parameter needs no header; one that is sent is compared', async t => {
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  const tool = defineTool({
    name: 'where',
    inputSchema: { type: 'object', properties: { region } },
    handler: args => String((args as { region?: string }).region),
  })
  const app = await build(t, { tools: [tool] })
  const call = (headers: Record<string, string> = {}) =>
    plain(app, '/tools/where', { form: 'region=eu', headers: { accept: 'text/plain', ...headers } })

  t.equal((await call()).text, 'eu')
  t.equal((await call({ 'mcp-param-region': 'eu' })).text, 'eu')
  t.strictSame([(await call({ 'mcp-param-region': 'us' })).status], [400])
})

t.test('a tool that is called Mcp headers of another tool is the tool of the path', async t => {
  const app = await build(t, { tools: [now, sum] })

  const reply = await plain(app, '/tools/now', {
    method: 'POST',
    headers: { 'mcp-name': 'sum', 'mcp-method': 'tools/list' },
  })

  t.equal(reply.status, 200)
})

t.test('names of tools stand in the path as they are, or percent-encoded', async t => {
  const long = 'x'.repeat(128)
  const names = ['a.b', 'A-b_c', '...', 'tasks', 'files', 'answers', 'openapi.json', long]
  const app = await build(t, { tools: names.map(name => give(name, () => name)) })

  for (const name of names) {
    const { text } = await plain(app, `/tools/${encodeURIComponent(name)}`, {
      method: 'POST',
      headers: { accept: 'text/plain' },
    })
    t.equal(text, name)
  }
  t.equal((await plain(app, '/tools/a%2Eb', { method: 'POST', headers: { accept: 'text/plain' } })).text, 'a.b')
  const described = await plain(app, '/tools/tasks')
  t.equal(described.body.name, 'tasks')
})

t.test('the audit, the metrics and MCP clients see that it is the same tool', async t => {
  const app = await build(t, { tools: [sum] })

  await plain(app, '/tools/sum', { form: 'a=2' })
  await callTool(app, 'sum', { a: 2 })
  await plain(app, '/tools/sum', { form: 'a=x' })
  await plain(app, '/tools/sum', { method: 'PUT' })

  const lines = app.audit.lines.map(({ door, method, verb, tool, outcome }) => ({ door, method, verb, tool, outcome }))
  const call = { method: 'tools/call', verb: undefined, tool: 'sum' }
  t.strictSame(lines, [
    { door: 'plain-http', ...call, outcome: 'ok' },
    { door: undefined, ...call, outcome: 'ok' },
    { door: 'plain-http', ...call, outcome: 'isError' },
    { door: 'plain-http', method: undefined, verb: 'PUT', tool: undefined, outcome: 'refused' },
  ])
  const metrics = (await app.inject({ url: '/metrics', headers: { host: 'localhost' } })).body
  t.match(metrics, /toolrack_requests_total\{method="tools\/call",revision="plain-http",outcome="ok"\} 1/)
  t.match(metrics, /toolrack_tool_calls_total\{tool="sum",outcome="ok"\} 2/)
})
