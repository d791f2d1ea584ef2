// The text of a task in the list: a badge, a line, and whether it still runs.
import { describeReached, type Steps } from '../calls/progress.ts'
import { formatClock } from '../results/format.ts'
import { hasEnded, type TaskEntry } from './task-list.ts'

export interface Badge {
  readonly word: 'asks' | 'done' | 'failed' | 'cancelled'
  readonly class: string
}

const ASKS: Badge = { word: 'asks', class: 'badge badge-warning' }
const DONE: Badge = { word: 'done', class: 'badge badge-ok' }
const FAILED: Badge = { word: 'failed', class: 'badge badge-danger' }
const CANCELLED: Badge = { word: 'cancelled', class: 'badge' }

/** @returns undefined while it runs */
export function findBadge({ status, problem, result }: TaskEntry): Badge | undefined {
  if (status === 'cancelled') return CANCELLED
  if (problem !== undefined || status === 'failed' || result?.['isError'] === true) return FAILED
  if (status === 'completed') return DONE
  return status === 'input_required' ? ASKS : undefined
}

export function describeTask(task: TaskEntry, steps: Steps | undefined): string {
  const { status, statusMessage, problem, endedAt } = task
  const far = steps && describeReached(steps)
  if (status === 'cancelled') return far === undefined ? 'Stopped by you' : `Stopped by you at ${far}`
  if (findBadge(task) === FAILED) return problem?.detail ?? statusMessage ?? 'It failed'
  if (hasEnded(task)) return `Ended at ${formatClock(endedAt ?? Date.now())}`
  if (status === 'input_required') return statusMessage ?? 'Waits for your answer'
  if (far === undefined) return statusMessage ?? 'Running'
  return steps?.message === undefined ? far : `${steps.message} · ${far}`
}

/**
 * The text above the bar until the tool reports something. The status message would only repeat the
 * bar's numbers.
 */
export const describeRunning = (task: TaskEntry): string =>
  task.progress === undefined && task.statusMessage !== undefined ? task.statusMessage : `${task.tool} is running`

/** Short: `n: 14, name: "july.txt"`. */
export const describeArguments = (args: Readonly<Record<string, unknown>>): string =>
  Object.entries(args)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(', ')
    .slice(0, MAX_ARGUMENTS)

const MAX_ARGUMENTS = 300

export type Which = 'all' | 'running' | 'ended'

export const filterTasks = (tasks: readonly TaskEntry[], which: Which): readonly TaskEntry[] =>
  tasks.filter(task => which === 'all' || hasEnded(task) === (which === 'ended'))
