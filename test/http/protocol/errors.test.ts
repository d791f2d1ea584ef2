// Every row of the error catalogue, as a client meets it: its code, its HTTP status and the shape of JSON-RPC.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { definePrompt, defineResource, defineTool, type ServerOptions, toolrack } from '../../../src/index.ts'
import { CATALOGUE, type ErrorName, McpError } from '../../../src/protocol/errors.ts'
import {
  type App,
  build,
  type CallOptions,
  call,
  listening,
  listeningInTime,
  type Reply,
  request,
} from '../../support/app.ts'
import { AUDIENCE, ISSUER, keyIssuers } from '../../support/auth/forge.ts'
import { signed } from '../../support/auth/tokens.ts'
import { inject } from '../../support/client/transport.ts'
import { openSession } from '../../support/security/sessions.ts'
import { talk } from '../../support/security/socket.ts'
import { get, job, rack, UNKNOWN_ID } from '../../support/tasks/modern.ts'
import { assertWire } from '../../support/wire/modern.ts'

// They mostly wait.
t.jobs = 4

const LOGGED = 'a detail that only the log may have'

const asks = defineTool({
  name: 'ask',
  inputSchema: { type: 'object' },
  handler: (_args, ctx) => ctx.elicit('k', { message: 'm', requestedSchema: { type: 'object', properties: {} } }),
})
const greet = definePrompt({ name: 'greet', arguments: [{ name: 'who', required: true }], handler: () => 'hello' })
const broken = definePrompt({
  name: 'broken',
  handler() {
    throw new Error('no more prompts')
  },
})
const note = defineResource({ uri: 'memory://note', name: 'note', handler: () => 'note' })

/** Sends a right request to a server with one of everything. */
const ask =
  (method: string, params: Record<string, unknown> = {}, options: CallOptions = {}, settings: ServerOptions = {}) =>
  async (t: Test): Promise<Reply> =>
    call(await serverOf(t, settings), method, params, options)

const serverOf = (t: Test, settings: ServerOptions = {}) =>
  build(t, { tools: [asks], prompts: [greet, broken], resources: [note], ...settings })

/** Sends anything to it. */
const post =
  (body: string, headers: Record<string, string> = {}, more: { method?: 'PUT'; url?: string } = {}) =>
  async (t: Test): Promise<Reply> =>
    send(await serverOf(t), body, headers, more)

async function send(app: Pick<App, 'inject'>, payload: string, headers = {}, more = {}): Promise<Reply> {
  const all = { ...request('server/discover').headers, ...headers }
  const response = await app.inject({ method: 'POST', url: '/mcp', headers: all, payload, ...more })
  const message = assertWire(response.json())
  return { ...message, status: response.statusCode, headers: response.headers, notifications: [] }
}

const discover = JSON.stringify(request('server/discover', {}, { id: 1 }).message)

/** A tool that waits, a call of it under way, and how to let it end. */
async function held(t: Test, settings: ServerOptions = {}) {
  const entered = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const hold = {
    name: 'hold',
    handler() {
      entered.resolve()
      return gate.promise
    },
  }
  const { app, url } = await listening(t, { tools: [hold], ...settings })
  const first = call(app, 'tools/call', { name: 'hold', arguments: {} })
  await entered.promise
  const release = () => {
    gate.resolve()
    return first
  }
  return { app, url, release }
}

async function rateLimited(t: Test): Promise<Reply> {
  const app = await serverOf(t, { rateLimit: { max: 1 } })
  await call(app, 'server/discover')
  return call(app, 'server/discover')
}

async function busy(t: Test): Promise<Reply> {
  const { app, release } = await held(t, { limits: { maxConcurrentCalls: 1, maxQueuedCalls: 0 } })
  const reply = await call(app, 'tools/call', { name: 'hold', arguments: {} })
  await release()
  return reply
}

async function draining(t: Test): Promise<Reply> {
  const { app, url, release } = await held(t, { drainMs: 60_000 })
  const closed = app.close()
  const response = await fetch(url, { method: 'POST', headers: request('server/discover').headers, body: discover })
  await release()
  await closed
  const message = assertWire((await response.json()) as Reply)
  return { ...message, status: response.status, headers: Object.fromEntries(response.headers), notifications: [] }
}

