// The session that asked for a task hears how it goes: its status, and its progress where the call had a token for it.
// Spec 2025-11-25: basic/utilities/tasks, "Task Notifications" and "Task Progress Notifications".
import type { Access } from '../auth/access.ts'
import type { Revision } from '../protocol/revisions/index.ts'
import { getSessionOwner, type Task } from '../state/task.ts'
import { createRelatedTaskMeta, describeTask } from '../tasks/describe.ts'
import type { TaskService } from '../tasks/tasks.ts'
import type { SessionRegistry } from './session-registry.ts'

interface TaskNotificationParts {
  readonly tasks: TaskService
  readonly access: Access
}

/** Of how many tasks it is known what was told last: news of one change comes twice within moments, or not at all. */
const MAX_REMEMBERED_TASKS = 1000

export function notifySessions({ tasks, access }: TaskNotificationParts, sessions: SessionRegistry): void {
  const isNew = createVersionFilter()
  tasks.onSessionTask(
    task => {
      if (!isNew(task)) return
      // A stream may be read with another token than the one that the task was begun with, and of fewer scopes.
      const tell = (json: (revision: Revision) => string | undefined) =>
        sessions.notify(task.session!, (revision, reader) =>
          access.may(reader, task.scopes) ? json(revision) : undefined,
        )
      tell(revision => toStatusNotification(task, revision))
      tell(() => toProgressNotification(task))
    },
    session => sessions.hasReader(session),
  )
  // Nobody else can ask for what belongs to a session.
  sessions.onEnd(session => void tasks.cancelAll(getSessionOwner(session)).catch(() => {}))
}

// Where replicas share tasks, each is read when its change is heard of: of two changes at once, the later is read twice.
// Told twice, progress would not grow. A Redis that has lost its last second counts versions again, at a later time.
function createVersionFilter(): (task: Task) => boolean {
  const told = new Map<string, Pick<Task, 'version' | 'updatedAtMs'>>()
  return ({ id, version, updatedAtMs }) => {
    const last = told.get(id)
    if (last !== undefined && version <= last.version && updatedAtMs <= last.updatedAtMs) return false
    told.delete(id)
    told.set(id, { version, updatedAtMs })
    if (told.size > MAX_REMEMBERED_TASKS) told.delete(told.keys().next().value!)
    return true
  }
}

const toStatusNotification = (task: Task, revision: Revision) =>
  JSON.stringify({
    jsonrpc: '2.0',
    method: 'notifications/tasks/status',
    // What may be asked in it was declared by this very session.
    params: revision.shapeResult('tasks/get', describeTask(task, task.job?.capabilities ?? {})),
  })

function toProgressNotification({ id, job, progress, version }: Task): string | undefined {
  const progressToken = job?.meta.progressToken
  // A later step of the task is news, but no progress: that must grow each time it is told.
  if (progressToken === undefined || progress?.version !== version) return undefined
  const { progress: reached, total, message } = progress
  const params = { _meta: createRelatedTaskMeta(id), progressToken, progress: reached, total, message }
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })
}
