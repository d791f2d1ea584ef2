// What the routes refuse, as JSON-RPC: our own errors, and Fastify's, which are given a row of the catalogue.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { errorAnswer } from '../src/answer.ts'
import { endingOfError } from '../src/audit/outcome.ts'
import { McpError } from '../src/protocol/errors.ts'
import { findId } from '../src/protocol/find-id.ts'
import { type RequestId, readableId } from '../src/protocol/messages.ts'
import type { RefusalLog } from '../src/refusal-log.ts'
import { auditRequest, marksOf, type Observers } from '../src/transport/audit-request.ts'
import type { BodyBytes } from '../src/transport/body-bytes.ts'
import { Lingering } from '../src/transport/linger.ts'
import { UnreadBodies } from '../src/transport/unread-body.ts'

function toMcpError(error: FastifyError): unknown {
  if (error instanceof McpError) return error
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new McpError('UNSUPPORTED_MEDIA_TYPE', 'expected application/json')
    case 'FST_UNDER_PRESSURE': // of an app that sheds its load itself, and has said when to retry
      return new McpError('BUSY', 'the process is overloaded; retry')
    case 'ECONNRESET': // no fault of ours, and nobody left to read the answer
      return new McpError('PARSE_ERROR', 'the client left before its body had ended')
    default:
      return error
  }
}

interface Hop {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

const isRefusal = ({ statusCode = 500 }: FastifyError) => (statusCode >= 400 && statusCode < 500) || statusCode === 503

export interface ErrorOptions extends Observers {
  readonly refusals: RefusalLog
  readonly bodies: BodyBytes
}

async function errors(app: FastifyInstance, { audit, metrics, refusals, bodies }: ErrorOptions) {
  const unread = new UnreadBodies(bodies)
  const lingering = new Lingering()
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const known = toMcpError(error)
    // What a hook of the host app refuses, such as its own 401 or 503, is the host's to answer.
    if (!(known instanceof McpError) && isRefusal(error)) {
      auditRequest({ audit, metrics }, request, {
        ending: { outcome: 'refused', kind: error.code },
        status: error.statusCode ?? 500,
      })
      throw error
    }
    if (known instanceof McpError) refusals.note(marksOf(request), known.reason)
    else app.log.error({ err: error, ...marksOf(request) }, 'internal error')
    const answer = (id: RequestId | undefined) => send(known, id, { request, reply })
    if (!isRead(request) && known instanceof McpError) {
      const limit = request.routeOptions.bodyLimit ?? 0
      const isAwaited = unread.read(request, known.reason, limit, body => answer(body && findId(body)))
      if (isAwaited) return
    }
    answer(idIn(request, known))
  })

  function send(error: unknown, id: RequestId | undefined, { request, reply }: Hop): void {
    const answer = errorAnswer(error, id)
    const { status, json } = answer
    auditRequest({ audit, metrics }, request, {
      ending: endingOfError(error),
      status,
      responseBytes: Buffer.byteLength(json),
    })
    // Its rest may not be read to its end, so the connection cannot be used again.
    if (status === 413) reply.header('connection', 'close')
    lingering.send(reply, answer)
  }
}

const isRead = ({ body }: FastifyRequest) => body !== undefined

/** Of a body that was refused as it is, its bytes are left. */
function idIn({ body }: FastifyRequest, error: unknown): RequestId | undefined {
  if (!Buffer.isBuffer(body)) return readableId(body)
  const isJson = !(error instanceof McpError && error.reason === 'PARSE_ERROR')
  return isJson ? findId(body) : undefined
}

export default fp(errors, { name: 'toolrack-errors', dependencies: ['toolrack-audit'] })
