// Refuses requests that need a session and have none.
// Spec 2025-11-25: basic/transports, "Session Management".
import { McpError } from '../protocol/errors.ts'
import type { Exchange, SessionControl } from './exchange.ts'

/** @param use of the session, such as `for logging/setLevel` */
export const createSessionRequiredError = (use = '') =>
  new McpError('SESSION_REQUIRED', `${use} send Mcp-Session-Id, or open a session with initialize`.trimStart())

/** @throws McpError SESSION_REQUIRED (400) for a method that changes a session */
export function requireSession({ session, method }: Exchange): SessionControl {
  if (session === undefined) throw createSessionRequiredError(`for ${method}`)
  return session
}
