// One request of plain HTTP as a request of the newest revision: opened, served, and followed until
// its client leaves.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { serve } from '../src/dispatch.ts'
import { findMirroredTarget } from '../src/methods/index.ts'
import { openModern } from '../src/modern/open.ts'
import { createProblemAnswer, type Problem, toProblem } from '../src/plain-http/problems.ts'
import { META_CAPABILITIES, META_CLIENT, META_VERSION } from '../src/protocol/classify.ts'
import { encodeHeader, type Headers, mirrorParams } from '../src/protocol/headers.ts'
import type { JsonObject } from '../src/protocol/messages.ts'
import { findRevision, MODERN_VERSIONS } from '../src/protocol/revisions/index.ts'
import { META_LOG_LEVEL, TASKS_EXTENSION } from '../src/protocol/schemas/common.ts'
import { toFilePath } from '../src/registry/file-uri.ts'
import type { ToolClient } from '../src/registry/handler-context.ts'
import type { Answer } from '../src/request/answer.ts'
import type { Runtime } from '../src/runtime.ts'
import { cancelOnDisconnect } from '../src/transport/connections.ts'
import type { NamedEventSink } from '../src/transport/named-events.ts'
import { IS_AUDITED } from '../src/transport/request-facts.ts'
import { sendCountedJson } from '../src/transport/respond.ts'
import { connect } from './session-requests.ts'

const [VERSION] = MODERN_VERSIONS as [string]
const REVISION = findRevision(VERSION)!

/** What plain HTTP can pass on: questions, but neither sampling nor roots. */
const CAPABILITIES = Object.freeze({ elicitation: { form: {}, url: {} } })
/** As rules see it. */
export const PLAIN_CLIENT: ToolClient = { capabilities: CAPABILITIES }
const TASK_CAPABILITIES = Object.freeze({ ...CAPABILITIES, extensions: { [TASKS_EXTENSION]: {} } })

/** One request, and what its handlers need. */
export interface PlainRequest {
  readonly runtime: Runtime
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Path of the tools as clients know it, such as `/tools`. */
  readonly baseUrl: string
  /** Set if the client prefers events. */
  readonly sink?: NamedEventSink | undefined
}

export interface MethodCall {
  readonly method: string
  readonly params: JsonObject
  /** Whether the client can follow a task. */
  readonly takesTask?: boolean
  /** Whether it prefers one to waiting. */
  readonly prefersAsync?: boolean
  readonly meta?: JsonObject
}

/** The headers that name what is asked, as MCP clients send them. */
export const nameMethod = (headers: Headers, method: string, name?: string): Headers => ({
  ...headers,
  'mcp-protocol-version': VERSION,
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': encodeHeader(name) }),
})

/** @returns undefined if the client has left */
export async function serveMethod(plain: PlainRequest, call: MethodCall): Promise<Answer | undefined> {
  const { runtime, request, reply } = plain
  const exchange = openExchange(plain, call)
  request[IS_AUDITED] = true
  const answering = serve(exchange, runtime)
  if (answering instanceof Promise) cancelOnDisconnect(reply.raw, exchange.cancellation)
  const answer = await answering
  return exchange.cancellation.reason === 'client-left' ? undefined : answer
}

/** The same, but sends an error itself. @returns undefined if it did, or the client has left */
export async function serveOrRefuse(plain: PlainRequest, call: MethodCall): Promise<Answer | undefined> {
  const answer = await serveMethod(plain, call)
  if (answer?.error === undefined) return answer
  sendError(plain, answer.error)
  return undefined
}

function openExchange(
  { runtime, request, sink }: PlainRequest,
  { method, params, takesTask = false, prefersAsync, meta }: MethodCall,
) {
  runtime.inflight.assertOpen()
  const name = params['name'] ?? params['uri'] ?? params['taskId']
  const tool = method === 'tools/call' ? runtime.catalog.tools.find(String(name)) : undefined
  // A header that the client sent itself stays, and is compared.
  const mirrored = mirrorParams(params['arguments'], tool?.mirroredParams ?? [])
  const headers = { ...mirrored, ...nameMethod(request.headers, method, name as string | undefined) }
  const _meta = {
    [META_VERSION]: VERSION,
    [META_CLIENT]: { name: 'plain HTTP', version: VERSION },
    [META_CAPABILITIES]: takesTask ? TASK_CAPABILITIES : CAPABILITIES,
    ...(sink !== undefined && { progressToken: 0, [META_LOG_LEVEL]: 'debug' }),
    ...meta,
  }
  const connection = { ...connect(request, runtime, sink), headers, prefersAsync, door: 'plain-http' as const }
  const message = { kind: 'request' as const, id: 0, method, params: { ...params, _meta } }
  return openModern(REVISION, message, connection, findMirroredTarget(REVISION, method))
}

/** The result of an answer without an error. */
export const readResult = (answer: Answer): JsonObject => JSON.parse(answer.json).result

export function sendProblem({ runtime, request, reply, sink }: PlainRequest, problem: Problem): void {
  const answer = createProblemAnswer(problem, request.id)
  if (sink?.isOpen) sink.finish('problem', answer.json)
  else sendCountedJson(reply, answer, runtime.unsent)
}

export const sendError = (plain: PlainRequest, error: unknown): void => sendProblem(plain, toProblem(error))

export const toFileUrl = (baseUrl: string, uri: string): string => `${baseUrl}/files/${toFilePath(uri)}`
export const toTaskUrl = (baseUrl: string, id: string): string => `${baseUrl}/tasks/${encodeURIComponent(id)}`
export const toToolUrl = (baseUrl: string, name: string): string => `${baseUrl}/${encodeURIComponent(name)}`
