// A call that may become a task. It is a task from the start, stored before it runs; only whether its client is told
// depends on how soon it ends.
import type { Cancellation } from '../cancellation.ts'
import { failureResult } from '../execution/failure.ts'
import type { Questions } from '../input/questions.ts'
import type { Task, TaskOutcome } from '../task.ts'
import { handOut } from '../task-steps.ts'
import { givenOf } from './outcome.ts'
import type { Opening } from './task-of.ts'
import type { Tasks } from './tasks.ts'

/** The questions that a call asks before it becomes a task, and the answers that it has used, as its handler calls them. */
export type Asked = Pick<Questions, 'open' | 'used'>

export type Deferred = { readonly task: Task } | { readonly outcome: TaskOutcome } | { readonly asked: Asked }

/**
 * Waits for a call as long as its client is made to wait, then hands out a task.
 *
 * @returns the task, where it is given out; else what the call ended with or asks, and nothing of it is kept
 * @throws McpError RATE_LIMITED, BUSY
 */
export async function defer(tasks: Tasks, opening: Omit<Opening, 'isHandedOut'>): Promise<Deferred> {
  const { cancellation } = opening.exchange
  const task = await tasks.open({ ...opening, isHandedOut: false })
  const settled = (await settledInline(tasks, task, cancellation)) ?? (await settledInEnd(tasks, task, cancellation))
  if (settled !== undefined) return withdraw(tasks, settled)
  if (cancellation.reason !== undefined) await tasks.cancel(task, cancellation.reason)
  else {
    const handedOut = await tasks.change(task.id, handOut)
    if (handedOut !== undefined) return { task: handedOut }
  }
  return withdraw(tasks, (await tasks.read(task.id)) ?? task)
}

const hasSettled = ({ status }: Task) => status !== 'working'

/** How long a call waits for the first turn of its handler, where it waits for nothing else, ms. */
const FIRST_TURN_MS = 250

// Without a wait only what a tool asks first is asked before there is a task: it does so in its first turn.
async function settledInline(tasks: Tasks, { id }: Task, cancellation: Cancellation): Promise<Task | undefined> {
  const { inlineMs } = tasks.rules
  if (inlineMs > 0) return tasks.until(id, hasSettled, { cancellation, withinMs: inlineMs })
  const isOver = (task: Task) => task.hasBegun || hasSettled(task)
  const task = await tasks.until(id, isOver, { cancellation, withinMs: FIRST_TURN_MS })
  return task?.status === 'input_required' ? task : undefined
}

// A task that is lost with the process is not handed out when that goes down.
async function settledInEnd(tasks: Tasks, { id }: Task, cancellation: Cancellation): Promise<Task | undefined> {
  if (!tasks.isStopping || !tasks.endsWithProcess || cancellation.reason !== undefined) return undefined
  return tasks.until(id, hasSettled, { cancellation })
}

async function withdraw(tasks: Tasks, task: Task): Promise<Deferred> {
  // What it has done is done; where it cannot be removed, its time passes.
  await tasks.remove(task).catch(() => {})
  if (task.status === 'input_required') return { asked: askedBy(task) }
  const { tool, outcome } = task
  return {
    outcome: outcome ?? { kind: 'timed_out', result: failureResult(`${tool} took longer than its task is kept`) },
  }
}

function askedBy({ questions, answers }: Task): Asked {
  const open = Object.values(questions).map(({ key, request }) => [key, request])
  const used = Object.entries(answers).map(([key, answer]) => [key, givenOf(answer)])
  return { open: Object.fromEntries(open), used: Object.fromEntries(used) }
}
