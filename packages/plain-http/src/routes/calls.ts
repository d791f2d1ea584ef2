// Calls of tools by plain HTTP: arguments from a form or from JSON, and answers to the questions of
// a tool.
import type { CallToolResult, JsonObject } from 'toolrack'
import type { Tool } from 'toolrack/definitions'
import { McpError, type Served } from 'toolrack/door'
import { getHeader, type Headers, isObject } from 'toolrack/protocol'
import { findNearestName } from 'toolrack/text'
import { type FormField, readEncoded } from '../form.ts'
import { toArguments } from '../form-arguments.ts'
import { readKeyHeader } from '../key-header.ts'
import { toProblem } from '../problems.ts'
import { readCallAnswers, toQuestionProblem, toQuestions } from '../questions.ts'
import { assertAcceptsAny, prefersEvents } from '../results.ts'
import { PLAIN_CLIENT, type PlainRequest, sendError, sendProblem, serveMethod, toToolUrl } from './exchange.ts'
import { sendResult, sendTask } from './results.ts'

/** A form, until the tool's schema is known. */
export class FormBody {
  readonly read: () => Promise<readonly FormField[]>

  constructor(read: () => Promise<readonly FormField[]>) {
    this.read = read
  }
}

interface Call {
  readonly name: string
  readonly args: JsonObject
  readonly requestState?: string
  readonly inputResponses?: JsonObject
  /** The answers as the client has written them. */
  readonly written?: JsonObject
}

/** `POST /tools/NAME` */
export async function callTool(plain: PlainRequest): Promise<void> {
  const { request, params } = plain
  // If the query were ignored, the call would lack its arguments.
  if (request.url.includes('?')) throw createQueryRefusal('a POST with a query')
  const name = params.name!
  const tool = findVisible(plain, name)
  return serveCall(plain, tool, { name, args: await readArguments(request.body, tool) })
}

/** `GET /tools/NAME?a=2`: calls a tool that only reads. */
export async function readByQuery(plain: PlainRequest): Promise<void> {
  const name = plain.params.name!
  const tool = findVisible(plain, name)
  if (tool?.isReadOnly === false) throw createQueryRefusal('GET calls only tools that read (readOnlyHint)')
  const query = plain.request.url.slice(plain.request.url.indexOf('?') + 1)
  return serveCall(plain, tool, { name, args: toArguments(readEncoded(Buffer.from(query)), toSchema(tool)) })
}

const createQueryRefusal = (why: string): McpError =>
  new McpError('INVALID_REQUEST', `${why}; arguments belong into the body of a POST, not into the URL`)

/** `POST /tools/NAME/answers` */
export async function answerCall(plain: PlainRequest): Promise<void> {
  const name = plain.params.name!
  const { answers: written, responses, state, arguments: args = {} } = readCallAnswers(readJsonBody(plain))
  const call = { name, args, requestState: state, inputResponses: responses, written }
  return serveCall(plain, findVisible(plain, name), call)
}

/** @throws McpError UNSUPPORTED_MEDIA_TYPE (415) for a form, INVALID_REQUEST (400) without a body */
export function readJsonBody({ request: { body } }: PlainRequest): unknown {
  if (body instanceof FormBody) throw new McpError('UNSUPPORTED_MEDIA_TYPE', 'answers are JSON, not a form')
  if (body === undefined) throw new McpError('INVALID_REQUEST', 'expected JSON with the answers')
  return body
}

/** Undefined if the caller may not know of the tool, so that its schema stays hidden. */
function findVisible({ facts, request }: PlainRequest, name: string): Tool | undefined {
  const tool = facts.catalog.tools.find(name)
  return tool !== undefined && facts.isListed(tool, request.caller, PLAIN_CLIENT) ? tool : undefined
}

const toSchema = (tool: Tool | undefined) => tool?.listed['inputSchema']

/** @throws McpError INVALID_REQUEST (400), and as `toArguments` */
async function readArguments(body: unknown, tool: Tool | undefined): Promise<JsonObject> {
  if (body === undefined) return {}
  if (body instanceof FormBody) return toArguments(await body.read(), toSchema(tool))
  if (isObject(body)) return body
  throw new McpError('INVALID_REQUEST', 'expected an object with the arguments')
}

async function serveCall(base: PlainRequest, tool: Tool | undefined, call: Call): Promise<void> {
  const { context, request, reply } = base
  assertAcceptsAny(request.headers.accept)
  const sink = prefersEvents(request.headers.accept) ? context.openEvents(reply) : undefined
  const plain = { ...base, sink }
  const isPreferred = prefersAsync(request.headers) && tool !== undefined && tool.task !== 'forbidden'
  const { name, args, requestState, inputResponses } = call
  const served = await serveMethod(plain, {
    method: 'tools/call',
    params: { name, arguments: args, ...(requestState !== undefined && { requestState, inputResponses }) },
    takesTask: isPreferred || tool?.task === 'required',
    prefersTask: isPreferred,
    meta: readKeyHeader(request.headers, tool),
  })
  if (served === undefined) return
  if (isPreferred && served.kind === 'result' && served.outcome === 'task')
    reply.header('preference-applied', 'respond-async')
  try {
    await sendServed(plain, call, served)
  } catch (error) {
    sendError(plain, error)
  }
}

function sendServed(plain: PlainRequest, { name, args, written }: Call, served: Served): Promise<void> | void {
  if (served.kind === 'error') {
    const { error } = served
    return error.reason === 'UNKNOWN_TOOL' ? sendUnknownTool(plain, name, error) : sendError(plain, error)
  }
  if (served.kind === 'questions') {
    const questions = toQuestions(served.inputRequests)
    const url = `${toToolUrl(plain.baseUrl, name)}/answers`
    const problem = { questions, state: served.requestState, arguments: args, url, written }
    return sendProblem(plain, toQuestionProblem(problem))
  }
  if (served.kind === 'detached') return
  const { result, outcome, facts } = served
  return outcome === 'task' ? sendTask(plain, result) : sendResult(plain, result as CallToolResult, { outcome, facts })
}

export function sendUnknownTool(plain: PlainRequest, name: string, error: McpError): void {
  const { catalog, isListed } = plain.facts
  const listed = catalog.tools.all().filter(tool => isListed(tool, plain.request.caller, PLAIN_CLIENT))
  const names = listed.map(tool => tool.name)
  const meant = findNearestName(name, names)
  const problem = toProblem(error)
  if (meant === undefined) return void sendProblem(plain, problem)
  sendProblem(plain, { ...problem, detail: `${problem.detail}; did you mean ${meant}?`, more: { didYouMean: meant } })
}

/** RFC 7240, 4.1. */
const prefersAsync = (headers: Headers): boolean =>
  (getHeader(headers, 'prefer') ?? '').split(',').some(each => /^\s*respond-async\s*(?:;|$)/i.test(each))
