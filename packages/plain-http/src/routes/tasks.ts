// Tasks by plain HTTP: clients poll them, answer their questions and cancel them.
import type { CallToolResult, JsonObject } from 'toolrack'
import { McpError } from 'toolrack/door'
import { InvalidAnswers, type Problem } from '../problems.ts'
import { findAnswerErrors, readTaskAnswers, toInputResponses, toQuestions } from '../questions.ts'
import { readJsonBody } from './calls.ts'
import { type PlainRequest, sendError, sendProblem, serveOrRefuse } from './exchange.ts'
import { sendResult, sendTask } from './results.ts'

/** `GET /tools/tasks/ID` */
export async function getTask(plain: PlainRequest): Promise<void> {
  const taskId = plain.params.id!
  const answer = await serveOrRefuse(plain, { method: 'tasks/get', params: { taskId }, takesTask: true })
  if (answer === undefined) return
  const task = answer.result
  if (task['status'] === 'cancelled') return sendProblem(plain, CANCELLED)
  const { taskEnd } = answer.facts ?? {}
  if (taskEnd === undefined) return sendTask(plain, task)
  if ('kind' in taskEnd)
    return sendResult(plain, task['result'] as unknown as CallToolResult, { outcome: taskEnd.kind, isFinal: true })
  const { message, data } = task['error'] as TaskError
  sendError(plain, McpError.restored(taskEnd.reason, message, data))
}

/** `POST /tools/tasks/ID/answers`: the answer is the task after that. */
export async function answerTask(plain: PlainRequest): Promise<void> {
  const taskId = plain.params.id!
  const written = readTaskAnswers(readJsonBody(plain))
  const inputResponses = toInputResponses(written)
  const task = await serveOrRefuse(plain, { method: 'tasks/get', params: { taskId }, takesTask: true })
  if (task === undefined) return
  const questions = toQuestions((task.result['inputRequests'] ?? {}) as JsonObject)
  const errors = findAnswerErrors(questions, written)
  if (errors.length > 0) throw new InvalidAnswers(errors)
  const params = { taskId, inputResponses }
  const answer = await serveOrRefuse(plain, { method: 'tasks/update', params, takesTask: true })
  if (answer !== undefined) await getTask(plain)
}

/** `DELETE /tools/tasks/ID` */
export async function cancelTask(plain: PlainRequest): Promise<void> {
  const taskId = plain.params.id!
  const answer = await serveOrRefuse(plain, { method: 'tasks/cancel', params: { taskId }, takesTask: true })
  if (answer !== undefined) plain.reply.code(204).send()
}

const CANCELLED: Problem = {
  status: 410,
  name: 'task-cancelled',
  title: 'Task cancelled',
  detail: 'The task was cancelled, so there is no result.',
}

interface TaskError extends JsonObject {
  readonly message: string
  readonly data?: unknown
}
