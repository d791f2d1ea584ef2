// Sends refusals of the routes as JSON-RPC errors; maps Fastify's errors to ours.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Settings } from '../src/config/settings.ts'
import type { Doors } from '../src/doors/doors.ts'
import { type RequestEvents, toErrorEnding } from '../src/observability/request-ended.ts'
import { McpError } from '../src/protocol/errors.ts'
import { findId } from '../src/protocol/find-id.ts'
import { findReadableId, type RequestId } from '../src/protocol/messages.ts'
import { type Answer, createErrorAnswer } from '../src/request/answer.ts'
import type { Limits } from '../src/state/limits.ts'
import { toLogged } from '../src/text/logged-error.ts'
import type { BodyBytes } from '../src/transport/body-bytes.ts'
import { closeAfterwards } from '../src/transport/http-versions.ts'
import { LingeringClose } from '../src/transport/refused-body.ts'
import { RefusedBodyReader } from '../src/transport/refused-body-reader.ts'
import { CLIENT_KEY } from '../src/transport/request-facts.ts'
import { methodNotAllowed, sendJson } from '../src/transport/respond.ts'
import { emitHttpEnded, toLogContext } from './audit.ts'
import { createRequestCounter, createRequestRule, toAddressKey } from './rate-limit.ts'

function toMcpError(error: FastifyError): unknown {
  if (error instanceof McpError) return error
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new McpError('UNSUPPORTED_MEDIA_TYPE', 'expected application/json')
    case 'FST_UNDER_PRESSURE': // from an app that sheds load and sets Retry-After itself
      return new McpError('BUSY', 'the process is overloaded; retry')
    case 'ECONNRESET': // the client has disconnected, so this is not our error
      return new McpError('PARSE_ERROR', 'the client left before its body had ended')
    default:
      return error
  }
}

const isRefusal = ({ statusCode = 500 }: FastifyError) => (statusCode >= 400 && statusCode < 500) || statusCode === 503

export interface ErrorOptions {
  readonly events: RequestEvents
  readonly bodies: BodyBytes
}

/** How a door writes its errors. */
export interface ErrorForm {
  /**
   * Whether an answer repeats the id of its message. Then the body of a refused request is read for
   * it.
   */
  readonly hasId: boolean
  toAnswer(error: unknown, facts: { readonly id: RequestId | undefined; readonly requestId: string }): Answer
}

const JSON_RPC: ErrorForm = { hasId: true, toAnswer: (error, { id }) => createErrorAnswer(error, id) }

type ErrorHandler = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => void

/** @param form of the door whose scope uses the handler */
export function createErrorHandler(
  { log }: Pick<FastifyInstance, 'log'>,
  { events, bodies }: ErrorOptions,
  form: ErrorForm,
): ErrorHandler {
  const unread = new RefusedBodyReader(bodies)
  const lingering = new LingeringClose()
  return (error, request, reply) => {
    const known = toMcpError(error)
    // Only the host app answers for refusals by its own hooks, such as a 401 or 503.
    if (!(known instanceof McpError) && isRefusal(error)) {
      emitHttpEnded(events, request, {
        ending: { outcome: 'refused', reason: error.code },
        status: error.statusCode ?? 500,
      })
      throw error
    }
    if (!(known instanceof McpError)) log.error({ err: toLogged(error), ...toLogContext(request) }, 'internal error')
    const answer = (id: RequestId | undefined) => {
      const { id: requestId } = request
      sendRefusal(events, lingering, { error: known, request, reply, answer: form.toAnswer(known, { id, requestId }) })
    }
    if (form.hasId && !hasBody(request) && known instanceof McpError) {
      const limit = request.routeOptions.bodyLimit ?? 0
      const isAwaited = unread.read({ raw: request.raw, clientKey: request[CLIENT_KEY] }, known.reason, limit, body =>
        answer(body && findId(body)),
      )
      if (isAwaited) return
    }
    answer(form.hasId ? findBodyId(request, known) : undefined)
  }
}

interface Refusal {
  readonly error: unknown
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly answer: Answer
}

function sendRefusal(
  events: RequestEvents,
  lingering: LingeringClose,
  { error, request, reply, answer }: Refusal,
): void {
  const { status, json: responseJson } = answer
  emitHttpEnded(events, request, { ending: toErrorEnding(error), error, status, responseJson })
  // RFC 9110, 15.5.16.
  if (status === 415 && request.headers['content-encoding'] !== undefined) reply.header('accept-encoding', 'identity')
  // The rest of the body may stay unread, so the connection cannot be reused.
  if (status === 413) closeAfterwards(reply)
  lingering.send(reply, answer)
}

async function errors(app: FastifyInstance, options: ErrorOptions) {
  app.setErrorHandler<FastifyError>(createErrorHandler(app, options, JSON_RPC))
}

const hasBody = ({ body }: FastifyRequest) => body !== undefined

/** A body that was refused unparsed is still a Buffer. */
function findBodyId({ body }: FastifyRequest, error: unknown): RequestId | undefined {
  if (!Buffer.isBuffer(body)) return findReadableId(body)
  const isJson = !(error instanceof McpError && error.reason === 'PARSE_ERROR')
  return isJson ? findId(body) : undefined
}

export default fp(errors, { name: 'toolrack-errors', dependencies: ['toolrack-audit'] })

/** Refuses other paths and unrouted verbs before the body is read, counted by address. */
export function createUnknownPathHook(settings: Settings, limits: Limits, doors: Doors) {
  const { mcpPath } = settings
  const count = createRequestCounter(limits, createRequestRule(settings))
  const createRefusal = ({ raw: { url = '' } }: FastifyRequest, reply: FastifyReply) => {
    if (url === mcpPath) return methodNotAllowed(reply, 'send each message as a POST')
    return new McpError('NOT_FOUND', doors.explainClosed(url.split('?', 1)[0]!) ?? `the endpoint is ${mcpPath}`)
  }
  return (request: FastifyRequest, reply: FastifyReply, done: (error: Error) => void) => {
    const refuse = (tooMany: McpError | undefined) => done(tooMany ?? createRefusal(request, reply))
    const refusal = count(toAddressKey(request.ip))
    if (refusal instanceof Promise) refusal.then(refuse, done)
    else refuse(refusal)
  }
}

/** For a path such as /%zz, which Fastify rejects before routing. */
export function createUrlRefusal(doors: Doors, findEvents: () => RequestEvents) {
  return (_error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const error = new McpError('NOT_FOUND', 'the path is not percent-encoded UTF-8')
    const answer = doors.toErrorAnswer(error, request.raw.url ?? '', request.id)
    const { status, json: responseJson } = answer
    emitHttpEnded(findEvents(), request, { ending: toErrorEnding(error), error, status, responseJson })
    sendJson(reply, answer)
  }
}
