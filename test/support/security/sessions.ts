// Attacks on sessions: sends messages as a client with a handshake does, and checks what must hold
// after every attack (test/security/README.md).
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { ServerOptions } from '../../../src/index.ts'
import { type App, readMessages } from '../app.ts'
import { wireOf } from '../wire/legacy.ts'
import type { WireMessage } from '../wire/modern.ts'
import { assertAlive, assertClean, recorder, target } from './probe.ts'

export const OLDER = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const
export const NEWEST = OLDER[0]
export const BATCHES = '2025-03-26'

export interface Said {
  /** The session that is named; none where it is undefined. */
  session?: string | undefined
  body?: unknown
  verb?: 'GET' | 'POST' | 'DELETE' | 'HEAD' | 'PUT' | 'PATCH' | 'OPTIONS'
  url?: string
  headers?: Record<string, string | string[] | undefined>
}

export interface Heard {
  status: number
  headers: Record<string, unknown>
  text: string
  messages: WireMessage[]
  /** The one that is an answer. */
  message: WireMessage | undefined
}

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

/** Sends one POST, GET or DELETE of a session. */
export async function say(app: FastifyInstance, { session, body, verb = 'POST', url = '/mcp', headers = {} }: Said) {
  const all = {
    host: 'localhost',
    accept: 'application/json, text/event-stream',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(session !== undefined && { 'mcp-session-id': session }),
    ...headers,
  }
  const sent = Object.entries(all).filter(([, value]) => value !== undefined)
  const payload = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const response = await app.inject({
    method: verb,
    url,
    headers: Object.fromEntries(sent) as Record<string, string>,
    ...(payload !== undefined && { payload: payload as string }),
  })
  const { statusCode: status, body: text } = response
  const messages =
    text === '' ? [] : readMessages(String(response.headers['content-type']), text.replace(/^data: $/gm, '')).flat()
  const answers = messages.filter(({ method }) => method === undefined)
  return { status, headers: response.headers, text, messages, message: answers.at(-1) } as Heard
}

/** Opens a session. @returns its id */
export async function openSession(
  app: FastifyInstance,
  revision: string = NEWEST,
  { capabilities = {}, headers = {} }: { capabilities?: object; headers?: Record<string, string> } = {},
): Promise<string> {
  const { status, headers: got, message } = await say(app, { body: handshake(revision, capabilities), headers })
  if (status !== 200 || message?.result?.protocolVersion !== revision) throw new Error(`no session: ${status}`)
  wireOf(revision)(message, 'initialize')
  return String(got['mcp-session-id'])
}

/** Sends it and checks what must hold after every attack. @throws Error if it does not */
export async function attackIn(app: App, sent: Said, revision: string = NEWEST): Promise<Heard> {
  const loggedTo = app.logs.text.length
  const auditedTo = { text: app.audit.text.length, lines: app.audit.lines.length }
  const heard = await say(app, sent)
  const logged = app.logs.text.slice(loggedTo)
  assertClean(`${JSON.stringify({ ...heard.headers, 'mcp-session-id': undefined })} ${heard.text}`, 'reply')
  const audited = app.audit.text.slice(auditedTo.text)
  assertClean(logged, 'log')
  assertClean(audited, 'audit')
  if (sent.session !== undefined && sent.session.length > 20 && (logged + audited).includes(sent.session)) {
    throw new Error('a session id is in the log')
  }
  for (const message of heard.messages) wireOf(revision)(message)
  const answers = heard.messages.filter(({ method }) => method === undefined)
  const count = Array.isArray(sent.body) && heard.status === 200 ? sent.body.length : 1
  if (answers.length > count) throw new Error(`${answers.length} answers: ${heard.text.slice(0, 300)}`)
  const outcomes = app.audit.lines.slice(auditedTo.lines)
  if (outcomes.length !== (isNoted(sent, heard) ? Math.max(answers.length, 1) : 0)) {
    throw new Error(`audited ${JSON.stringify(outcomes)}`)
  }
  await assertAlive(app)
  return heard
}

// What is neither answered nor refused leaves no line: what a client says in passing, and a preflight.
const isNoted = ({ verb }: Said, { status }: Heard) => status !== 202 && verb !== 'OPTIONS'

/** A server with the tool `echo`, and a session in it. */
export async function inSession(t: Test, revision: string = NEWEST, options: ServerOptions = {}, capabilities = {}) {
  const { tool, received } = recorder()
  const app = await target(t, { ...options, tools: [tool, ...(options.tools ?? [])] })
  const session = await openSession(app, revision, { capabilities })
  return { app, session, received }
}

/** That a session is served as before. @throws Error where it is not */
export async function assertServed(app: FastifyInstance, session: string, headers: Record<string, string> = {}) {
  const { status, message } = await say(app, { session, body: callOf('probe', { n: 7 }, 'served?'), headers })
  const text = message?.result?.content?.[0].text ?? message?.result?.toolResult
  if (status !== 200 || message?.id !== 'served?' || text !== 'probe 7') {
    throw new Error(`the session is not served: ${status} ${JSON.stringify(message)}`)
  }
}
