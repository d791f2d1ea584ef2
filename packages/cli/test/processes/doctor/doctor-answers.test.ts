// `toolrack doctor` against servers whose answers, sessions, streams or headers are wrong in one way.

import type { IncomingHttpHeaders } from 'node:http'
import { createGzip } from 'node:zlib'
import t, { type Test } from 'tap'
import { defineTool } from '../../../../../src/index.ts'
import { listening } from '../../../../../test/support/app.ts'
import {
  answering,
  fakeServer,
  INITIALIZED,
  rewritingProxy,
  send,
  sendJson,
  strict,
} from '../../../../../test/support/broken-servers.ts'
import { runPiped } from '../../../../../test/support/command-line.ts'
import { type Row, testRows } from '../../../../../test/support/doctor-faults.ts'
import { merged } from '../../../../../test/support/merged.ts'
import { listen } from '../../../../../test/support/servers/http-server.ts'

// Many processes, one after the other.
t.setTimeout(900_000)

const tools = [defineTool({ name: 'get_price', description: 'Finds a price.', handler: () => 'never called' })]

// biome-ignore lint/suspicious/noExplicitAny: fakes build messages freely
type Json = any

const toEvent = (body: Json, head = '') => `${head}data: ${JSON.stringify(body)}\n\n`

/** Toolrack behind a proxy that changes headers. */
const behind = async (t: Test, rewriting: Parameters<typeof rewritingProxy>[2], options: Json = {}) => {
  const { url } = await listening(t, merged({ tools, rateLimit: { max: 100_000 } }, options))
  return rewritingProxy(t, url, rewriting)
}
const without = (name: string) => (headers: IncomingHttpHeaders) => void delete headers[name]

