// Tasks for clients that know none: a call answers with a sentence, and two plain tools do the rest, in every revision.
import { Type } from '@sinclair/typebox'
import type { Access } from '../access/access.ts'
import { ownerOf } from '../access/identity.ts'
import { Cancellation } from '../cancellation.ts'
import { Refused } from '../input/refused.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { ToolError } from '../registry/content.ts'
import type { InputContext, ToolContext } from '../registry/context.ts'
import { defineTool, type ToolDefinition } from '../registry/tool-definition.ts'
import { hasEnded, type Task, type TaskQuestion } from '../task.ts'
import type { Tasks } from './tasks.ts'

const GET = 'get_task_result'
const CANCEL = 'cancel_task'

/** How long one look waits for the end, ms: a model should not have to look often. */
const LOOK_MS = 10_000
/** Looks at once, which keep a place of the calls that the process serves. */
const MAX_LOOKS = 64

const inputSchema = Type.Object(
  { taskId: Type.String({ minLength: 1, maxLength: 128, description: 'As the call that began the task gave it' }) },
  { additionalProperties: false },
)

/** What a call answers that goes on as a task. */
export function toldOf({ id, tool }: Task): JsonObject {
  const text = `${tool} goes on as task ${id}. Call ${GET} with {"taskId":"${id}"} for its result, or ${CANCEL} to end it.`
  return { resultType: 'complete', content: [{ type: 'text', text }] }
}

export function fallbackTools(tasks: Tasks, access: Access): ToolDefinition<typeof inputSchema>[] {
  const taskOf = async (id: string, { caller }: ToolContext): Promise<Task> => {
    const task = await tasks.find(id, ownerOf(caller))
    if (task !== undefined && access.may(caller, task.scopes)) return task
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
      timeout: 2 * LOOK_MS,
      concurrency: MAX_LOOKS,
      // A result was cleaned as its own tool wants it.
      sanitize: false,
      async handler({ taskId }, ctx) {
        let task = await taskOf(taskId, ctx)
        if (task.status === 'input_required') {
          await tasks.answer(task, await askFor(ctx, task))
          task = await taskOf(taskId, ctx)
        }
        return contentOf((await endOf(tasks, task, ctx.signal)) ?? (await taskOf(taskId, ctx)))
      },
    }),
    defineTool({
      name: CANCEL,
      title: 'Cancel a task',
      description: 'Ends a call that goes on as a task. Example: { "taskId": "9x0KcR1m" }.',
      inputSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      async handler({ taskId }, ctx) {
        const task = await taskOf(taskId, ctx)
        const cancelled = await tasks.cancel(task)
        return cancelled === undefined
          ? `Task ${taskId} had ended before: ${task.status}.`
          : `Task ${taskId} is cancelled.`
      },
    }),
  ]
}

/** @returns undefined where it has neither ended nor asked within one look */
async function endOf(tasks: Tasks, task: Task, signal: AbortSignal): Promise<Task | undefined> {
  const cancellation = new Cancellation()
  const leave = () => cancellation.cancel('client-left')
  signal.addEventListener('abort', leave, { once: true })
  try {
    const isSo = (now: Task) => hasEnded(now) || now.status === 'input_required'
    return await tasks.until(task.id, isSo, { cancellation, withinMs: LOOK_MS })
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

// All at once, so that one round answers them all.
async function askFor(ctx: InputContext, { questions }: Task): Promise<JsonObject> {
  const asked = Object.entries(questions).map(
    async ([key, question]) => [key, await askOne(ctx, key, question)] as const,
  )
  return Object.fromEntries(await Promise.all(asked))
}

// A refusal is an answer too: it is the task that has to make something of it.
async function askOne(ctx: InputContext, key: string, question: TaskQuestion): Promise<unknown> {
  try {
    return await sendOne(ctx, key, question)
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
}

function sendOne(ctx: InputContext, key: string, { request: { method, params } }: TaskQuestion): Promise<unknown> {
  if (method === 'elicitation/create') return ctx.elicit(key, params as Parameters<InputContext['elicit']>[1])
  if (method === 'roots/list') return ctx.listRoots(key)
  return ctx.sample(key, params as Parameters<InputContext['sample']>[1])
}

function contentOf(task: Task): unknown {
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
