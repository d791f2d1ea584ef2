// One request of plain HTTP: what its client accepts, how it is served, and how its errors are sent.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JsonObject, ToolClient } from 'toolrack'
import { toFilePath } from 'toolrack/definitions'
import type { DoorContext, EventSink, Served, ServedResult } from 'toolrack/door'
import type { ServerFacts } from 'toolrack/http'
import { MODERN_VERSIONS, TASKS_EXTENSION } from 'toolrack/protocol'
import { createProblemAnswer, type Problem, toProblem } from '../problems.ts'

const [NEWEST_VERSION] = MODERN_VERSIONS as [string]
/** Plain HTTP can pass on questions, but neither sampling nor roots. */
const CAPABILITIES = Object.freeze({ elicitation: { form: {}, url: {} } })
/** The client as rules see it. */
export const PLAIN_CLIENT: ToolClient = { capabilities: CAPABILITIES }
const TASK_CAPABILITIES = Object.freeze({ ...CAPABILITIES, extensions: { [TASKS_EXTENSION]: {} } })

/** One request, and everything that its handlers need. */
export interface PlainRequest {
  readonly context: DoorContext
  readonly facts: ServerFacts
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Aborts once the client has left. */
  readonly signal: AbortSignal
  /** The params of the path. */
  readonly params: { readonly name?: string; readonly id?: string; readonly '*'?: string }
  /** The path of the tools as clients know it, such as `/tools`. */
  readonly baseUrl: string
  /** Set if the client prefers events. */
  readonly sink?: EventSink | undefined
}

export interface MethodCall {
  readonly method: string
  readonly params: JsonObject
  /** Whether the client can follow a task. */
  readonly takesTask?: boolean
  /** Whether the client prefers a task to waiting. */
  readonly prefersTask?: boolean
  readonly meta?: JsonObject
}

/** @returns undefined if the client has left */
export async function serveMethod(plain: PlainRequest, call: MethodCall): Promise<Served | undefined> {
  const { context, request, signal, sink } = plain
  const { method, params, takesTask, prefersTask, meta } = call
  const served = await context.serve({
    ...context.readFacts(request),
    method,
    params,
    client: {
      info: { name: 'plain HTTP', version: NEWEST_VERSION },
      capabilities: takesTask === true ? TASK_CAPABILITIES : CAPABILITIES,
    },
    signal,
    sink,
    logLevel: sink === undefined ? undefined : 'debug',
    prefersTask,
    meta,
  })
  return signal.aborted ? undefined : served
}

/** The result; undefined if an error was sent, or the client has left. */
export async function serveOrRefuse(plain: PlainRequest, call: MethodCall): Promise<ServedResult | undefined> {
  const served = await serveMethod(plain, call)
  if (served?.kind === 'error') sendError(plain, served.error)
  return served?.kind === 'result' ? served : undefined
}

export function sendProblem({ context, request, reply, sink }: PlainRequest, problem: Problem): void {
  const answer = createProblemAnswer(problem, request.id)
  if (sink?.isOpen) sink.finish('problem', answer.json)
  else context.send(reply, answer)
}

export const sendError = (plain: PlainRequest, error: unknown): void => sendProblem(plain, toProblem(error))

export const toFileUrl = (baseUrl: string, uri: string): string => `${baseUrl}/files/${toFilePath(uri)}`
export const toTaskUrl = (baseUrl: string, id: string): string => `${baseUrl}/tasks/${encodeURIComponent(id)}`
export const toToolUrl = (baseUrl: string, name: string): string => `${baseUrl}/${encodeURIComponent(name)}`