// A fault that is ours, or of the app around us: here a hook of the latter.
async function internalError(t: Test): Promise<Reply> {
  const app = Fastify().addHook('preHandler', async () => {
    throw new Error(LOGGED)
  })
  t.teardown(() => app.close())
  await app.register(toolrack, {})
  return send(app as never, discover)
}

const SECRET = 'a secret of at least thirty-two bytes'

async function insufficient(t: Test): Promise<Reply> {
  const app = await serverOf(t, {
    jwt: { secret: SECRET },
    tools: [{ name: 'closed', scopes: ['keys'], handler: () => 'in' }],
  })
  const token = signed(SECRET, { aud: 'http://127.0.0.1:3000/mcp' })
  return call(app, 'tools/call', { name: 'closed', arguments: {} }, { headers: { authorization: `Bearer ${token}` } })
}

const many = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`x-${index}`, 'y']))
const version = request('server/discover', {}, { meta: { 'io.modelcontextprotocol/protocolVersion': '1900-01-01' } })

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
const setLevel = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'info' } })
const OLDER = { 'mcp-protocol-version': '2025-11-25' }

const lasting = job('lasting', () => new Promise(() => {}))

const taskNotFound = async (t: Test): Promise<Reply> => get(await rack(t, [lasting]), UNKNOWN_ID)

// Only there is a cancellation refused.
async function taskEnded(t: Test): Promise<Reply> {
  const app = await rack(t, [lasting])
  const session = await openSession(app)
  const said = (method: string, params: object) =>
    inject(app).send({ session, body: { jsonrpc: '2.0', id: 1, method, params }, headers: OLDER })
  const called = await said('tools/call', { name: 'lasting', arguments: {}, task: {} })
  const { taskId } = called.message!.result.task
  await said('tasks/cancel', { taskId })
  const { status, headers, message } = await said('tasks/cancel', { taskId })
  return { ...message!, status, headers, notifications: [] }
}

// Nothing listens there.
const stateUnavailable = async (t: Test): Promise<Reply> =>
  get(await rack(t, [lasting], { redis: { url: 'redis://127.0.0.1:1' } }), UNKNOWN_ID)

// Nothing listens there either.
const keysUnknown = async (t: Test): Promise<Reply> => {
  const access = { jwt: { jwksUrl: 'http://127.0.0.1:9/jwks', issuer: ISSUER, audience: AUDIENCE } }
  const headers = { authorization: `Bearer ${keyIssuers()[0]!.token()}` }
  return ask('tools/list', {}, { headers }, access)(t)
}

async function auditUnavailable(t: Test): Promise<Reply> {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-audit-'))
  const app = await serverOf(t, { audit: { required: true, file: join(folder, 'audit.log'), stream: undefined } })
  rmSync(folder, { recursive: true })
  app.toolrack.reopenAudit()
  return call(app, 'tools/list')
}

// Refused before there is a request.
const overSocket =
  (bytes: string) =>
  async (t: Test): Promise<Reply> => {
    const { port } = await listeningInTime(t)
    const [response] = (await talk(port, bytes)).responses
    return { ...JSON.parse(response!.body), status: response!.status, headers: {}, notifications: [] }
  }

