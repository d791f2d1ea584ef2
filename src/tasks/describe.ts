// A task as its client sees it, in the newest revision.
// Extension io.modelcontextprotocol/tasks: tasks, "Tasks" and "Task Status".
import { CATALOGUE } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { META_RELATED_TASK } from '../protocol/schemas/common.ts'
import type { Task } from '../task.ts'

/** How long a client should wait between two looks, ms. */
export const POLL_INTERVAL_MS = 1000

/** What is said of a task whatever its state. */
export function handleOf(task: Task): JsonObject {
  return {
    taskId: task.id,
    status: task.status,
    statusMessage: task.statusMessage,
    createdAt: new Date(task.createdAtMs).toISOString(),
    lastUpdatedAt: new Date(task.updatedAtMs).toISOString(),
    ttlMs: task.ttlMs,
    pollIntervalMs: POLL_INTERVAL_MS,
  }
}

/** With what is open, or how it ended. */
export function describeTask(task: Task): JsonObject {
  return { ...handleOf(task), ...payloadOf(task) }
}

function payloadOf({ status, questions, outcome }: Task): JsonObject {
  if (status === 'input_required') return { inputRequests: requestsOf(questions) }
  if (status === 'cancelled' || outcome === undefined) return {}
  if ('result' in outcome) return { result: outcome.result }
  const { reason, message, data } = outcome.error
  return { error: { code: CATALOGUE[reason].code, message, data } }
}

export const requestsOf = (questions: Task['questions']): JsonObject =>
  Object.fromEntries(Object.entries(questions).map(([key, { request }]) => [key, request]))

/** `_meta` of what belongs to a task and does not name it. Spec 2025-11-25: basic/utilities/tasks, "Related Task Metadata". */
export const relatedTo = (taskId: string): JsonObject => ({ [META_RELATED_TASK]: { taskId } })
