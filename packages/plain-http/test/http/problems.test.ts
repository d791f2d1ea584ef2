// Plain HTTP: each refusal is a problem with its status and its headers. RFC 9457.
import { connect } from 'node:net'
import t from 'tap'
import { z } from 'zod'
import { defineTool, ToolError, Type } from '../../../../src/index.ts'
import { Toolrack } from '../../../../src/toolrack.ts'
import { build, listening } from '../../../../test/support/app.ts'
import { ALICE, bearer, guarded } from '../../../../test/support/auth/guarded.ts'
import { PROBLEM, plain, problemOf } from '../../../../test/support/plain.ts'
import { toProblem } from '../../src/problems.ts'

const NUMBER = { type: 'number' }
const sum = defineTool({
  name: 'calculate',
  inputSchema: {
    type: 'object',
    properties: { a: NUMBER, 'x/y.z': NUMBER, list: { type: 'array', items: NUMBER } },
    required: ['a'],
    additionalProperties: false,
  },
  handler: () => 'ok',
})
const fails = defineTool({
  name: 'fails',
  handler() {
    throw new ToolError('No such order: 7')
  },
})

t.test('invalid arguments: 422, with the place of each', async t => {
  const app = await build(t, { tools: [sum] })

  const reply = await plain(app, '/tools/calculate', { json: { 'x/y.z': 'b', list: [1, 'c'], é: 1 } })

  t.strictSame([reply.status, reply.type], [422, PROBLEM])
  const { errors, instance, ...rest } = reply.body
  t.match(rest, {
    type: 'urn:toolrack:problem:invalid-arguments',
    title: 'Invalid arguments',
    status: 422,
    detail: /^Invalid arguments for calculate: /,
  })
  t.match(instance, /^urn:toolrack:request:\S+$/)
  t.strictSame(
    errors.sort((a: { pointer: string }, b: { pointer: string }) => (a.pointer < b.pointer ? -1 : 1)),
    [
      { pointer: '#/%C3%A9', detail: 'is not a known property' },
      { pointer: '#/a', detail: 'is required' },
      { pointer: '#/list/1', detail: 'must be number' },
      { pointer: '#/x~1y.z', detail: 'must be number' },
    ],
  )
})

t.test('the place of a fault is a fragment, whatever the key is', async t => {
  const app = await build(t, { tools: [sum] })

  const { status, body } = await plain(app, '/tools/calculate', { json: { a: 1, 'p#q%': 1, 'é[': 1 } })

  t.equal(status, 422)
  const pointers = body.errors.map(({ pointer }: { pointer: string }) => pointer)
  t.strictSame(pointers.sort(), ['#/%C3%A9%5B', '#/p%23q%25'])
})

t.test('what a schema library finds has its place, too', async t => {
  const inputSchema = z.object({ days: z.array(z.string().refine(day => day !== 'Sunday', 'is closed')) })
  const app = await build(t, { tools: [defineTool({ name: 'open', inputSchema, handler: () => 'ok' })] })

  const { status, body } = await plain(app, '/tools/open', { json: { days: ['Monday', 'Sunday'] } })

  t.equal(status, 422)
  t.match(body.errors, [{ pointer: '#/days/1', detail: /closed/ }])
})

t.test("a tool's error: 422 with its text", async t => {
  const { status, body } = await plain(await build(t, { tools: [fails] }), '/tools/fails', { method: 'POST' })

  t.strictSame([status, problemOf(body), body.detail, 'errors' in body], [422, 'tool-error', 'No such order: 7', false])
})

t.test('a result that is an error keeps its structure, its files and its notes', async t => {
  const structuredContent = { code: 7 }
  const image = { type: 'image' as const, data: 'AQI=', mimeType: 'image/png' }
  const content = [{ type: 'text' as const, text: 'No' }, image]
  const refuses = defineTool({
    name: 'refuses',
    handler: () => ({ isError: true, content, structuredContent, _meta: { 'example.org/retry': 3 } }) as never,
  })

  const { status, body } = await plain(await build(t, { tools: [refuses] }), '/tools/refuses', { method: 'POST' })

  t.equal(status, 422)
  t.match(body, { detail: 'No', structuredContent, content: [image], _meta: { 'example.org/retry': 3 } })
})

