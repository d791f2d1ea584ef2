// The session that asked for a task hears how it goes: its status, and its progress where the call had a token for it.
// Spec 2025-11-25: basic/utilities/tasks, "Task Notifications" and "Task Progress Notifications".
import type { Access } from '../access/access.ts'
import type { Revision } from '../protocol/revisions/index.ts'
import { sessionOwner, type Task } from '../task.ts'
import { describeTask, relatedTo } from '../tasks/describe.ts'
import type { Tasks } from '../tasks/tasks.ts'
import type { LiveSessions } from './live-sessions.ts'

interface Parts {
  readonly tasks: Tasks
  readonly access: Access
}

export function tellSessions({ tasks, access }: Parts, sessions: LiveSessions): void {
  tasks.onSessionTask(
    task => {
      // A stream may be read with another token than the one that the task was begun with, and of fewer scopes.
      const tell = (json: (revision: Revision) => string | undefined) =>
        sessions.tell(task.session!, (revision, reader) =>
          access.may(reader, task.scopes) ? json(revision) : undefined,
        )
      tell(revision => statusOf(task, revision))
      tell(() => progressOf(task))
    },
    session => sessions.isHeard(session),
  )
  // Nobody else can ask for what belongs to a session.
  sessions.onEnd(session => void tasks.endAll(sessionOwner(session)).catch(() => {}))
}

const statusOf = (task: Task, revision: Revision) =>
  JSON.stringify({
    jsonrpc: '2.0',
    method: 'notifications/tasks/status',
    params: revision.shape('tasks/get', describeTask(task)),
  })

function progressOf({ id, job, progress, version }: Task): string | undefined {
  const progressToken = job?.meta.progressToken
  // A later step of the task is news, but no progress: that must grow each time it is told.
  if (progressToken === undefined || progress?.version !== version) return undefined
  const { progress: reached, total, message } = progress
  const params = { _meta: relatedTo(id), progressToken, progress: reached, total, message }
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })
}
