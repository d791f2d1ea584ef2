// Asks a session the questions of its tasks, over its notification stream. Does so only if its client
// neither waits for the result nor answers in another way: some clients just poll `tasks/get`. A client
// that follows the specification then calls `tasks/result`, and is asked there (decision 69).
// Spec 2025-11-25: basic/utilities/tasks, "Task Support and Handling".
import type { Access } from '../auth/access.ts'
import { Cancellation } from '../request/cancellation.ts'
import type { NotificationSink } from '../request/exchange.ts'
import type { Task } from '../state/task.ts'
import { askClient } from '../tasks/ask-client.ts'
import { findVisibleQuestions, POLL_INTERVAL_MS } from '../tasks/describe.ts'
import type { TaskService } from '../tasks/tasks.ts'
import { createAsk } from './server-requests.ts'
import type { SessionRegistry } from './session-registry.ts'

/** How often no stream is found before the questions are withdrawn. */
const MAX_MISSES = 2

export interface TaskQuestionParts {
  readonly tasks: TaskService
  readonly access: Access
  readonly sessions: SessionRegistry
}

export class TaskQuestions {
  readonly #parts: TaskQuestionParts
  /** Sessions that are asked here, or will be soon, by their id and that of the task. */
  readonly #asking = new Map<string, Cancellation>()

  constructor(parts: TaskQuestionParts) {
    this.#parts = parts
    parts.tasks.onStop(() => {
      for (const asking of this.#asking.values()) asking.cancel('shutdown')
    })
  }

  /** Asks once the task has waited for POLL_INTERVAL_MS, if the session listens here. */
  consider(task: Task, session: string): void {
    const { tasks, sessions } = this.#parts
    const key = `${session} ${task.id}`
    if (task.status !== 'input_required' || this.#asking.has(key)) return
    if (tasks.isStopping || sessions.findReader(session) === undefined) return
    const cancellation = new Cancellation()
    this.#asking.set(key, cancellation)
    const waitMs = task.updatedAtMs + POLL_INTERVAL_MS - Date.now()
    const begin = () =>
      this.#ask(task.id, session, cancellation)
        // The store failed, or too many questions wait: the next look tries again.
        .catch(() => {})
        .finally(() => this.#asking.delete(key))
    setTimeout(begin, Math.min(POLL_INTERVAL_MS, waitMs)).unref()
  }

  async #ask(id: string, sessionId: string, cancellation: Cancellation): Promise<void> {
    const { tasks, access, sessions } = this.#parts
    const task = await tasks.read(id)
    const active = sessions.findReader(sessionId)
    if (task === undefined || active === undefined || cancellation.reason !== undefined) return
    const { session, reader } = active
    const keys = Object.keys(findVisibleQuestions(task, session.capabilities).requests)
    const known = { caller: reader?.caller, capabilities: session.capabilities }
    if (keys.length === 0 || !session.revision.tasks?.onRequest || !access.mayReadTask(known, task)) return
    const sink: Pick<NotificationSink, 'send'> = { send: json => (active.reader ?? reader)!.send(json) }
    let misses = 0
    const onWaiting = () => {
      // At another replica, the client may have resumed the stream that has the questions.
      misses = active.reader === undefined && !active.isNotifiedElsewhere ? misses + 1 : 0
      if (misses === MAX_MISSES) cancellation.cancel('client-left')
    }
    const asking = { task, keys, session: session.id, over: 'stream' as const, onWaiting }
    const answers = await askClient(tasks, asking, createAsk({ sessions, session, sink, cancellation }))
    if (typeof answers === 'object') await tasks.answer(task, answers)
  }
}
