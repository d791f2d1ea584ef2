// The tasks of a server: opened by a call, looked at and steered by their owner, run by the queue.
import type { Cancellation, CancelReason } from '../cancellation.ts'
import { failureResult } from '../execution/failure.ts'
import { failureOf } from '../execution/run.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { RunTask, TaskPosition, TaskQueue, TaskStore } from '../state/tasks.ts'
import type { Task, TaskAnswer, TaskStep } from '../task.ts'
import { answer, cancel } from '../task-steps.ts'
import { answerOf } from './outcome.ts'
import { type Opening, taskOf, turnOf } from './task-of.ts'
import { Waits } from './waits.ts'
import { type TaskListener, Watchers } from './watchers.ts'

export interface TaskRules {
  /** How long a task is kept, ms from its creation; also the longest that a client may ask for. */
  readonly ttlMs: number
  /** How long a call waits before its client is given a task, ms. */
  readonly inlineMs: number
  /** Whether clients that know no tasks are told of them in words. */
  readonly hasFallback: boolean
}

interface Wait {
  readonly cancellation: Cancellation
  /** Milliseconds; undefined: until the task is gone. */
  readonly withinMs?: number
}

export class Tasks {
  readonly rules: TaskRules
  readonly waits = new Waits()
  readonly #store: TaskStore
  readonly #queue: TaskQueue
  readonly #watchers = new Watchers()
  readonly #waits = new Set<() => void>()
  #isStopping = false
  #isHeard: (session: string) => boolean = () => false
  #tellSession: (task: Task) => void = () => {}

  constructor(store: TaskStore, queue: TaskQueue, rules: TaskRules) {
    this.#store = store
    this.#queue = queue
    this.rules = rules
    store.onChange(
      (id, task) => {
        this.#watchers.tell(id, task)
        if (task?.session !== undefined && task.isHandedOut) this.#tellSession(task)
      },
      (id, session) => this.#watchers.has(id) || (session !== undefined && this.#isHeard(session)),
    )
    store.onMissed(() => void this.#lookAgain())
  }

  /** The server goes down, and begins no task any more. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /** What it has not ended when it goes down is lost, or told to have been interrupted. */
  get endsWithProcess(): boolean {
    return !this.#queue.outlivesProcess
  }

  /** Stores a task, then has it run. @throws McpError RATE_LIMITED, BUSY, STATE_UNAVAILABLE */
  async open(opening: Opening): Promise<Task> {
    const task = taskOf(opening, this.rules.ttlMs)
    await this.#store.create(task)
    try {
      await this.#queue.add(turnOf(task))
    } catch (error) {
      // What nobody will run need not be kept; where it cannot be removed, its time passes.
      await this.remove(task).catch(() => {})
      throw error
    }
    return task
  }

  async read(id: string): Promise<Task | undefined> {
    return this.#store.find(id)
  }

  /** Undefined where it is unknown, gone, or somebody else's. */
  async find(id: string, owner: string | undefined): Promise<Task | undefined> {
    const task = await this.#store.find(id)
    return task?.isHandedOut && task.owner === owner ? task : undefined
  }

  async list(owner: string, size: number, after?: TaskPosition): Promise<readonly Task[]> {
    return this.#store.list(owner, size, after)
  }

  async change(id: string, step: TaskStep): Promise<Task | undefined> {
    return this.#store.change(id, step)
  }

  /** What is answered to no open question is ignored. @param responses by the keys of the questions */
  async answer({ id }: Task, responses: JsonObject): Promise<void> {
    const answers = Object.entries(responses).map(([key, response]): [string, TaskAnswer] => [key, answerOf(response)])
    const answered = (await this.#store.change(id, answer(Object.fromEntries(answers)))) ?? (await this.#store.find(id))
    // Also where nothing was answered: whoever did may have been cut off before this.
    if (answered?.status === 'working' && !answered.isRunning) await this.#queue.add(turnOf(answered))
  }

  /** Has a task run again whose run was broken off. */
  async resume(task: Task): Promise<void> {
    await this.#queue.add(turnOf(task))
  }

  /** @returns the task, cancelled; undefined where it had ended before */
  async cancel(task: Task, reason: CancelReason = 'cancelled'): Promise<Task | undefined> {
    const { kind, message } = failureOf(reason, { name: task.tool, timeoutMs: task.ttlMs })
    const cancelled = await this.#store.change(task.id, cancel({ kind, result: failureResult(message) }, message))
    if (cancelled !== undefined) await this.#queue.remove(turnOf(task))
    return cancelled
  }

  /** Cancels what belongs to one that is no more. */
  async endAll(owner: string): Promise<void> {
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
    await this.#store.remove(id)
  }

  /** @returns how to stop */
  watch(id: string, listener: TaskListener): () => void {
    return this.#watchers.watch(id, listener)
  }

  /** Told of every change of a task that was asked for in a session. @param isHeard whether the session is here */
  onSessionTask(listener: (task: Task) => void, isHeard: (session: string) => boolean): void {
    this.#tellSession = listener
    this.#isHeard = isHeard
  }

  /**
   * Waits until something is so, as it may be already.
   *
   * @returns the task then; undefined where it is gone, or the wait is over
   */
  until(id: string, isSo: (task: Task) => boolean, { cancellation, withinMs }: Wait): Promise<Task | undefined> {
    return new Promise((resolve, reject) => {
      let isOver = false
      const end = (finish: () => void) => {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        stop()
        this.#waits.delete(giveUp)
        cancellation.onCancel(undefined)
        finish()
      }
      const giveUp = () => end(() => resolve(undefined))
      const look: TaskListener = task => {
        if (task === undefined || isSo(task)) end(() => resolve(task))
      }
      const stop = this.watch(id, look)
      const timer = withinMs === undefined ? undefined : setTimeout(giveUp, withinMs)
      this.#waits.add(giveUp)
      cancellation.onCancel(giveUp)
      // It may have changed before anybody watched.
      Promise.resolve(this.#store.find(id)).then(look, error => end(() => reject(error)))
    })
  }

  /** Who runs them; set once, before the first is opened. */
  onTask(run: RunTask): void {
    this.#queue.onTask(run)
  }

  /** Begins none any more; who waits for a task is told so. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#queue.pause()
    for (const giveUp of [...this.#waits]) giveUp()
  }

  async #lookAgain(): Promise<void> {
    for (const id of this.#watchers.ids()) {
      try {
        this.#watchers.tell(id, await this.#store.find(id))
      } catch {
        // It is looked at again when what was missed can be read.
        return
      }
    }
  }
}
