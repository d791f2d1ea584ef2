// What the endpoint does not do, and what it does. RFC 9110, 15.5.6.
import type { FastifyReply } from 'fastify'
import { McpError } from '../protocol/errors.ts'

/** METHOD_NOT_ALLOWED (405), with the verbs that are allowed in the reply's header. */
export function wrongVerb(reply: FastifyReply, why: string, allow = 'POST, GET, DELETE'): McpError {
  reply.header('allow', allow)
  return new McpError('METHOD_NOT_ALLOWED', why)
}
