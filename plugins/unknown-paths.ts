// What no route takes: another path, or a verb that Fastify does not route. Refused before its body is read, in which
// nothing can be wrong then, and counted by address: no token is looked at.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Settings } from '../src/config/settings.ts'
import { McpError } from '../src/protocol/errors.ts'
import { createErrorAnswer } from '../src/request/answer.ts'
import type { Limits } from '../src/state/limits.ts'
import { methodNotAllowed, sendJson } from '../src/transport/respond.ts'
import { createRequestCounter, createRequestRule, toAddressKey } from './rate-limit.ts'

export function createUnknownPathHook(settings: Settings, limits: Limits) {
  const { mcpPath } = settings
  const count = createRequestCounter(limits, createRequestRule(settings))
  const createRefusal = (request: FastifyRequest, reply: FastifyReply) =>
    request.raw.url === mcpPath
      ? methodNotAllowed(reply, 'send each message as a POST')
      : new McpError('NOT_FOUND', `the endpoint is ${mcpPath}`)
  return (request: FastifyRequest, reply: FastifyReply, done: (error: Error) => void) => {
    const refuse = (tooMany: McpError | undefined) => done(tooMany ?? createRefusal(request, reply))
    const refusal = count(toAddressKey(request.ip))
    if (refusal instanceof Promise) refusal.then(refuse, done)
    else refuse(refusal)
  }
}

/** For a path such as /%zz, which Fastify refuses before it looks for a route. */
export function refuseUrl(_error: unknown, _request: unknown, reply: FastifyReply): void {
  sendJson(reply, createErrorAnswer(new McpError('NOT_FOUND', 'the path is not percent-encoded UTF-8'), undefined))
}
