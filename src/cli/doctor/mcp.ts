// Requests of MCP as raw HTTP, so that each header and each byte of an answer can be looked at.
import { META_CAPABILITIES, META_CLIENT, META_VERSION } from '../../protocol/classify.ts'
import { isObject, type JsonObject } from '../../protocol/messages.ts'
import { MODERN_VERSIONS, VERSIONS } from '../../protocol/revisions/index.ts'
import type { HttpAnswer, Send, Sending } from './http.ts'

export const [MODERN] = MODERN_VERSIONS as readonly [string]
/** Those with a handshake, newest first. */
export const LEGACY = VERSIONS.filter(version => !MODERN_VERSIONS.includes(version)) as [string, ...string[]]
const CLIENT = { name: 'toolrack-doctor', version: '1.0.0' }
const BOTH = 'application/json, text/event-stream'

export interface Reply extends HttpAnswer {
  readonly result?: JsonObject
  readonly error?: { readonly code: unknown; readonly message: string }
}

/** A request of the newest era: it carries all that the server has to know. */
export const sendModern = (
  send: Send,
  url: URL,
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
  return sendRpc(send, url, method, { ...params, _meta }, { ...sending, headers })
}

/** The handshake of older revisions. */
export const initialize = (send: Send, url: URL, protocolVersion: string, sending: Sending = {}): Promise<Reply> =>
  sendRpc(send, url, 'initialize', { protocolVersion, capabilities: {}, clientInfo: CLIENT }, sending)

export interface Session {
  readonly id: string | undefined
  readonly version: string
  readonly capabilities: JsonObject
}

export const toHeaders = ({ id, version }: Session): Record<string, string> => ({
  'mcp-protocol-version': version,
  ...(id !== undefined && { 'mcp-session-id': id }),
})

/** @returns undefined if it was no answer to `initialize` */
export function toSession({ result, headers }: Reply): Session | undefined {
  const version = result?.['protocolVersion']
  if (typeof version !== 'string') return undefined
  const id = headers['mcp-session-id']
  const capabilities = isObject(result?.['capabilities']) ? result['capabilities'] : {}
  return { id: typeof id === 'string' ? id : undefined, version, capabilities }
}

export const sendLegacy = (
  send: Send,
  url: URL,
  session: Session,
  method: string,
  params: JsonObject = {},
  sending: Sending = {},
): Promise<Reply> =>
  sendRpc(send, url, method, params, { ...sending, headers: { ...toHeaders(session), ...sending.headers } })

/** The client says that it is ready; nothing comes back. */
export const sendInitialized = (send: Send, url: URL, session: Session): Promise<HttpAnswer> =>
  send(url, {
    method: 'POST',
    headers: { accept: BOTH, ...toHeaders(session) },
    body: { jsonrpc: '2.0', method: 'notifications/initialized' },
  })

export const endSession = (send: Send, url: URL, session: Session): Promise<HttpAnswer> =>
  send(url, { method: 'DELETE', headers: toHeaders(session) })

let lastId = 0

async function sendRpc(send: Send, url: URL, method: string, params: object, sending: Sending): Promise<Reply> {
  const id = `doctor-${++lastId}`
  const headers = { accept: BOTH, ...sending.headers }
  const isAnswered = (body: string) => findEvents(body).some(message => message['id'] === id)
  const body = { jsonrpc: '2.0', id, method, params }
  const answer = await send(url, { until: isAnswered, ...sending, method: 'POST', headers, body })
  const messages = isEventStream(answer) ? findEvents(answer.body) : parseJson(answer.body)
  const message = messages.find(each => each['id'] === id) ?? messages[0]
  return {
    ...answer,
    ...(isObject(message?.['result']) && { result: message['result'] }),
    ...(isObject(message?.['error']) && { error: message['error'] as Reply['error'] & object }),
  }
}

export const isEventStream = ({ headers }: Pick<HttpAnswer, 'headers'>): boolean =>
  /^text\/event-stream\b/i.test(headers['content-type'] ?? '')

export function parseJson(text: string): readonly JsonObject[] {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? [value] : []
  } catch {
    return []
  }
}

/** The messages of the events that have come whole. */
function findEvents(body: string): readonly JsonObject[] {
  if (!/^\s*(?:event|data|id|retry|:)/.test(body)) return []
  const events = body.split(/\r?\n\r?\n/).slice(0, -1)
  const data = (event: string) =>
    event
      .split(/\r?\n/)
      .filter(line => line.startsWith('data:'))
      .map(line => line.slice(5).replace(/^ /, ''))
      .join('\n')
  return events.flatMap(event => parseJson(data(event)))
}
