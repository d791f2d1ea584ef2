// Requests of 2026-07-28 to a replica, or to the proxy: every message is checked against the schema.
import { type CallOptions, type Reply, readMessages, request } from '../app.ts'
import { ABLE_AND_TASKS } from '../tasks/modern.ts'
import { assertWire } from '../wire/modern.ts'
import type { Place } from './session.ts'

/** Half a minute of them. */
const MAX_TRIES = 150

/** Asked again where Redis did not answer in time, as it may not on a busy machine. */
export async function ask(at: Place, method: string, params: object = {}, options: CallOptions = {}): Promise<Reply> {
  for (let tries = 1; ; tries++) {
    const reply = await askOnce(at, method, params, options)
    if (!isStateAway(reply) || tries === MAX_TRIES) return reply
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}

const isStateAway = ({ status, error }: Reply) => status === 503 && /^State unavailable/.test(error?.message ?? '')

async function askOnce(at: Place, method: string, params: object, options: CallOptions): Promise<Reply> {
  const { message, headers } = request(method, { ...params }, { capabilities: ABLE_AND_TASKS, ...options })
  const { host: _, ...rest } = headers
  const response = await fetch(at.url, { method: 'POST', headers: rest, body: JSON.stringify(message) })
  const messages = readMessages(response.headers.get('content-type') ?? '', await response.text())
  for (const each of messages) assertWire(each, method)
  const last = messages.at(-1)
  if (last === undefined) throw new Error(`no message in the answer: ${response.status}`)
  const headersOf = Object.fromEntries(response.headers)
  return { ...last, status: response.status, headers: headersOf, notifications: messages.slice(0, -1) }
}

/** @param more such as the answers of a round */
export const callTool = (at: Place, name: string, args: object = {}, more: object = {}): Promise<Reply> =>
  ask(at, 'tools/call', { name, arguments: args, ...more })

export const openGate = (at: Place, name: string): Promise<Reply> => callTool(at, 'open_gate', { name })
