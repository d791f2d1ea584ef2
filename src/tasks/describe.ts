// A task as its client sees it, in the newest revision.
// Extension io.modelcontextprotocol/tasks: tasks, "Tasks" and "Task Status".
import type { RequiredCapabilities } from '../input/capabilities.ts'
import { CATALOGUE } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { type ClientCapabilities, META_RELATED_TASK } from '../protocol/schemas/common.ts'
import type { Task } from '../task.ts'
import { findAskable } from './askable.ts'

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

/** With what is open, or how it ended. @param capabilities of who looks */
export function describeTask(task: Task, capabilities: ClientCapabilities): JsonObject {
  return { ...handleOf(task), ...payloadOf(task, capabilities) }
}

function payloadOf(task: Task, capabilities: ClientCapabilities): JsonObject {
  const { status, outcome } = task
  if (status === 'input_required') return openOf(task, capabilities)
  if (status === 'cancelled' || outcome === undefined) return {}
  if ('result' in outcome) return { result: outcome.result }
  const { reason, message, data } = outcome.error
  return { error: { code: CATALOGUE[reason].code, message, data } }
}

// The extension has all that is open shown, and the core nothing that its client did not declare: the rest is another's
// to answer, and who looks can tell why the task does not go on.
function openOf(task: Task, capabilities: ClientCapabilities): JsonObject {
  const { requests, missing } = findAskable(task, capabilities)
  if (missing === undefined) return { inputRequests: requests }
  const names = namesOf(missing).join(', ')
  return { inputRequests: requests, statusMessage: `Waits for an answer from a client that declares ${names}` }
}

const namesOf = (capabilities: RequiredCapabilities): string[] =>
  Object.entries(capabilities).flatMap(([kind, modes]) => {
    const names = Object.keys(modes)
    return names.length === 0 ? [kind] : names.map(mode => `${kind}.${mode}`)
  })

/** `_meta` of what belongs to a task and does not name it. Spec 2025-11-25: basic/utilities/tasks, "Related Task Metadata". */
export const relatedTo = (taskId: string): JsonObject => ({ [META_RELATED_TASK]: { taskId } })
