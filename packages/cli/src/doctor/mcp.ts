// Requests of MCP as raw HTTP, so that each header and each byte of an answer can be checked.
import type { JsonObject } from 'toolrack'
import { isObject, META_CAPABILITIES, META_CLIENT, META_VERSION, MODERN_VERSIONS, VERSIONS } from 'toolrack/protocol'
import type { CheckContext, Session } from './check-context.ts'
import type { HttpAnswer, Sending } from './http.ts'
import { reportMessageFaults } from './message-faults.ts'
import { findEvents, parseJson } from './messages.ts'

export const [MODERN] = MODERN_VERSIONS as readonly [string]
/** Revisions with a handshake, newest first. */
export const LEGACY = VERSIONS.filter(version => !MODERN_VERSIONS.includes(version)) as [string, ...string[]]
/** No revision has or will have this date. */
export const UNKNOWN_REVISION = '1999-12-31'
const CLIENT = { name: 'toolrack-doctor', version: '1.0.0' }
const BOTH = 'application/json, text/event-stream'

export interface Reply extends HttpAnswer {
  readonly result?: JsonObject
  readonly error?: { readonly code: unknown; readonly message: string }
}

/** A request of the newest era. It contains everything that the server has to know. */
export const sendModern = (
  context: CheckContext,
  method: string,
  params: JsonObject = {},
  sending: Sending = {},
): Promise<Reply> => {
  const _meta = {
    [META_VERSION]: MODERN,
    [META_CLIENT]: CLIENT,
    [META_CAPABILITIES]: {},
  }
  const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...sending.headers }
  return sendRpc(context, { id: nextId(), method, params: { ...params, _meta } }, { ...sending, headers })
}

/** Clients of the SDKs count their requests from 0, so this is the id of nearly every handshake. */
export const HANDSHAKE_ID = 0

/** The handshake of older revisions. If it opens a session, the session is ended after the checks. */
export async function initialize(
  context: CheckContext,
  protocolVersion: string,
  sending: Sending = {},
): Promise<Reply & { readonly session: Session | undefined }> {
  const params = { protocolVersion, capabilities: {}, clientInfo: CLIENT }
  const reply = await sendRpc(context, { id: context.handshakeId, method: 'initialize', params }, sending)
  const session = toSession(reply)
  if (session !== undefined) context.sessions.add(session)
  return { ...reply, session }
}

const toHeaders = ({ id, version }: Session): Record<string, string> => ({
  'mcp-protocol-version': version,
  ...(id !== undefined && { 'mcp-session-id': id }),
})

/** @returns undefined unless this is the answer to `initialize` */
function toSession({ result, headers }: Reply): Session | undefined {
  const version = result?.['protocolVersion']
  if (typeof version !== 'string') return undefined
  const id = headers['mcp-session-id']
  const capabilities = isObject(result?.['capabilities']) ? result['capabilities'] : {}
  return { id: typeof id === 'string' ? id : undefined, version, capabilities }
}

export const sendLegacy = (
  context: CheckContext,
  session: Session,
  method: string,
  params: JsonObject = {},
  sending: Sending = {},
): Promise<Reply> =>
  sendRpc(
    context,
    { id: nextId(), method, params },
    { ...sending, headers: { ...toHeaders(session), ...sending.headers } },
  )

/** Says that the client is ready; there is no answer. */
export const sendInitialized = ({ send, url }: CheckContext, session: Session): Promise<HttpAnswer> =>
  send(url, {
    method: 'POST',
    headers: { accept: BOTH, ...toHeaders(session) },
    body: { jsonrpc: '2.0', method: 'notifications/initialized' },
  })

/** The stream on which the server can speak first. */
export const openSessionStream = (
  { send, url }: CheckContext,
  session: Session,
  sending: Sending,
): Promise<HttpAnswer> => send(url, { ...sending, headers: { accept: 'text/event-stream', ...toHeaders(session) } })

export async function endSession({ send, url, sessions }: CheckContext, session: Session): Promise<void> {
  sessions.delete(session)
  if (session.id !== undefined) await send(url, { method: 'DELETE', headers: toHeaders(session) })
}

/** The same harmless request in the era of the server. */
export const ask = (context: CheckContext, sending: Sending = {}): Promise<Reply> =>
  context.modern !== undefined || context.session === undefined
    ? sendModern(context, 'server/discover', {}, sending)
    : sendLegacy(context, context.session, context.harmless, {}, sending)

let lastId = 0

const nextId = () => `doctor-${++lastId}`

interface Request {
  readonly id: unknown
  readonly method: string
  readonly params: object
}

async function sendRpc(context: CheckContext, request: Request, sending: Sending): Promise<Reply> {
  const { id } = request
  const headers = { accept: BOTH, ...sending.headers }
  const isAnswered = (body: string) => findEvents(body).some(({ message }) => message['id'] === id)
  const body = { jsonrpc: '2.0', ...request }
  const answer = await context.send(context.url, { until: isAnswered, ...sending, method: 'POST', headers, body })
  const events = findEvents(answer.body, true).map(({ message }) => message)
  const messages = events.length > 0 ? events : parseJson(answer.body)
  const message = messages.find(each => each['id'] === id) ?? messages.find(isResponse) ?? {}
  reportMessageFaults(context, request, answer, message)
  return {
    ...answer,
    ...(isObject(message['result']) && { result: message['result'] }),
    ...(isObject(message['error']) && { error: message['error'] as Reply['error'] & object }),
  }
}

const isResponse = (message: JsonObject) => 'result' in message || 'error' in message
