// The tasks of a server. A call opens them, their owner reads and controls them, the queue runs them.
// Stores and queue implement the interfaces of src/state/tasks.ts.
import type { SubjectTokens } from '../execution/caller-tokens.ts'
import { toCancelFailure } from '../execution/run.ts'
import { failureResult } from '../execution/tool-failure.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { Cancellation, CancelReason } from '../request/cancellation.ts'
import { REAL_TIMERS, type Timers } from '../request/timers.ts'
import { getBackend } from '../state/store.ts'
import { hasEnded, type Task, type TaskAnswer, type TaskStep } from '../state/task.ts'
import type { RunTask, TaskQueue } from '../state/task-queue.ts'
import type { TaskPosition, TaskStore } from '../state/tasks.ts'
import { createTask, type NewTask, toQueueEntry, toTaskAnswer } from './create.ts'
import { type TaskListener, TaskWatchers, WaitLimiter } from './listeners.ts'
import { toAnswered, toCancelled } from './transitions.ts'

export interface TaskRules {
  /** Time to live of a task, ms from its creation; also the longest that a client may ask for. */
  readonly ttlMs: number
  /** How long a call waits before its client receives a task, ms. */
  readonly inlineMs: number
  /** What clients without task support receive of a task; undefined: nothing but an error. */
  readonly describeAsText?: ((task: Task) => string) | undefined
}

export interface TaskServiceParts {
  readonly timers?: Timers | undefined
  readonly subjectTokens?: SubjectTokens | undefined
}

interface Wait {
  readonly cancellation: Cancellation
  /** Timeout, ms; undefined: until the task is gone. */
  readonly withinMs?: number
}

export class TaskService {
  readonly rules: TaskRules
  readonly waitLimiter = new WaitLimiter()
  readonly #store: TaskStore
  readonly #queue: TaskQueue
  readonly #timers: Timers
  readonly #subjectTokens: SubjectTokens | undefined
  readonly #watchers = new TaskWatchers()
  readonly #waits = new Set<() => void>()
  #isStopping = false
  #isHeard: (session: string) => boolean = () => false
  #tellSession: (task: Task) => void = () => {}
  #onLook: (task: Task, session: string) => void = () => {}

