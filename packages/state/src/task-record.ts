// Checks a task that a store has read from outside the process.
import type { JsonObject } from 'toolrack'
import type { Task, TaskStatus } from 'toolrack/stores'

const STATUSES: ReadonlySet<unknown> = new Set<TaskStatus>([
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
])

/**
 * Reads a task that was kept.
 * @returns undefined if the record is missing or damaged, or belongs to another task
 */
export function parseTaskRecord(id: string, record: JsonObject | undefined): Task | undefined {
  const task = record as unknown as Task | undefined
  return task?.id === id && STATUSES.has(task.status) && hasNumbers(task) ? task : undefined
}

const MAX_TIME_MS = 8.64e15
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const isTime = (value: unknown) => isCount(value) && (value as number) <= MAX_TIME_MS

/** Every number is used in arithmetic or sent, so a damaged one would cause an internal error. */
function hasNumbers({ version, size, run, turn, rounds, ttlMs, createdAtMs, updatedAtMs }: Task): boolean {
  return [version, size, run, turn, rounds, ttlMs].every(isCount) && isTime(createdAtMs) && isTime(updatedAtMs)
}
