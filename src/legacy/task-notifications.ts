// Notifies the session that created a task of the task's status, and of its progress if the request
// has a token. task-questions.ts passes on the questions of the task.
// Spec 2025-11-25: basic/utilities/tasks, "Task Notifications" and "Task Progress Notifications".
import type { Access } from '../auth/access.ts'
import type { Revision } from '../protocol/revisions/index.ts'
import { getSessionOwner, type Task } from '../state/task.ts'
import { createRelatedTaskMeta, describeWithProgress } from '../tasks/describe.ts'
import type { TaskService } from '../tasks/tasks.ts'
import type { SessionRegistry } from './session-registry.ts'
import { TaskQuestions } from './task-questions.ts'

interface TaskNotificationParts {
  readonly tasks: TaskService
  readonly access: Access
}

/** Tasks whose last notified version is remembered: duplicates arrive within moments, or never. */
const MAX_REMEMBERED_TASKS = 1000

export function notifySessions({ tasks, access }: TaskNotificationParts, sessions: SessionRegistry): void {
  const isNew = createVersionFilter()
  const questions = new TaskQuestions({ tasks, access, sessions })
  tasks.onSessionTask(
    task => {
      if (!isNew(task)) return
      questions.consider(task, task.session!)
      // The stream's reader may use another token than the task's creator, with fewer scopes.
      const tell = (json: (revision: Revision) => string | undefined) =>
        sessions.notify(task.session!, ({ revision, capabilities }, caller) =>
          access.mayReadTask({ caller, capabilities }, task) ? json(revision) : undefined,
        )
      tell(revision => toStatusNotification(task, revision))
      tell(() => toProgressNotification(task))
    },
    session => sessions.hasReader(session),
  )
  tasks.onLook((task, session) => {
    if (sessions.findReader(session) !== undefined) questions.consider(task, session)
    else sessions.replicas.publish({ kind: 'looked', session, taskId: task.id })
  })
  sessions.onLook((taskId, session) => {
    const found = async () => tasks.read(taskId)
    found().then(
      task => task && questions.consider(task, session),
      () => {},
    )
  })
  // No other session can read these tasks.
  sessions.onEnd(session => void tasks.cancelAll(getSessionOwner(session)).catch(() => {}))
}

// With Redis, a replica reads the task at each change: of two quick ones, it reads the later twice.
// Repeated progress would not increase. If Redis lost data, versions repeat, but at later times.
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
    // The session itself declared the capabilities for the task's questions.
    params: revision.shapeResult('tasks/get', describeWithProgress(task, task.job?.capabilities ?? {})),
  })

function toProgressNotification({ id, job, progress, version }: Task): string | undefined {
  const progressToken = job?.meta.progressToken
  // A later step of the task has a new version but the old progress, which must increase each time.
  if (progressToken === undefined || progress?.version !== version) return undefined
  const { progress: reached, total, message } = progress
  const params = { _meta: createRelatedTaskMeta(id), progressToken, progress: reached, total, message }
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })
}