  constructor(
    store: TaskStore,
    queue: TaskQueue,
    rules: TaskRules,
    { timers = REAL_TIMERS, subjectTokens }: TaskServiceParts = {},
  ) {
    this.#store = store
    this.#queue = queue
    this.#timers = timers
    this.#subjectTokens = subjectTokens
    this.rules = rules
    store.onChange(
      (id, task) => {
        this.#watchers.notify(id, task)
        if (task?.session !== undefined && task.isHandedOut) this.#tellSession(task)
      },
      (id, session) => this.#watchers.has(id) || (session !== undefined && this.#isHeard(session)),
    )
    store.onMissed?.(() => void this.#lookAgain())
  }

  /** True while the server shuts down; it then starts no task. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /** True if a task that has not ended is lost with the process, or reported as interrupted. */
  get endsWithProcess(): boolean {
    return getBackend(this.#queue).outlivesProcess !== true
  }

  /** Stores a task and enqueues it. @throws McpError RATE_LIMITED, BUSY, STATE_UNAVAILABLE */
  async open(opening: NewTask): Promise<Task> {
    const task = createTask(opening, this.rules.ttlMs)
    await this.#store.create(task)
    this.#subjectTokens?.keepForTask(task.id, opening.exchange.caller)
    try {
      await this.#queue.add(toQueueEntry(task))
    } catch (error) {
      // No process will run it, so it is removed; if that fails, it expires.
      await this.remove(task).catch(() => {})
      throw error
    }
    return task
  }

  async read(id: string): Promise<Task | undefined> {
    return this.#store.find(id)
  }

  /** Returns undefined if the task is unknown, gone, or another caller's. */
  async find(id: string, owner: string | undefined): Promise<Task | undefined> {
    const task = await this.#store.find(id)
    return task?.isHandedOut && task.owner === owner ? task : undefined
  }

  async list(owner: string, size: number, after?: TaskPosition): Promise<readonly Task[]> {
    return this.#store.list(owner, size, after)
  }

  async change(id: string, step: TaskStep): Promise<Task | undefined> {
    const changed = await this.#store.change(id, step)
    if (changed !== undefined && hasEnded(changed)) this.#subjectTokens?.forgetTask(id)
    return changed
  }

  /** Ignores answers to questions that are not open. @param responses by question key */
  async answer({ id }: Task, responses: JsonObject): Promise<void> {
    const answers = Object.entries(responses).map(([key, response]): [string, TaskAnswer] => [
      key,
      toTaskAnswer(response),
    ])
    const answered =
      (await this.#store.change(id, toAnswered(Object.fromEntries(answers)))) ?? (await this.#store.find(id))
    // Also if nothing was answered here: an earlier request may have failed before this line.
    if (answered?.status === 'working' && !answered.isRunning) await this.#queue.add(toQueueEntry(answered))
  }

  /** Enqueues a task again whose run was interrupted. */
  async resume(task: Task): Promise<void> {
    await this.#queue.add(toQueueEntry(task))
  }

  /** Its run is aborted by `RunWatch`. @returns undefined if the task had already ended */
  async cancel(task: Task, reason: CancelReason = 'cancelled'): Promise<Task | undefined> {
    const { kind, message } = toCancelFailure(reason, { name: task.tool, timeoutMs: task.ttlMs })
    const cancelled = await this.change(task.id, toCancelled({ kind, result: failureResult(message) }, message))
    if (cancelled !== undefined) await this.#queue.remove(toQueueEntry(task))
    return cancelled
  }

  /** Cancels all tasks of an owner, such as a session that has ended. */
  async cancelAll(owner: string): Promise<void> {
    for (;;) {
      const tasks = await this.#store.list(owner, 100)
      if (tasks.length === 0) return
      for (const task of tasks) {
        await this.cancel(task)
        await this.remove(task)
      }
    }
  }

  async remove({ id }: Task): Promise<void> {
    this.#subjectTokens?.forgetTask(id)
    await this.#store.remove(id)
  }

  /** @returns a function that stops the listener */
  watch(id: string, listener: TaskListener): () => void {
    return this.#watchers.watch(id, listener)
  }

  /**
   * Calls `listener` on every change of a task that a session created.
   *
   * @param isHeard reports if the session is connected to this replica
   */
  onSessionTask(listener: (task: Task) => void, isHeard: (session: string) => boolean): void {
    this.#tellSession = listener
    this.#isHeard = isHeard
  }

  /** Calls `listener` when a session looks at a task that waits for answers. */
  onLook(listener: (task: Task, session: string) => void): void {
    this.#onLook = listener
  }

  /** @param session that looks at the task, if any does */
  look(task: Task, session: string | undefined): void {
    if (session !== undefined && task.status === 'input_required') this.#onLook(task, session)
  }

  /** Calls `listener` when the server shuts down. */
  onStop(listener: () => void): void {
    this.#waits.add(listener)
  }

  /**
   * Waits until a condition holds; it may hold already.
   *
   * @returns the task then; undefined if it is gone, or the wait was cancelled or timed out
   */
  waitUntil(id: string, isSo: (task: Task) => boolean, { cancellation, withinMs }: Wait): Promise<Task | undefined> {
    return new Promise((resolve, reject) => {
      let isOver = false
      const end = (finish: () => void) => {
        if (isOver) return
        isOver = true
        this.#timers.clearTimeout(timer)
        stop()
        this.#waits.delete(giveUp)
        cancellation.offCancel(giveUp)
        finish()
      }
      const giveUp = () => end(() => resolve(undefined))
      const look: TaskListener = task => {
        if (task === undefined || isSo(task)) end(() => resolve(task))
      }
      const stop = this.watch(id, look)
      const timer = withinMs === undefined ? undefined : this.#timers.setTimeout(giveUp, withinMs)
      this.#waits.add(giveUp)
      cancellation.onCancel(giveUp)
      // The task may have changed before the listener was added.
      this.read(id)
        .then(look)
        .catch(error => end(() => reject(error)))
    })
  }

  /** Sets the function that runs tasks; called once, before the first task is opened. */
  onTask(run: RunTask): void {
    this.#queue.onTask(run)
  }

  /** Starts no further task, and notifies the requests that wait for one. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#queue.pause()
    for (const giveUp of [...this.#waits]) giveUp()
  }

  async #lookAgain(): Promise<void> {
    for (const id of this.#watchers.ids()) {
      try {
        this.#watchers.notify(id, await this.#store.find(id))
      } catch {
        // The task is read again when the store reports missed changes.
        return
      }
    }
  }
}
