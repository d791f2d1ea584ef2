// Describes a task to its client, in the shape of the newest revision.
// Extension io.modelcontextprotocol/tasks: tasks, "Tasks" and "Task Status".
import {
  findMissingCapabilities,
  type InputRequest,
  mergeCapabilities,
  type RequiredCapabilities,
} from '../input/capabilities.ts'
import { CATALOGUE } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { ClientRequest } from '../protocol/revisions/index.ts'
import { type ClientCapabilities, META_LOG, META_PROGRESS, META_RELATED_TASK } from '../protocol/schemas/common.ts'
import type { Task, TaskProgress } from '../state/task.ts'

/**
 * The questions of a task that a client may see: those whose capability it declares. The reader may
 * be another client of the subject that created the task. Spec 2026-07-28: basic/patterns/mrtr.
 */
export interface VisibleQuestions {
  /** By question key. */
  readonly requests: Readonly<Record<string, ClientRequest>>
  /** Capabilities that the other questions need; undefined if all questions are visible. */
  readonly missing: RequiredCapabilities | undefined
}

export function findVisibleQuestions({ questions }: Task, capabilities: ClientCapabilities): VisibleQuestions {
  const requests: [string, ClientRequest][] = []
  let missing: RequiredCapabilities | undefined
  for (const [key, { request }] of Object.entries(questions)) {
    // Only `ctx` asks questions, and it knows no other methods.
    const lacking = findMissingCapabilities(capabilities, request as InputRequest)
    if (lacking === undefined) requests.push([key, request])
    else missing = mergeCapabilities(missing, lacking)
  }
  return { requests: Object.fromEntries(requests), missing }
}

/** The interval at which a client should poll, ms. */
export const POLL_INTERVAL_MS = 1000

/** The members that describe a task in every status. */
export function toTaskHandle(task: Task): JsonObject {
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

/** Adds the open questions or the outcome. @param capabilities of the client that reads */
export function describeTask(task: Task, capabilities: ClientCapabilities): JsonObject {
  return { ...toTaskHandle(task), ...toTaskPayload(task, capabilities) }
}

function toTaskPayload(task: Task, capabilities: ClientCapabilities): JsonObject {
  const { status, outcome } = task
  if (status === 'input_required') return toOpenRequests(task, capabilities)
  if (status === 'cancelled' || outcome === undefined) return {}
  if ('result' in outcome) return { result: outcome.result }
  const { reason, message, data } = outcome.error
  return { error: { code: CATALOGUE[reason].code, message, data } }
}

// The extension requires every open question to be shown, and the core forbids a question that the
// client did not declare. Another client has to answer the rest, and the status message says so.
function toOpenRequests(task: Task, capabilities: ClientCapabilities): JsonObject {
  const { requests, missing } = findVisibleQuestions(task, capabilities)
  if (missing === undefined) return { inputRequests: requests }
  const names = formatCapabilityNames(missing).join(', ')
  return { inputRequests: requests, statusMessage: `Waits for an answer from a client that declares ${names}` }
}

/** For notifications of a task: adds its progress. */
export const describeWithProgress = (task: Task, capabilities: ClientCapabilities): JsonObject => ({
  ...describeTask(task, capabilities),
  ...(task.progress !== undefined && { _meta: { [META_PROGRESS]: toReached(task.progress) } }),
})

/** The answer to `tasks/get`: adds the log of the task. */
export function describeWithLog(task: Task, capabilities: ClientCapabilities): JsonObject {
  const described = describeWithProgress(task, capabilities)
  const { log } = task
  if (log === undefined) return described
  return { ...described, _meta: { ...(described['_meta'] as JsonObject | undefined), [META_LOG]: { ...log } } }
}

const toReached = ({ progress, total, message }: TaskProgress): JsonObject => ({ progress, total, message })

const formatCapabilityNames = (capabilities: RequiredCapabilities): string[] =>
  Object.entries(capabilities).flatMap(([kind, modes]) => {
    const names = Object.keys(modes)
    return names.length === 0 ? [kind] : names.map(mode => `${kind}.${mode}`)
  })

/** `_meta` of a task's message. Spec 2025-11-25: basic/utilities/tasks, "Related Task Metadata". */
export const createRelatedTaskMeta = (taskId: string): JsonObject => ({ [META_RELATED_TASK]: { taskId } })
