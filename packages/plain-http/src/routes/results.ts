// Sends the end of a call or a task: its result in the type that the client accepts, a task that
// continues, or the questions of the tool.
import { create as createDisposition } from 'content-disposition'
import type { CallToolResult, JsonObject } from 'toolrack'
import { isFileUri } from 'toolrack/definitions'
import { POLL_INTERVAL_MS } from 'toolrack/execution'
import { type OutcomeFacts, type RequestOutcome, toContentsFile } from 'toolrack/protocol'
import { type Problem, toFailureProblem } from '../problems.ts'
import { toQuestions } from '../questions.ts'
import {
  chooseRepresentation,
  JSON_TYPE,
  listLinks,
  type ResultFile,
  toContentType,
  toJson,
  toNamedFile,
} from '../results.ts'
import { type PlainRequest, sendProblem, serveOrRefuse, toFileUrl, toTaskUrl } from './exchange.ts'

interface Ended {
  readonly outcome: RequestOutcome
  readonly facts?: OutcomeFacts | undefined
  /** Whether the same request would get the same answer, as for a task. */
  readonly isFinal?: boolean
}

export async function sendResult(plain: PlainRequest, result: CallToolResult, ended: Ended): Promise<void> {
  const { request, reply, sink, baseUrl, context } = plain
  if (result.isError === true) return sendProblem(plain, toEndProblem(ended, result))
  const findUrl = (uri: string) => (isFileUri(uri) ? toFileUrl(baseUrl, uri) : undefined)
  const options = { toFileUrl: findUrl, isJsonText: ended.facts?.isJsonText }
  if (sink !== undefined) return sink.finish('result', toJson(result, options))
  const links = listLinks(result).flatMap(uri => findUrl(uri) ?? [])
  if (links.length > 0) reply.header('link', links.map(url => `<${url}>; rel="item"`).join(', '))
  const chosen = chooseRepresentation(result, request.headers.accept, options)
  reply.header('vary', 'Accept, Origin')
  switch (chosen.kind) {
    case 'json':
      return context.send(reply.type(JSON_TYPE), chosen.json)
    case 'text':
      return context.send(reply.type('text/plain; charset=utf-8'), chosen.text)
    case 'file':
      return 'uri' in chosen.file ? sendKeptFile(plain, chosen.file.uri) : sendFile(plain, chosen.file)
  }
}

function toEndProblem({ outcome, facts, isFinal = false }: Ended, result: CallToolResult): Problem {
  const problem = toFailureProblem(outcome, result, facts)
  return isFinal ? { ...problem, retryAfterS: undefined } : problem
}

/** Reads a file that the server keeps for its caller. */
export async function sendKeptFile(plain: PlainRequest, uri: string): Promise<void> {
  const answer = await serveOrRefuse(plain, { method: 'resources/read', params: { uri } })
  if (answer === undefined) return
  const [contents] = answer.result['contents'] as [JsonObject]
  sendFile(plain, toNamedFile(toContentsFile(contents)))
}

// As an attachment: the output of a tool must not run as a page of this origin.
function sendFile({ reply, context }: PlainRequest, { mimeType, name, bytes }: ResultFile & { bytes: Buffer }): void {
  reply.header('content-disposition', createDisposition(name)).header('content-type', toContentType(mimeType))
  context.send(reply, bytes)
}

/** A task that continues. */
export function sendTask(plain: PlainRequest, task: JsonObject): void {
  const { reply, baseUrl, sink, context } = plain
  const url = toTaskUrl(baseUrl, String(task['taskId']))
  const { inputRequests } = task
  const json = JSON.stringify({
    id: task['taskId'],
    status: task['status'],
    message: task['statusMessage'],
    createdAt: task['createdAt'],
    updatedAt: task['lastUpdatedAt'],
    ttlMs: task['ttlMs'],
    url,
    ...(inputRequests !== undefined && {
      questions: toQuestions(inputRequests as JsonObject),
      answer: { method: 'POST', url: `${url}/answers` },
    }),
  })
  if (sink?.isOpen) return void sink.finish('task', json)
  reply
    .code(202)
    .header('location', url)
    .header('retry-after', String(Math.ceil(POLL_INTERVAL_MS / 1000)))
  context.send(reply.type(JSON_TYPE), json)
}
