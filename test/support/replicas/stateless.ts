// Requests of 2026-07-28 to a replica, or to the proxy: every message is checked against the schema.
import { ask as askBy, type CallOptions, type Reply } from '../app.ts'
import type { Place } from '../client/transport.ts'
import { replica } from '../client/transport.ts'
import { ABLE_AND_TASKS } from '../tasks/modern.ts'

export const ask = (at: Place, method: string, params: object = {}, options: CallOptions = {}): Promise<Reply> =>
  askBy(replica(at), method, params, { capabilities: ABLE_AND_TASKS, ...options })

/** @param more such as the answers of a round */
export const callTool = (at: Place, name: string, args: object = {}, more: object = {}): Promise<Reply> =>
  ask(at, 'tools/call', { name, arguments: args, ...more })

export const openGate = (at: Place, name: string): Promise<Reply> => callTool(at, 'open_gate', { name })
