// Attacks on sessions: sends messages as a client with a handshake does, and checks what must hold
// after every attack (test/security/README.md).
import { once } from 'node:events'
import net from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { ServerOptions } from '../../../src/index.ts'
import type { App } from '../app.ts'
import { NEWEST } from '../client/client.ts'
import type { TestReply } from '../client/reply.ts'
import { type Headers, type HttpRequest, inject, retrying, socket, type Transport } from '../client/transport.ts'
import { wireOf } from '../wire/legacy.ts'
import { assertAlive, assertClean, recorder, target } from './probe.ts'

export { NEWEST } from '../client/client.ts'
export { LEGACY_VERSIONS as OLDER } from '../wire/legacy.ts'
export const BATCHES = '2025-03-26'

/** A right call, with an id. */
export const callOf = (name: string, args: object = {}, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

export const handshake = (revision: string = NEWEST, capabilities: object = {}) => ({
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: revision, capabilities, clientInfo: { name: 'attacker', version: '1' } },
})

interface Opening {
  readonly capabilities?: object
  readonly headers?: Headers
}

/** Opens a session. @returns its id */
export const openSession = (app: FastifyInstance, revision: string = NEWEST, opening: Opening = {}): Promise<string> =>
  opened(inject(app), revision, opening)

/**
 * Opens a session over the wire, which ends with the test, and with it all that it has under way.
 *
 * @returns its id
 */
export async function openSessionAt(
  t: Test,
  port: number,
  { revision = NEWEST, ...opening }: Opening & { readonly revision?: string } = {},
): Promise<string> {
  // As clients do: a process that stood still with its machine takes itself for overloaded for a moment.
  const transport = retrying(socket(port, t), async ({ status }) => status === 503)
  const session = await opened(transport, revision, opening)
  const headers = { ...opening.headers, connection: 'close' }
  t.teardown(() =>
    socket(port)
      .send({ method: 'DELETE', session, headers })
      .catch(() => {}),
  )
  return session
}

async function opened(transport: Transport, revision: string, { capabilities = {}, headers = {} }: Opening) {
  const {
    status,
    headers: received,
    message,
    text,
  } = await transport.send({
    body: handshake(revision, capabilities),
    headers,
    check: message => wireOf(revision)(message, 'initialize'),
  })
  if (status !== 200 || message?.result?.protocolVersion !== revision) throw new Error(`no session: ${status} ${text}`)
  return String(received['mcp-session-id'])
}

/** Sends it and checks what must hold after every attack. @throws Error if it does not */
export async function attackIn(app: App, sent: HttpRequest, revision: string = NEWEST): Promise<TestReply> {
  const loggedTo = app.logs.text.length
  const auditedTo = { text: app.audit.text.length, lines: app.audit.lines.length }
  const reply = await inject(app).send({ method: 'POST', check: wireOf(revision), ...sent })
  const logged = app.logs.text.slice(loggedTo)
  assertClean(`${JSON.stringify({ ...reply.headers, 'mcp-session-id': undefined })} ${reply.text}`, 'reply')
  const audited = app.audit.text.slice(auditedTo.text)
  assertClean(logged, 'log')
  assertClean(audited, 'audit')
  if (sent.session !== undefined && sent.session.length > 20 && (logged + audited).includes(sent.session)) {
    throw new Error('a session id is in the log')
  }
  const answers = reply.messages.filter(({ method }) => method === undefined)
  const count = Array.isArray(sent.body) && reply.status === 200 ? sent.body.length : 1
  if (answers.length > count) throw new Error(`${answers.length} answers: ${reply.text.slice(0, 300)}`)
  const outcomes = app.audit.lines.slice(auditedTo.lines)
  if (outcomes.length !== (isNoted(sent, reply) ? Math.max(answers.length, 1) : 0)) {
    throw new Error(`audited ${JSON.stringify(outcomes)}`)
  }
  await assertAlive(app)
  return reply
}

// What is neither answered nor refused leaves no line: what a client says in passing, and a preflight.
const isNoted = ({ method }: HttpRequest, { status }: TestReply) => status !== 202 && method !== 'OPTIONS'

/** A server with the tool `echo`, and a session in it. */
export async function inSession(t: Test, revision: string = NEWEST, options: ServerOptions = {}, capabilities = {}) {
  const { tool, received } = recorder()
  const app = await target(t, { ...options, tools: [tool, ...(options.tools ?? [])] })
  const session = await openSession(app, revision, { capabilities })
  return { app, session, received }
}

/** That a session is served as before. @throws Error where it is not */
export async function assertServed(app: FastifyInstance, session: string, headers: Headers = {}) {
  const body = callOf('probe', { n: 7 }, 'served?')
  const { status, message } = await inject(app).send({ session, body, headers })
  const text = message?.result?.content?.[0].text ?? message?.result?.toolResult
  if (status !== 200 || message?.id !== 'served?' || text !== 'probe 7') {
    throw new Error(`the session is not served: ${status} ${JSON.stringify(message)}`)
  }
}

/** The stream of a session that nobody reads from. */
export async function unread(t: Test, port: number, session: string): Promise<net.Socket> {
  const reader = net.connect(port, '127.0.0.1').pause()
  reader.on('error', () => {})
  t.teardown(() => reader.destroy())
  await once(reader, 'connect')
  reader.write(
    `GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nmcp-session-id: ${session}\r\n\r\n`,
  )
  return reader
}

const subscribe = (uri: string, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'resources/subscribe',
  params: { uri },
})

/** Subscribes to so many resources, whose names are long. @returns their URIs */
export async function watchAll(t: Test, port: number, session: string, count: number): Promise<string[]> {
  const uris = Array.from({ length: count }, (_, index) => `doc:${index}:${'x'.repeat(1900)}`)
  for (const uri of uris) {
    const { status, text } = await socket(port, t).send({ session, body: subscribe(uri) })
    if (status !== 200 || !text.includes('"result":{}')) throw new Error(`not subscribed: ${text}`)
  }
  return uris
}