const ROWS: readonly Row[] = [
  {
    name: 'JSON is sent as text/plain',
    start: t => answering(t, ({ response }, body) => send(response, 200, JSON.stringify(body), 'text/plain')),
    id: 'content-type',
    cause: /^JSON comes as text\/plain$/,
    fix: /send Content-Type: application\/json/,
  },
  {
    name: 'JSON is sent without a type',
    start: t => answering(t, ({ response }, body) => response.end(JSON.stringify(body))),
    id: 'content-type',
    cause: /^JSON comes without a Content-Type$/,
    fix: /send Content-Type/,
  },
  {
    name: 'answers have another id',
    start: t => answering(t, ({ response }, body) => sendJson(response, 200, { ...body, id: 4711 })),
    id: 'other-id',
    cause: /^initialize with the id 0 is answered with the id 4711$/,
    fix: /answer with the id of the request/,
  },
  {
    name: 'numbers come back as texts',
    start: t => answering(t, ({ response }, body) => sendJson(response, 200, { ...body, id: String(body.id) })),
    id: 'other-id',
    cause: /^initialize with the id 0 is answered with the id "0"$/,
    fix: /of the same type/,
  },
  {
    name: 'the id 0 is taken for none',
    start: t =>
      fakeServer(t, {}, ({ response, message }) => {
        if (message.method !== 'initialize' || message.id !== 0) return false
        response.writeHead(202).end()
        return true
      }),
    id: 'zero-id',
    cause: /^initialize with the id 0 gets no answer \(202\), with another it does$/,
    fix: /only if it has no id; 0 is one/,
  },
  {
    name: 'messages have no version of JSON-RPC',
    start: t => answering(t, ({ response }, { jsonrpc: _, ...body }) => sendJson(response, 200, body)),
    id: 'no-jsonrpc',
    cause: /^an answer has jsonrpc: none$/,
    fix: /"jsonrpc": "2\.0"/,
  },
  {
    name: 'a result has an error beside it',
    start: t => answering(t, ({ response }, body) => sendJson(response, 200, { ...body, error: null })),
    id: 'error-beside-result',
    cause: /^an answer has both result and error$/,
    fix: /leave "error" away/,
  },
  {
    name: 'events have a type of their own',
    start: t =>
      answering(t, ({ response }, body) =>
        send(response, 200, toEvent(body, 'event: response\n'), 'text/event-stream'),
      ),
    id: 'event-type',
    cause: /^an answer comes as an event of the type response$/,
    fix: /of the type message/,
    beside: ['accept-json'],
  },
  {
    name: 'the last event is not ended',
    start: t => answering(t, ({ response }, body) => send(response, 200, toEvent(body).trimEnd(), 'text/event-stream')),
    id: 'open-event',
    cause: /^a stream ends before its last event has ended$/,
    fix: /two line feeds/,
    beside: ['accept-json'],
  },
  {
    name: 'a proxy drops Mcp-Method',
    start: t => behind(t, { onRequest: without('mcp-method') }),
    id: 'mcp-headers',
    cause: /^server\/discover is refused: .*Mcp-Method is missing/,
    fix: /pass headers whose names begin with Mcp-/,
  },
  {
    name: 'a proxy drops MCP-Protocol-Version',
    start: t => behind(t, { onRequest: without('mcp-protocol-version') }),
    id: 'mcp-headers',
    cause: /^server\/discover is refused: .*MCP-Protocol-Version is missing/,
    fix: /pass headers whose names begin with Mcp-/,
    beside: ['revision-header'],
  },
  {
    name: 'a proxy drops Mcp-Name',
    start: t => behind(t, { onRequest: without('mcp-name') }),
    id: 'mcp-headers',
    cause: /^a call is refused: .*Mcp-Name is missing/,
    fix: /pass headers whose names begin with Mcp-/,
  },
  {
    name: 'a proxy drops the session of answers',
    start: async t =>
      rewritingProxy(t, await strict(t), { onAnswer: ({ headers }) => without('mcp-session-id')(headers) }),
    id: 'session-id-not-given',
    cause: /^initialize gives no Mcp-Session-Id, and ping is refused \(400: Session required\)$/,
    fix: /pass the header Mcp-Session-Id of answers/,
  },
  {
    name: 'a proxy drops the session of requests',
    start: async t => rewritingProxy(t, await strict(t), { onRequest: without('mcp-session-id') }),
    id: 'session-id-dropped',
    cause: /^requests with a session are refused like those without one \(400: Session required\)$/,
    fix: /pass the header Mcp-Session-Id of requests/,
  },
  {
    name: 'every request reaches another replica',
    start: async t => {
      const [first, second] = [await strict(t), await strict(t)]
      return rewritingProxy(t, body => (body.includes('"initialize"') ? first : second))
    },
    id: 'session-forgotten',
    cause: /^a session is not known right after its handshake \(404: Session not found\)$/,
    fix: /let replicas share sessions/,
  },
  {
    name: 'an unknown session gets 400',
    start: t => strict(t, 400),
    id: 'unknown-session',
    severity: 'warning',
    cause: /^a session that the server cannot know gets 400: Session not found, not 404$/,
    fix: /with 404/,
  },
  {
    name: 'streams are cut after 300 ms',
    start: t => behind(t, { cutAfterMs: 300 }),
    id: 'stream-broken-off',
    cause: /^a stream broke off after \d+(?:\.\d)? m?s$/,
    fix: /time-outs of each proxy/,
  },
  {
    name: 'streams end after 300 ms',
    start: t =>
      fakeServer(t, {}, ({ request, response }) => {
        if (request.method !== 'GET') return false
        response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
        response.write(': here\n\n')
        setTimeout(() => response.end(), 300)
        return true
      }),
    id: 'stream-ended',
    severity: 'warning',
    cause: /^a stream ended after .*, and nobody had closed it$/,
    fix: /keep the stream open, or answer GET with 405/,
  },
  {
    name: 'the headers of a stream do not come',
    start: t => fakeServer(t, {}, ({ request }) => request.method === 'GET'),
    id: 'stream-headers-late',
    severity: 'warning',
    cause: /^the headers of a stream do not come within 4 s$/,
    fix: /flush the headers at once/,
  },
  {
    name: 'GET gets a page',
    start: t =>
      fakeServer(t, {}, ({ request, response }) => {
        if (request.method === 'GET') send(response, 200, '<p>hello', 'text/html')
        return request.method === 'GET'
      }),
    id: 'get-answer',
    severity: 'warning',
    cause: /^GET is answered with 200 text\/html$/,
    fix: /with a stream, or with 405/,
  },
  {
    name: 'a handshake is answered with an unknown revision',
    start: t => fakeServer(t, { initialize: () => ({ ...INITIALIZED, protocolVersion: '2099-01-01' }) }),
    id: 'unknown-revision',
    cause: /^initialize is answered with the unknown revision 2099-01-01$/,
    fix: /with the revision that the client asks for/,
  },
  {
    name: 'any revision is agreed to',
    start: t =>
      fakeServer(t, {
        initialize: ({ message }) => ({ ...INITIALIZED, protocolVersion: message.params.protocolVersion }),
      }),
    id: 'agrees-to-all',
    severity: 'warning',
    cause: /^initialize agrees to 1999-12-31, a revision that never was$/,
    fix: /the newest that it knows/,
  },
  {
    name: 'the handshake names no server',
    start: t => fakeServer(t, { initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} } }) }),
    id: 'partial-handshake',
    cause: /^initialize is answered without serverInfo\.name and serverInfo\.version$/,
    fix: /serverInfo with name and version/,
  },
  {
    name: 'instructions are long',
    start: t => fakeServer(t, { initialize: () => ({ ...INITIALIZED, instructions: 'x'.repeat(2049) }) }),
    id: 'long-instructions',
    severity: 'warning',
    cause: /^its instructions have 2049 characters$/,
    fix: /shorten them/,
  },
  {
    name: 'unknown methods fail with 500',
    start: t =>
      fakeServer(t, {}, ({ message, response }) => {
        if (message.method === 'server/discover') send(response, 500, 'unknown method', 'text/plain')
        return message.method === 'server/discover'
      }),
    id: 'failing-probe',
    cause: /^server\/discover is answered with 500$/,
    fix: /error -32601/,
  },
  {
    name: 'ping is not served',
    start: t => fakeServer(t, { ping: () => undefined }),
    id: 'ping',
    severity: 'warning',
    cause: /^ping is refused \(200: no such method\)$/,
    fix: /an empty result/,
  },
  {
    name: 'notifications get 200',
    start: t =>
      fakeServer(t, {}, ({ request, message, response }) => {
        if (request.method !== 'POST' || message.id !== undefined) return false
        sendJson(response, 200, { ok: true })
        return true
      }),
    id: 'notification-answer',
    severity: 'warning',
    cause: /^a notification is answered with 200$/,
    fix: /with 202/,
  },
  {
    name: 'a charset is refused',
    start: t =>
      fakeServer(t, {}, ({ request, response }) => {
        if (request.headers['content-type']?.includes('charset') !== true) return false
        send(response, 415, 'no', 'text/plain')
        return true
      }),
    id: 'charset',
    severity: 'warning',
    cause: /charset=utf-8 is refused \(415\)$/,
    fix: /with parameters/,
  },
  {
    name: 'streams are compressed',
    start: t =>
      fakeServer(t, {}, ({ request, response }) => {
        if (request.method !== 'GET') return false
        response.writeHead(200, {
          'content-type': 'text/event-stream',
          'cache-control': 'no-cache',
          'content-encoding': 'gzip',
        })
        const packed = createGzip()
        packed.pipe(response)
        packed.write(': here\n\n')
        packed.flush()
        return true
      }),
    id: 'stream-compressed',
    severity: 'warning',
    cause: /^streams are compressed \(gzip\)$/,
    fix: /do not compress/,
  },
  {
    name: 'a server ends while it is examined',
    start: t =>
      fakeServer(t, {}, ({ request, count }) => {
        if (count < 15) return false
        request.socket.destroy()
        return true
      }),
    id: 'connection-lost',
    cause: /^a connection fails, and others did not \(ECONNRESET\)$/,
    fix: /look at its log/,
  },
  {
    name: 'the time is over',
    start: t => listen(t, () => {}),
    args: ['--timeout', '1s'],
    id: 'not-done',
    cause: /^not done after 1 s$/,
    fix: /--timeout 5m gives it more time/,
  },
  {
    name: 'a server has few requests to give',
    start: t =>
      fakeServer(t, {}, ({ response, count }) => {
        if (count < 15) return false
        send(response, 429, '', 'text/plain', { 'retry-after': '60' })
        return true
      }),
    id: 'too-many-requests',
    severity: 'warning',
    cause: /^refuses more requests now \(429\) retry-after: 60$/,
    fix: /run this again/,
  },
]

testRows(t, ROWS)

t.test('requests without a session get 404: that is an endpoint', async t => {
  const url = await rewritingProxy(t, await strict(t), {
    onAnswer: answer => {
      if (answer.status === 400) answer.status = 404
    },
  })

  const { stdout } = await runPiped(t, ['doctor', url, '--json', '--timeout', '5m'])

  const { problems, findings } = JSON.parse(stdout)
  t.equal(problems, 0, stdout)
  t.ok(findings.some((each: Json) => each.id === 'lists'))
})
