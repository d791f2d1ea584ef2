// Without access control a page of another port of this machine may read, and change nothing, at every door.
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import toolrack, { defineTool, type ServerOptions } from '../../../src/index.ts'
import { build, call, listening, request } from '../../support/app.ts'
import { connected, session } from '../../support/client/app-client.ts'
import { initializing } from '../../support/client/client.ts'
import { http2Client } from '../../support/http2.ts'
import { connect } from '../../support/legacy/http-sse-client.ts'
import { plain } from '../../support/plain.ts'

const PAGE = 'http://localhost:5173'
/** Where tests send requests; `inject` has no port. */
const OWN = 'http://localhost'
const REFUSED = `a page of ${PAGE} may call only read-only tools, not erase; ALLOWED_ORIGINS=${PAGE} lets it call all`

const TOOLS = [
  defineTool({ name: 'look', annotations: { readOnlyHint: true }, handler: () => 'seen' }),
  defineTool({ name: 'erase', handler: () => 'erased' }),
]

type CallFrom = (tool: string, headers: Record<string, string>) => Promise<string>

/** What a call answers, by the door: the text of its result, or the message of its error. */
const DOORS: Readonly<Record<string, (t: Test, options: ServerOptions) => Promise<CallFrom>>> = {
  async MCP(t, options) {
    const app = await build(t, options)
    return async (name, headers) => {
      const { result, error, status } = await call(app, 'tools/call', { name, arguments: {} }, { headers })
      if (error !== undefined) t.equal(status, 403)
      return error?.message ?? result.content[0].text
    }
  },
  async 'MCP with a session'(t, options) {
    const session = await connected(t, options)
    return async (name, headers) => {
      const { result, error } = await session.call('tools/call', { name, arguments: {} }, headers)
      return error?.message ?? result.content[0].text
    }
  },
  async 'plain HTTP'(t, options) {
    const app = await build(t, options)
    return async (name, headers) => {
      const { body, status } = await plain(app, `/tools/${name}`, { json: {}, headers })
      if (body.detail !== undefined) t.equal(status, 403)
      return body.detail ?? body.content?.[0]?.text ?? JSON.stringify(body)
    }
  },
  async 'HTTP+SSE'(t, options) {
    const { url } = await listening(t, { ...options, httpSse: true })
    const client = await connect(t, url)
    await client.ask('initialize', initializing({ revision: '2024-11-05' }).params)
    await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    let id = 0
    return async (name, headers) => {
      id++
      const message = { jsonrpc: '2.0', id: `c${id}`, method: 'tools/call', params: { name, arguments: {} } }
      await client.post(message, headers['origin'] === OWN ? { origin: new URL(url).origin } : headers)
      await client.stream.until(() => client.answerTo(`c${id}`) !== undefined, 'the answer')
      const { result, error } = client.answerTo(`c${id}`)!
      return error?.message ?? result.content[0].text
    }
  },
}

for (const [door, open] of Object.entries(DOORS)) {
  t.test(`B50: ${door}: a page of another port may call what reads, and nothing else`, async t => {
    const callFrom = await open(t, { tools: TOOLS })

    t.match(await callFrom('look', { origin: PAGE }), 'seen')
    t.match(await callFrom('erase', { origin: PAGE }), REFUSED)
    t.match(await callFrom('erase', {}), 'erased', 'a program')
    t.match(await callFrom('erase', { origin: OWN }), 'erased', 'the own page')
    t.match(await callFrom('erase', { origin: PAGE, 'sec-fetch-site': 'same-site' }), REFUSED, 'as a browser says it')
  })

  t.test(`B50: ${door}: ALLOWED_ORIGINS names the pages that may call all, beside the own one`, async t => {
    const callFrom = await open(t, { tools: TOOLS, allowedOrigins: [PAGE] })

    t.match(await callFrom('erase', { origin: PAGE }), 'erased')
    t.match(await callFrom('erase', { origin: OWN }), 'erased')
  })
}

t.test('B50: another page of this machine is refused at all once ALLOWED_ORIGINS is set', async t => {
  const app = await build(t, { tools: TOOLS, allowedOrigins: [PAGE] })
  const { status } = await call(app, 'tools/list', {}, { headers: { origin: 'http://localhost:6666' } })

  t.equal(status, 403)
})

