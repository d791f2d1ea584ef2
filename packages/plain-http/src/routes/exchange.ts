// One request of plain HTTP as a request of the newest revision: opened, served, and followed until
// its client leaves.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JsonObject, ToolClient } from 'toolrack'
import { toFilePath } from 'toolrack/definitions'
import type { Asked, Served, ServedResult } from 'toolrack/door'
import {
  cancelOnDisconnect,
  connect,
  IS_AUDITED,
  keepValue,
  type NamedEventSink,
  NEWEST_VERSION,
  openRequest,
  type Runtime,
  sendCountedJson,
  serve,
} from 'toolrack/http'
import { TASKS_EXTENSION } from 'toolrack/protocol'
import { createProblemAnswer, type Problem, toProblem, toStatus } from '../problems.ts'

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
  /** Of the path. */
  readonly params: { readonly name?: string; readonly id?: string; readonly '*'?: string }
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

/** @returns undefined if the client has left */
export async function serveMethod(plain: PlainRequest, call: MethodCall): Promise<Served | undefined> {
  const { runtime, request, reply, sink } = plain
  runtime.inflight.assertOpen()
  const connection = { ...connect(request, runtime, sink), prefersAsync: call.prefersAsync, door: 'plain-http' }
  const { cancellation } = connection
  const exchange = openRequest(toAsked(plain, call), connection)
  request[IS_AUDITED] = true
  const serving = serve(exchange, runtime, answer => {
    const kept = keepValue(answer)
    return { ...kept, status: toStatus(kept.served) }
  })
  if (serving instanceof Promise) cancelOnDisconnect(reply.raw, cancellation)
  const { served } = await serving
  return cancellation.reason === 'client-left' ? undefined : served
}

/** The result, or undefined if an error was sent, or the client has left. */
export async function serveOrRefuse(plain: PlainRequest, call: MethodCall): Promise<ServedResult | undefined> {
  const served = await serveMethod(plain, call)
  if (served?.kind === 'error') sendError(plain, served.error)
  return served?.kind === 'result' ? served : undefined
}

const toAsked = ({ sink }: PlainRequest, { method, params, takesTask, meta }: MethodCall): Asked => ({
  method,
  params,
  client: {
    info: { name: 'plain HTTP', version: NEWEST_VERSION },
    capabilities: takesTask === true ? TASK_CAPABILITIES : CAPABILITIES,
  },
  logLevel: sink === undefined ? undefined : 'debug',
  meta,
})

export function sendProblem({ runtime, request, reply, sink }: PlainRequest, problem: Problem): void {
  const answer = createProblemAnswer(problem, request.id)
  if (sink?.isOpen) sink.finish('problem', answer.json)
  else sendCountedJson(reply, answer, runtime.unsent)
}

export const sendError = (plain: PlainRequest, error: unknown): void => sendProblem(plain, toProblem(error))

export const toFileUrl = (baseUrl: string, uri: string): string => `${baseUrl}/files/${toFilePath(uri)}`
export const toTaskUrl = (baseUrl: string, id: string): string => `${baseUrl}/tasks/${encodeURIComponent(id)}`
export const toToolUrl = (baseUrl: string, name: string): string => `${baseUrl}/${encodeURIComponent(name)}`