const PRODUCERS: Record<ErrorName, (t: Test) => Promise<Reply>> = {
  PARSE_ERROR: post('{"jsonrpc":'),
  INVALID_REQUEST: post('[]'),
  METHOD_NOT_FOUND: ask('tools/nope'),
  INVALID_PARAMS: ask('tools/list', { cursor: 7 }),
  UNKNOWN_TOOL: ask('tools/call', { name: 'nope', arguments: {} }),
  UNKNOWN_PROMPT: ask('prompts/get', { name: 'nope' }),
  RESOURCE_NOT_FOUND: ask('resources/read', { uri: 'memory://nope' }),
  INVALID_ARGUMENTS: ask('prompts/get', { name: 'greet', arguments: {} }),
  INVALID_CURSOR: ask('tools/list', { cursor: 'nope' }),
  TASK_NOT_FOUND: taskNotFound,
  TASK_ENDED: taskEnded,
  INVALID_STATE: ask('tools/call', { name: 'ask', arguments: {}, requestState: 'nope' }),
  HANDLER_FAILED: ask('prompts/get', { name: 'broken' }),
  INTERNAL_ERROR: internalError,
  HEADER_MISMATCH: ask('tools/list', {}, { headers: { 'mcp-method': 'tools/call' } }),
  MISSING_CAPABILITY: ask('tools/call', { name: 'ask', arguments: {} }),
  UNSUPPORTED_VERSION: post(JSON.stringify(version.message), { 'mcp-protocol-version': '1900-01-01' }),
  UNAUTHENTICATED: ask('tools/list', {}, {}, { jwt: { secret: SECRET } }),
  INSUFFICIENT_SCOPE: insufficient,
  FORBIDDEN_ORIGIN: ask('tools/list', {}, { headers: { origin: 'https://evil.example' } }),
  FORBIDDEN_HOST: ask('tools/list', {}, { headers: { host: 'evil.example' } }),
  NOT_FOUND: post(discover, {}, { url: '/nope' }),
  SESSION_REQUIRED: post(setLevel, OLDER),
  SESSION_NOT_FOUND: post(ping, { ...OLDER, 'mcp-session-id': 'nope' }),
  METHOD_NOT_ALLOWED: post('', {}, { method: 'PUT' }),
  NOT_ACCEPTABLE: ask('tools/list', {}, { headers: { accept: 'text/html' } }),
  BODY_TOO_LARGE: ask('tools/list', { pad: 'x'.repeat(2000) }, {}, { limits: { maxBodyBytes: 1024 } }),
  REQUEST_TIMEOUT: overSocket('POST /mcp HTTP/1.1\r\nhost: localhost\r\n'),
  EXPECTATION_FAILED: overSocket('POST /mcp HTTP/1.1\r\nhost: localhost\r\nexpect: tea\r\ncontent-length: 0\r\n\r\n'),
  UNSUPPORTED_MEDIA_TYPE: ask('tools/list', {}, { headers: { 'content-type': 'text/plain' } }),
  NOT_IMPLEMENTED: overSocket(
    'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
  ),
  RATE_LIMITED: rateLimited,
  TOO_MANY_HEADERS: ask('tools/list', {}, { headers: many }),
  BUSY: busy,
  UNVERIFIABLE: keysUnknown,
  STATE_UNAVAILABLE: stateUnavailable,
  AUDIT_UNAVAILABLE: auditUnavailable,
  DRAINING: draining,
}

for (const [name, { code, status, text }] of Object.entries(CATALOGUE)) {
  t.test(`${name} is ${code} with HTTP ${status}`, async t => {
    const produce = (PRODUCERS as Record<string, ((t: Test) => Promise<Reply>) | undefined>)[name]
    if (produce === undefined) return t.fail(`nothing here produces ${name}`)

    const { error, status: got, headers } = await produce(t)

    t.match({ status: got, code: error.code }, { status, code })
    t.ok(error.message.startsWith(text.split('%s')[0]), error.message)
    t.notMatch(JSON.stringify(error), LOGGED)
    if (status === 429 || status === 503) t.match(headers['retry-after'], /^[1-9]\d*$/)
  })
}

t.test('codes of our own are outside of what JSON-RPC and MCP reserve', async t => {
  const spec = new Set([-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022])

  for (const [name, { code }] of Object.entries(CATALOGUE))
    t.ok(spec.has(code) || code < -32768 || code > -32000, `${name} ${code}`)
})

t.test('an error quotes what was sent on one line, clean and cut', async t => {
  const { message } = new McpError('UNKNOWN_TOOL', `a\r\n\u001b[31mb\u202e\u2028\u{e0041}${'x'.repeat(500)}`)

  t.notMatch(message, /[\p{Cc}\p{Cf}\u2028]/u)
  t.ok(message.length < 230)
})

t.test('an error that is cut is still well-formed, and holds no pattern of a replacement', async t => {
  t.ok(new McpError('UNKNOWN_TOOL', `${'x'.repeat(199)}😀😀`).message.isWellFormed())
  t.ok(new McpError('UNKNOWN_TOOL', '\ud800').message.isWellFormed())
  t.equal(new McpError('UNKNOWN_TOOL', '$& $1 %s').message, 'Unknown tool: $& $1 %s')
})