t.test('B50: the own page is that of the host which the request names, whatever its port says', async t => {
  const app = await build(t, { tools: TOOLS })
  const from = async (origin: string, host: string) => {
    const { error } = await call(app, 'tools/call', { name: 'erase', arguments: {} }, { headers: { origin, host } })
    return error?.code
  }

  t.equal(await from('http://localhost:3000', 'localhost:3000'), undefined)
  t.equal(await from('http://127.0.0.1:8080', '127.0.0.1:8080'), undefined)
  t.equal(await from('http://localhost:3001', 'localhost:3000'), 40300)
  t.equal(await from('http://[::1]:3000', 'localhost:3000'), 40300, 'another program may listen there')
  t.equal(await from('http://127.0.0.1:3000', 'localhost:8080'), 40300, 'nor does the port of the settings say so')
})

t.test('B50: with ALLOWED_ORIGINS the port of the settings is no page of its own either', async t => {
  const headers = { origin: 'http://127.0.0.1:3000', host: 'localhost:8080' }
  const list = async (options: ServerOptions) =>
    (await call(await build(t, { tools: TOOLS, ...options }), 'tools/list', {}, { headers })).status

  t.equal(await list({ allowedOrigins: [PAGE] }), 403)
  t.equal(await list({ allowedOrigins: [PAGE], publicUrl: 'http://127.0.0.1:3000/mcp' }), 200)
})

t.test('B50: the own page is served by each name of ALLOWED_HOSTS, and by no other', async t => {
  const app = await build(t, { tools: TOOLS, host: '0.0.0.0', allowAnonymous: true, allowedHosts: ['box.lan'] })
  const from = async (origin: string, host: string) =>
    (await call(app, 'tools/call', { name: 'erase', arguments: {} }, { headers: { origin, host } })).status

  t.equal(await from('http://box.lan:3000', 'box.lan:3000'), 200)
  t.equal(await from('http://box.lan:3001', 'box.lan:3000'), 403)
  t.equal(await from('https://box.lan:3000', 'box.lan:3000'), 403)
  t.equal(await from('http://evil.example', 'box.lan:3000'), 403)
  t.equal(await from('http://evil.example', 'evil.example'), 403, 'a name that it rebinds')
})

t.test('B50: PUBLIC_URL names a page of its own', async t => {
  const app = await build(t, { tools: TOOLS, publicUrl: 'http://localhost:5173/tools/mcp' })

  t.equal((await plain(app, '/tools/erase', { json: {}, headers: { origin: PAGE } })).status, 200)
  t.equal((await plain(app, '/tools/erase', { json: {}, headers: { origin: 'http://localhost:1' } })).status, 403)
})

t.test('B50: https and http of one host are two programs, as browsers say', async t => {
  const app = await build(t, { tools: TOOLS })
  const from = async (origin: string, site: string) =>
    (await plain(app, '/tools/erase', { json: {}, headers: { origin, 'sec-fetch-site': site } })).status

  t.equal(await from('https://localhost', 'cross-site'), 403)
  t.equal(await from('https://localhost', 'same-origin'), 200, 'behind a proxy that decrypts')
})

t.test('B50: nor may a page whose browser sends no Origin', async t => {
  const app = await build(t, { tools: TOOLS })
  const from = async (name: string, site: string) =>
    (await call(app, 'tools/call', { name, arguments: {} }, { headers: { 'sec-fetch-site': site } })).status

  t.equal(await from('erase', 'same-site'), 403)
  t.equal(await from('erase', 'cross-site'), 403)
  t.equal(await from('look', 'same-site'), 200)
  t.equal(await from('erase', 'same-origin'), 200, 'the console')
  t.equal(await from('erase', 'none'), 200, 'its user')
})