t.test('a tool that takes too long: 504; one with a broken result: 500', async t => {
  const slow = defineTool({
    name: 'slow',
    timeout: 20,
    handler: (_args, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  })
  const broken = defineTool({
    name: 'broken',
    outputSchema: Type.Object({ a: Type.Number() }),
    handler: () => ({}) as never,
  })
  const app = await build(t, { tools: [slow, broken] })

  t.equal((await plain(app, '/tools/slow', { method: 'POST' })).status, 504)
  t.equal((await plain(app, '/tools/broken', { method: 'POST' })).status, 500)
})

t.test('an unknown tool: 404, with the name of a tool that is meant', async t => {
  const app = await build(t, {
    tools: [sum, defineTool({ name: 'hidden_tool', visible: () => false, handler: () => 'x' })],
  })

  const near = await plain(app, '/tools/calculat', { method: 'POST' })
  t.strictSame([near.status, near.type, near.body.didYouMean], [404, PROBLEM, 'calculate'])
  t.equal(near.body.detail, 'calculat; did you mean calculate?')
  for (const name of ['hidden_tool', 'hidden_toolx', 'constructor', '__proto__', 'a%2Fb', '%2e%2e%2f'])
    for (const call of [{ form: 'a=1' }, {}]) {
      const { status, type, text } = await plain(app, `/tools/${name}`, call)
      t.strictSame([status, type], [404, PROBLEM], name)
      t.notMatch(text, /didYouMean/)
    }
  t.equal((await plain(app, '/tools/a/b/c/d')).status, 404)
})

t.test('verbs that a path does not have: 405 with Allow', async t => {
  const app = await build(t, { tools: [sum] })

  for (const [method, url, allow] of [
    ['PUT', '/tools/calculate', 'GET, HEAD, POST'],
    ['DELETE', '/tools/calculate', 'GET, HEAD, POST'],
    ['PATCH', '/tools/tasks/x', 'GET, HEAD, DELETE'],
    ['POST', '/tools/tasks/x', 'GET, HEAD, DELETE'],
    ['GET', '/tools/calculate/answers', 'POST'],
    ['POST', '/tools/files/a/b', 'GET, HEAD'],
    ['POST', '/tools', 'GET, HEAD'],
    ['POST', '/tools/', 'GET, HEAD'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
    ...(['TRACE', 'PROPFIND', 'QUERY', 'LOCK'] as const).flatMap(method => [
      [method, '/tools', 'GET, HEAD'] as const,
      [method, '/tools/calculate', 'GET, HEAD, POST'] as const,
      [method, '/tools/tasks/x', 'GET, HEAD, DELETE'] as const,
      [method, '/openapi.json', 'GET, HEAD'] as const,
    ]),
  ] as const) {
    const reply = await plain(app, url, { method })
    t.strictSame([reply.status, reply.headers['allow'], reply.type], [405, allow, PROBLEM], `${method} ${url}`)
    const options = await plain(app, url, { method: 'OPTIONS' })
    t.strictSame([options.status, options.headers['allow']], [204, `${allow}, OPTIONS`])
  }
})

t.test('the endpoint says what it takes, too; what is not there takes nothing', async t => {
  const app = await build(t, { tools: [sum] })

  for (const method of ['QUERY', 'TRACE', 'PROPFIND']) {
    const { status, headers } = await plain(app, '/mcp', { method })
    t.strictSame([status, headers['allow']], [405, 'POST, GET, DELETE'], method)
    t.equal((await plain(app, '/nothing', { method })).status, 404)
  }
})

t.test('an expectation that is not known is a problem; none is none, also for HTTP/1.0', async t => {
  const { port } = await listening(t, { tools: [sum] })
  const ask = async (version: string, expect: string) => {
    const socket = connect(port, '127.0.0.1')
    const head = [`POST /tools/calculate HTTP/${version}`, 'Host: localhost', 'Connection: close', `Expect: ${expect}`]
    socket.end(
      [...head, 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 3', '', 'a=1'].join('\r\n'),
    )
    return String(Buffer.concat(await socket.toArray()))
  }

  const refused = await ask('1.1', 'tea')
  t.match(refused, /^HTTP\/1\.1 417 .*application\/problem\+json.*problem:expectation-failed/s)
  t.match(await ask('1.1', '100-continue'), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
  for (const [version, expect] of [
    ['1.1', ''],
    ['1.1', ' , '],
    ['1.0', '100-continue'],
    ['1.0', 'tea'],
  ] as const)
    t.match(await ask(version, expect), /^HTTP\/1\.1 200 /, `${version} ${expect}`)
})

t.test('arguments in the URL call only a tool that reads', async t => {
  let runs = 0
  const app = await build(t, { tools: [defineTool({ name: 'acts', handler: () => `run ${++runs}` })] })

  for (const [method, url] of [
    ['GET', '/tools/acts?a=1'],
    ['POST', '/tools/acts?a=1'],
    ['HEAD', '/tools/acts?a=1'],
  ] as const) {
    const { status, text } = await plain(app, url, { method })
    t.equal(status, 400, `${method} ${url}`)
    if (method !== 'HEAD') t.match(JSON.parse(text).detail, 'body of a POST')
  }
  t.equal(runs, 0)
  t.equal((await plain(app, '/tools/none?a=1')).status, 404)
  t.equal((await plain(app, '/tools?a=1')).status, 200)
})

t.test('bodies: 415 for other media types, 413 for large ones, 400 for broken ones', async t => {
  const app = await build(t, { tools: [sum], limits: { maxBodyBytes: 1024 } })
  const send = (type: string, payload: string | Buffer) =>
    app.inject({
      method: 'POST',
      url: '/tools/calculate',
      headers: { host: 'localhost', 'content-type': type },
      payload,
    })

  for (const type of [
    'text/plain',
    'multipart/mixed; boundary=a',
    'application/json; charset=latin1',
    'application/x-www-form-urlencoded; charset=utf-16',
    'nonsense',
  ]) {
    const reply = await send(type, 'a=1')
    t.strictSame([reply.statusCode, problemOf(reply.json())], [415, 'unsupported-media-type'], type)
    t.equal(reply.headers['accept-post'], 'application/json, application/x-www-form-urlencoded, multipart/form-data')
  }
  t.equal((await send('application/x-www-form-urlencoded; charset=UTF-8', 'a=1')).statusCode, 200)
  t.equal((await send('application/json', `"${'x'.repeat(2000)}"`)).statusCode, 413)
  for (const body of ['{', '[1]', '"a"', '1', 'null', '{"a":1,"a":2}', '{"__proto__":1}']) {
    const reply = await send('application/json', body)
    t.equal(reply.statusCode, 400, body)
    t.match(reply.headers['content-type'], PROBLEM)
  }
  t.equal((await send('application/x-www-form-urlencoded', 'a=%zz')).statusCode, 400)
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=a', 'multipart/form-data; boundary=b'])
    t.equal((await send(type, '--b\r\nnonsense')).statusCode, 400, type)
  const fields = await send('application/x-www-form-urlencoded', 'a=1&a[b]=2')
  t.strictSame([fields.statusCode, fields.json().detail], [422, 'a[b] is both a value and an object'])
  t.strictSame(fields.json().errors, [{ pointer: '#/a', detail: 'is both a value and an object' }])
  for (const part of ['name="a"\r\n\r\n\xe9', 'name="\xe9"\r\n\r\n1']) {
    const body = Buffer.from(`--b\r\nContent-Disposition: form-data; ${part}\r\n--b--\r\n`, 'latin1')
    const parts = await send('multipart/form-data; boundary=b', body)
    t.strictSame([parts.statusCode, parts.json().detail], [400, 'the form is not UTF-8'])
  }
})

t.test('access: 401 and 403 with a challenge that names the scopes of the tool', async t => {
  const app = await guarded(t, { plainHttp: true })

  const none = await plain(app, '/tools/closed', { method: 'POST' })
  const lacking = await plain(app, '/tools/doubly', { method: 'POST', headers: ALICE })
  const good = await plain(app, '/tools/closed', { method: 'POST', headers: { ...ALICE, accept: 'text/plain' } })

  t.strictSame([none.status, none.type, problemOf(none.body)], [401, PROBLEM, 'unauthenticated'])
  t.match(none.headers['www-authenticate'], /^Bearer .*resource_metadata=.*scope="read"/)
  t.strictSame([lacking.status, lacking.type], [403, PROBLEM])
  t.match(lacking.headers['www-authenticate'], /error="insufficient_scope".*scope="read write"/)
  t.equal(good.text, 'opened')
  for (const url of ['/tools', '/openapi.json', '/tools/closed', '/tools/tasks/x', '/tools/files/a/b'])
    t.equal((await plain(app, url)).status, 401, url)
})

t.test('a schema that its caller may not see shows in no error', async t => {
  const secret = defineTool({
    name: 'secret_tool',
    scopes: ['boss'],
    inputSchema: { type: 'object', properties: { a: { type: 'object' } } },
    handler: () => '',
  })
  const app = await guarded(t, { plainHttp: true, tools: [secret] })

  for (const form of ['a=1&a[b]=2', 'a=1']) {
    const { status } = await plain(app, '/tools/secret_tool', { form, headers: bearer('') })
    t.equal(status, form === 'a=1' ? 403 : 422)
  }
  t.notMatch((await plain(app, '/tools', { headers: bearer('') })).text, /secret_tool/)
})

t.test('limits: 429 with Retry-After, of the server and of a tool', async t => {
  const app = await build(t, { tools: [sum], rateLimit: { max: 1 } })
  await plain(app, '/tools')
  const reply = await plain(app, '/tools/calculate', { form: 'a=1' })
  t.strictSame([reply.status, reply.type], [429, PROBLEM])
  t.match(reply.headers['retry-after'], /^\d+$/)

  const rare = defineTool({ name: 'rare', rateLimit: { max: 1, timeWindow: 90_000 }, handler: () => 'ok' })
  const other = await build(t, { tools: [rare] })
  await plain(other, '/tools/rare', { method: 'POST' })
  const limited = await plain(other, '/tools/rare', { method: 'POST' })
  t.strictSame([limited.status, problemOf(limited.body)], [429, 'limited'])
  t.ok(Number(limited.headers['retry-after']) > 60)
})

t.test('a server that shuts down: 503 with Retry-After, also for what still runs', async t => {
  let onBegun = () => {}
  const begun = new Promise<void>(resolve => (onBegun = resolve))
  const held = defineTool({
    name: 'held',
    handler: (_args, { signal }) => {
      onBegun()
      return new Promise(resolve => signal.addEventListener('abort', () => resolve('late')))
    },
  })
  const { app, url } = await listening(t, { tools: [held], drainMs: 300 })
  const send = () => fetch(new URL('/tools/held', url), { method: 'POST' })
  const running = send()
  await begun
  const { inflight } = Toolrack.runtime(app.toolrack)
  const drained = inflight.drain(300)

  const refused = await send()

  t.strictSame([refused.status, problemOf((await refused.json()) as never)], [503, 'draining'])
  t.ok(refused.headers.get('retry-after'))
  const cut = await running
  t.strictSame([cut.status, problemOf((await cut.json()) as never)], [503, 'cancelled'])
  await drained
})

t.test('a fault of the server: 500 with a fixed text', async t => {
  const { status, name, detail } = toProblem(new Error('the secret cause'))

  t.strictSame([status, name, detail], [500, 'internal-error', 'Internal error'])
})

t.test('a short name is suggested, too', async t => {
  const app = await build(t, { tools: [defineTool({ name: 'add', handler: () => 'x' })] })

  t.equal((await plain(app, '/tools/addd', { method: 'POST' })).body.didYouMean, 'add')
})
