// Tasks for clients that do not support them, in every revision: the call returns a text with the
// task's id, and two plain tools get its result or cancel it.
import { Type } from '@sinclair/typebox'
import {
  defineTool,
  type ElicitParams,
  type InputContext,
  type JsonObject,
  type ToolContext,
  ToolError,
} from 'toolrack'
import { Cancellation, Refused, type TaskService, type TaskToolParts, type TaskTools } from 'toolrack/execution'
import { hasEnded, type Task } from 'toolrack/stores'

const GET = 'get_task_result'
const CANCEL = 'cancel_task'

/** How long one call waits for the end of a task, ms; a long wait saves the model some calls. */
const LOOK_TIMEOUT_MS = 10_000
/** Concurrent waits: each takes up one of the process's concurrent calls. */
const MAX_LOOKS = 64

const inputSchema = Type.Object(
  { taskId: Type.String({ minLength: 1, maxLength: 128, description: 'As the call that began the task gave it' }) },
  { additionalProperties: false },
)

export const taskTools: TaskTools = {
  describe: ({ id, tool }) =>
    `${tool} goes on as task ${id}. Call ${GET} with {"taskId":"${id}"} for its result, or ${CANCEL} to end it.`,
  create: createTools,
}

function createTools({ tasks, access, owners }: TaskToolParts) {
  const findCallerTask = async (id: string, { caller, capabilities }: ToolContext): Promise<Task> => {
    const task = await tasks.find(id, owners.find(caller))
    if (task !== undefined && access.mayReadTask({ caller, capabilities }, task)) return task
    throw new ToolError('There is no such task: it is unknown, or its time has passed. Call the tool again.')
  }

  return [
    defineTool({
      name: GET,
      title: 'Result of a task',
      description:
        'The result of a call that goes on as a task, or how far it has come: waits up to 10 seconds for its end. ' +
        'Example: { "taskId": "9x0KcR1m" }.',
      inputSchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
      timeout: 2 * LOOK_TIMEOUT_MS,
      concurrency: MAX_LOOKS,
      // Already sanitised, by the rules of the task's own tool.
      sanitize: false,
      text: 'own',
      async handler({ taskId }, ctx) {
        let task = await findCallerTask(taskId, ctx)
        if (task.status === 'input_required') {
          await tasks.answer(task, await askThroughContext(ctx, task))
          task = await findCallerTask(taskId, ctx)
        }
        return toToolReturn((await waitForSettled(tasks, task, ctx.signal)) ?? (await findCallerTask(taskId, ctx)))
      },
    }),
    defineTool({
      name: CANCEL,
      title: 'Cancel a task',
      description: 'Ends a call that goes on as a task. Example: { "taskId": "9x0KcR1m" }.',
      inputSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      async handler({ taskId }, ctx) {
        const task = await findCallerTask(taskId, ctx)
        const cancelled = await tasks.cancel(task)
        return cancelled === undefined
          ? `Task ${taskId} had ended before: ${task.status}.`
          : `Task ${taskId} is cancelled.`
      },
    }),
  ]
}

/** @returns undefined if the task neither ends nor asks a question in time */
async function waitForSettled(tasks: TaskService, task: Task, signal: AbortSignal): Promise<Task | undefined> {
  const cancellation = new Cancellation()
  const leave = () => cancellation.cancel('client-left')
  signal.addEventListener('abort', leave, { once: true })
  try {
    const isSo = (now: Task) => hasEnded(now) || now.status === 'input_required'
    return await tasks.waitUntil(task.id, isSo, { cancellation, withinMs: LOOK_TIMEOUT_MS })
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

type Question = Task['questions'][string]

// Asks all questions at once, so that one round answers them all.
async function askThroughContext(ctx: InputContext, { questions }: Task): Promise<JsonObject> {
  const asked = Object.entries(questions).map(
    async ([key, question]) => [key, await askQuestion(ctx, key, question)] as const,
  )
  return Object.fromEntries(await Promise.all(asked))
}

// A refusal is an answer too: the task's own handler decides what to do with it.
async function askQuestion(ctx: InputContext, key: string, question: Question): Promise<unknown> {
  try {
    return await sendQuestion(ctx, key, question)
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
}

function sendQuestion(ctx: InputContext, key: string, { request: { method, params } }: Question): Promise<unknown> {
  if (method === 'elicitation/create') return ctx.elicit(key, params as unknown as ElicitParams)
  if (method === 'roots/list') return ctx.listRoots(key)
  return ctx.sample(key, params as Parameters<InputContext['sample']>[1])
}

function toToolReturn(task: Task): unknown {
  const { id, tool, outcome, status, statusMessage } = task
  if (outcome !== undefined) {
    if ('error' in outcome) throw new ToolError(outcome.error.message)
    const { content, structuredContent, isError, _meta } = outcome.result
    return { content, structuredContent, isError, _meta }
  }
  const said = statusMessage === undefined ? '' : `, which says: ${statusMessage}`
  const next = status === 'input_required' ? 'It has a question' : 'It has not ended'
  return `Task ${id} of ${tool} is ${status}${said}. ${next}: call ${GET} again.`
}