t.test('B50: no way of calling goes around it', async t => {
  let runs = 0
  const tool = defineTool({ name: 'erase', task: 'optional', idempotency: true, handler: () => `run ${++runs}` })
  const headers = { origin: PAGE }
  const asked = { name: 'erase', arguments: {} }
  const app = await build(t, { tools: [tool] })
  const post = async (more: Record<string, string>, path = '', json: object = {}) =>
    (await plain(app, `/tools/erase${path}`, { json, headers: { ...headers, ...more } })).status

  t.equal(await post({ accept: 'text/event-stream' }), 403, 'a stream')
  t.equal(await post({ prefer: 'respond-async' }), 403, 'a task')
  t.equal(await post({}, '/answers', { answers: {}, state: 'x' }), 403, 'answers')
  t.equal((await plain(app, '/tools/erase', { form: '', headers })).status, 403, 'a form')
  const key = { 'idempotency-key': 'k' }
  t.equal(await post(key), 403, 'with a key')
  t.match(
    await plain(app, '/tools/erase', { json: {}, headers: key }),
    { status: 200, text: /run 1/ },
    'nothing is kept',
  )
  t.equal(await post(key), 403, 'nor does the key open the result of others')

  const older = await session(t, { tools: [tool] }, { revision: '2025-03-26' })
  const each = ['a', 'b'].map(id => ({ jsonrpc: '2.0', id, method: 'tools/call', params: asked }))
  for (const { error } of (await older.send(each, headers)).messages) t.equal(error?.code, 40300, 'a batch')
  const newer = await session(t, { tools: [tool] })
  t.equal((await newer.call('tools/call', { ...asked, task: {} }, headers)).error.code, 40300, 'a task of 2025-11-25')

  const { send } = await http2Client(t, { tools: [tool] })
  const { message, headers: usual } = request('tools/call', asked, { headers: { host: undefined, ...headers } })
  const reply = await send({ ':method': 'POST', ':path': '/mcp', ...usual }, JSON.stringify(message))
  t.equal(reply.status, 403, 'HTTP/2')
  t.equal(runs, 1)
})

t.test('B50: in an app of its own the message names the option', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(toolrack, { tools: TOOLS, plainHttp: true })
  const reply = await app.inject({ method: 'POST', url: '/tools/erase', headers: { origin: PAGE } })

  t.match(reply.json().detail, `not erase; allowedOrigins: ['${PAGE}'] lets it call all`)
})

t.test('B50: nor does a task: its questions are answered, and it is cancelled, by who may call its tool', async t => {
  const requestedSchema = { type: 'object' as const, properties: {} }
  const asking = (name: string, readOnlyHint: boolean) =>
    defineTool({
      name,
      annotations: { readOnlyHint },
      task: 'optional',
      handler: async (_args, ctx) => (await ctx.elicit('sure', { message: 'Sure?', requestedSchema })).action,
    })
  const app = await build(t, { tools: [asking('look', true), asking('erase', false)] })
  const start = async (name: string) =>
    (await plain(app, `/tools/${name}`, { json: {}, headers: { prefer: 'respond-async' } })).body.id
  const from = async (id: string, headers: Record<string, string>) => ({
    read: (await plain(app, `/tools/tasks/${id}`, { headers })).status,
    answer: (await plain(app, `/tools/tasks/${id}/answers`, { json: { answers: { sure: 'accept' } }, headers })).status,
    cancel: (await plain(app, `/tools/tasks/${id}`, { method: 'DELETE', headers })).status,
  })

  const page = { origin: PAGE }
  t.strictSame(await from(await start('erase'), page), { read: 202, answer: 403, cancel: 403 })
  t.match(await from(await start('look'), page), { answer: 202, cancel: 204 })
})

t.test('B50: a tool that is hidden answers as one that is not there', async t => {
  const app = await build(t, { tools: TOOLS, visible: ({ name }) => name !== 'erase' })
  const ask = async (name: string) => {
    const { status, error } = await call(app, 'tools/call', { name, arguments: {} }, { headers: { origin: PAGE } })
    return { status, code: error?.code, message: error?.message.replace(name, 'NAME') }
  }

  t.strictSame(await ask('erase'), await ask('nothing'))
})

t.test('B50: with access control a token says who calls', async t => {
  const { guarded, bearer } = await import('../../support/auth/guarded.ts')
  const app = await guarded(t)
  const headers = { origin: PAGE, ...bearer('read write') }
  const { error } = await call(app, 'tools/call', { name: 'doubly', arguments: {} }, { headers })

  t.not(error?.code, 40300)
})
