// Without access control a page of another port of this machine may read, and change nothing, at every door.
import t, { type Test } from 'tap'
import { defineTool, type ServerOptions } from '../../../src/index.ts'
import { build, call, listening } from '../../support/app.ts'
import { connect } from '../../support/legacy/http-sse-client.ts'
import { connected, initializing } from '../../support/legacy/session.ts'
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
  t.equal(await from('http://127.0.0.1:3000', 'localhost:3000'), undefined, 'the URL of the settings')
  t.equal(await from('http://localhost:3001', 'localhost:3000'), 40300)
  t.equal(await from('http://[::1]:3000', 'localhost:3000'), 40300, 'another program may listen there')
})

t.test('B50: with access control a token says who calls', async t => {
  const { guarded, bearer } = await import('../../support/auth/guarded.ts')
  const app = await guarded(t)
  const headers = { origin: PAGE, ...bearer('read write') }
  const { error } = await call(app, 'tools/call', { name: 'doubly', arguments: {} }, { headers })

  t.not(error?.code, 40300)
})
