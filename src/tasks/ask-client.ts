// Asks a client the open questions of a task. The task holds a mark of each session that is asked,
// so that no other replica, and no other stream of that session, asks it again meanwhile.
// Spec 2025-11-25: basic/utilities/tasks, "Input Required Status".
import { randomUUID } from 'node:crypto'
import { ToolFailure } from '../execution/tool-failure.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { Ask } from '../request/exchange.ts'
import type { AskedOver, Task } from '../state/task.ts'
import { createRelatedTaskMeta } from './describe.ts'
import type { TaskService } from './tasks.ts'
import { toAsked, toUnasked } from './transitions.ts'

/** How long a mark counts once its process has died, ms. */
export const MARK_MS = 15_000

interface Asking {
  readonly task: Task
  /** The open questions that the client may see. At least one. */
  readonly keys: readonly string[]
  readonly session: string
  readonly over: AskedOver
  /** Called three times in MARK_MS, while the client has not answered. */
  onWaiting?(): void
}

/**
 * - answers by question key
 * - `taken`: the session is asked elsewhere
 * - `unanswered`: the client did not answer, or does not need to any more
 */
export type Asked = JsonObject | 'taken' | 'unanswered'

/** @throws McpError as `ask` does */
export async function askClient(tasks: TaskService, asking: Asking, ask: Ask): Promise<Asked> {
  const { task, keys, session, over, onWaiting } = asking
  const by = randomUUID()
  const mark = () => tasks.change(task.id, toAsked(session, { by, over, untilMs: Date.now() + MARK_MS }))
  if ((await mark()) === undefined) return 'taken'
  const renewal = setInterval(() => {
    mark().catch(() => {})
    onWaiting?.()
  }, MARK_MS / 3).unref()
  try {
    return await askUntilSettled(tasks, { task, keys }, ask)
  } finally {
    clearInterval(renewal)
    await tasks.change(task.id, toUnasked(session, by)).catch(() => {})
  }
}

/** Withdraws the questions as soon as one of them needs no answer any more. */
async function askUntilSettled(
  tasks: TaskService,
  { task, keys }: Pick<Asking, 'task' | 'keys'>,
  ask: Ask,
): Promise<JsonObject | 'unanswered'> {
  const controller = new AbortController()
  const stop = tasks.watch(task.id, now => {
    if (now === undefined || keys.some(key => !Object.hasOwn(now.questions, key))) controller.abort()
  })
  const questions = keys.map(key => {
    const { method, params } = task.questions[key]!.request
    return [key, { method, params: { ...params, _meta: createRelatedTaskMeta(task.id) } }] as const
  })
  try {
    return await ask(Object.fromEntries(questions), controller.signal)
  } catch (error) {
    if (error instanceof ToolFailure) return 'unanswered'
    throw error
  } finally {
    stop()
  }
}
