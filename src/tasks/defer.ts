// Runs a call that may become a task. It is stored as a task before it runs; its client learns of
// the task only if it has not ended in time.
import { failureResult } from '../execution/tool-failure.ts'
import type { AskedQuestions } from '../input/rounds.ts'
import type { Cancellation } from '../request/cancellation.ts'
import type { Task, TaskOutcome } from '../state/task.ts'
import type { NewTask } from './create.ts'
import { fromTaskAnswer } from './create.ts'
import type { TaskService } from './tasks.ts'
import { toHandedOut } from './transitions.ts'

export type DeferResult =
  | { readonly task: Task }
  | { readonly outcome: TaskOutcome }
  /** Before the call becomes a task. */
  | { readonly asked: AskedQuestions }

/**
 * Waits for a call for up to `inlineMs`, then hands out a task.
 *
 * @returns the task, if it is handed out; otherwise the outcome or the questions of the call, and
 *   the task is removed
 * @throws McpError RATE_LIMITED, BUSY
 */
export async function defer(tasks: TaskService, opening: Omit<NewTask, 'isHandedOut'>): Promise<DeferResult> {
  const { cancellation } = opening.exchange
  const task = await tasks.open({ ...opening, isHandedOut: false })
  const settled = (await waitInline(tasks, task, cancellation)) ?? (await waitWhileStopping(tasks, task, cancellation))
  if (settled !== undefined) return withdrawTask(tasks, settled)
  if (cancellation.reason !== undefined) await tasks.cancel(task, cancellation.reason)
  else {
    const handedOut = await tasks.change(task.id, toHandedOut)
    if (handedOut !== undefined) return { task: handedOut }
  }
  return withdrawTask(tasks, (await tasks.read(task.id)) ?? task)
}

const hasSettled = ({ status }: Task) => status !== 'working'

/** How long a call waits for the first turn of its handler if `inlineMs` is 0, ms. */
const FIRST_TURN_MS = 250

// If `inlineMs` is 0, only the questions of the first turn are asked before there is a task.
async function waitInline(tasks: TaskService, { id }: Task, cancellation: Cancellation): Promise<Task | undefined> {
  const { inlineMs } = tasks.rules
  if (inlineMs > 0) return tasks.waitUntil(id, hasSettled, { cancellation, withinMs: inlineMs })
  const isOver = (task: Task) => task.hasBegun || hasSettled(task)
  const task = await tasks.waitUntil(id, isOver, { cancellation, withinMs: FIRST_TURN_MS })
  return task?.status === 'input_required' ? task : undefined
}

// While the server stops, a task that would be lost with the process is not handed out.
async function waitWhileStopping(
  tasks: TaskService,
  { id }: Task,
  cancellation: Cancellation,
): Promise<Task | undefined> {
  if (!tasks.isStopping || !tasks.endsWithProcess || cancellation.reason !== undefined) return undefined
  return tasks.waitUntil(id, hasSettled, { cancellation })
}

async function withdrawTask(tasks: TaskService, task: Task): Promise<DeferResult> {
  // The effects of the run remain. If the task cannot be removed, it expires.
  await tasks.remove(task).catch(() => {})
  if (task.status === 'input_required') return { asked: getAskedQuestions(task) }
  const { tool, outcome } = task
  return {
    outcome: outcome ?? { kind: 'timed_out', result: failureResult(`${tool} took longer than its task is kept`) },
  }
}

function getAskedQuestions({ questions, answers }: Task): AskedQuestions {
  const open = Object.values(questions).map(({ key, request }) => [key, request])
  const used = Object.entries(answers).map(([key, answer]) => [key, fromTaskAnswer(answer)])
  return { open: Object.fromEntries(open), used: Object.fromEntries(used) }
}
