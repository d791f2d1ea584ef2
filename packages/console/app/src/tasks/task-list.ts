// The tasks of this page's calls. Polls their states, asks their questions and keeps their results.
import type { Call } from '../calls/call.ts'
import { addStep, type Steps } from '../calls/progress.ts'
import type { ConnectionState } from '../client/connection-state.ts'
import { isObject, type JsonObject } from '../client/json-rpc.ts'
import { describeProblem, type Problem } from '../client/problem.ts'
import { append, Store } from '../client/store.ts'
import type { QuestionMethod, QuestionQueue } from '../questions/question-queue.ts'
import { readLog, readProgress, type TaskLog } from './task-progress.ts'

export const MAX_TASKS = 50
const DEFAULT_POLL_MS = 1000
const MIN_POLL_MS = 250
const MAX_FAILED_POLLS = 10
const ENDED = ['completed', 'failed', 'cancelled']

export interface TaskEntry {
  readonly taskId: string
  readonly tool: string
  readonly callId: number
  /** The call when it became a task; the page may have dropped it since. */
  readonly call: Call
  readonly status: string
  /** The progress in the states of the task. */
  readonly progress?: Steps
  /** The log in the states of the task. */
  readonly log?: TaskLog
  readonly statusMessage?: string
  readonly result?: JsonObject
  readonly problem?: Problem
  readonly endedAt?: number
}

export const hasEnded = ({ status, problem }: Pick<TaskEntry, 'status' | 'problem'>) =>
  ENDED.includes(status) || problem !== undefined

/** The parts of the connection that tasks need. */
export interface TaskConnection {
  readonly state: { get(): Pick<ConnectionState, 'era'> }
  readonly questions: QuestionQueue
  request(request: { method: string; params: JsonObject }, options: { callId: number }): Promise<JsonObject>
}

export class TaskList {
  readonly tasks = new Store<readonly TaskEntry[]>([])
  readonly #connection: TaskConnection

  constructor(connection: TaskConnection) {
    this.#connection = connection
  }

  /** Adds a task, and polls it until it has ended. */
  follow(handle: JsonObject, call: Call): void {
    const { tool, id: callId } = call
    const entry: TaskEntry = { taskId: String(handle['taskId']), tool, callId, call, ...readHandle(handle) }
    this.tasks.update(tasks => append(tasks, entry, MAX_TASKS))
    const isModern = this.#connection.state.get().era === 'modern'
    void this.#poll(entry, toPollMs(handle), isModern)
    if (!isModern) void this.#waitForResult(entry)
  }

  /** The user has signed out, so no task is followed any longer. */
  forget(): void {
    this.tasks.set([])
  }

  async cancel({ taskId, callId }: TaskEntry): Promise<void> {
    try {
      const result = await this.#connection.request({ method: 'tasks/cancel', params: { taskId } }, { callId })
      if (typeof result['status'] === 'string') this.#change(taskId, readHandle(result))
    } catch (error) {
      this.#change(taskId, { statusMessage: describeProblem(error).detail })
    }
  }

  #find(taskId: string): TaskEntry | undefined {
    return this.tasks.get().find(task => task.taskId === taskId)
  }

  async #poll({ taskId, callId }: TaskEntry, firstMs: number, isModern: boolean): Promise<void> {
    const asked = new Set<string>()
    const ended = new AbortController()
    let waitMs = firstMs
    for (let failed = 0; failed < MAX_FAILED_POLLS; ) {
      await new Promise(resolve => setTimeout(resolve, waitMs))
      const known = this.#find(taskId)
      // Not `hasEnded`: if `tasks/result` has failed, the state still shows how the task ended.
      if (known === undefined || ENDED.includes(known.status)) break
      try {
        const task = await this.#connection.request({ method: 'tasks/get', params: { taskId } }, { callId })
        failed = 0
        waitMs = toPollMs(task)
        this.#change(taskId, {
          ...readHandle(task),
          ...readStep(known, task),
          ...readNews(known, task),
          ...(isModern && readOutcome(task)),
        })
        if (isObject(task['inputRequests'])) this.#ask(known, task['inputRequests'], asked, ended.signal)
      } catch (error) {
        if (++failed === MAX_FAILED_POLLS || describeProblem(error).code !== undefined) {
          this.#change(taskId, { problem: describeProblem(error) })
          break
        }
      }
    }
    ended.abort()
  }

  /** Asks the user the questions of the task, each once. */
  #ask({ taskId, callId }: TaskEntry, requests: JsonObject, asked: Set<string>, signal: AbortSignal): void {
    for (const [key, request] of Object.entries(requests)) {
      if (asked.has(key) || !isObject(request)) continue
      asked.add(key)
      const params = isObject(request['params']) ? request['params'] : {}
      this.#connection.questions
        .ask(request['method'] as QuestionMethod, params, signal, callId)
        .then(answer =>
          this.#connection.request(
            { method: 'tasks/update', params: { taskId, inputResponses: { [key]: answer } } },
            { callId },
          ),
        )
        .catch((error: unknown) => {
          if (!signal.aborted) this.#change(taskId, { statusMessage: describeProblem(error).detail })
        })
    }
  }

  /** In revisions with sessions, this request also delivers the task's questions. */
  async #waitForResult({ taskId, callId }: TaskEntry): Promise<void> {
    try {
      const result = await this.#connection.request({ method: 'tasks/result', params: { taskId } }, { callId })
      this.#change(taskId, { result })
    } catch (error) {
      this.#change(taskId, { problem: describeProblem(error) })
    }
  }

  #change(taskId: string, change: Partial<TaskEntry>): void {
    this.tasks.update(tasks => tasks.map(task => (task.taskId === taskId ? merge(task, change) : task)))
  }
}

/** A cancelled task has no problem. The error of its `tasks/result` may arrive before or after its new state. */
function merge(task: TaskEntry, change: Partial<TaskEntry>): TaskEntry {
  const { problem, ...merged } = { ...task, ...change }
  const next: TaskEntry = problem === undefined || merged.status === 'cancelled' ? merged : { ...merged, problem }
  return hasEnded(next) && next.endedAt === undefined ? { ...next, endedAt: Date.now() } : next
}

function readStep({ progress }: TaskEntry, state: JsonObject): Pick<TaskEntry, 'progress'> {
  const step = readProgress(state)
  return step === undefined || step['progress'] === progress?.progress
    ? {}
    : { progress: addStep(progress, step, Date.now()) }
}

function readNews({ log = NO_LOG }: TaskEntry, state: JsonObject): Pick<TaskEntry, 'log'> {
  const news = readLog(log, state, Date.now())
  return news === undefined ? {} : { log: news }
}

const NO_LOG: TaskLog = { logs: [], logCount: 0 }

const readHandle = ({ status, statusMessage }: JsonObject) =>
  ({ status: String(status), statusMessage }) as Pick<TaskEntry, 'status' | 'statusMessage'>

function readOutcome({ result, error }: JsonObject): Partial<TaskEntry> {
  if (isObject(result)) return { result }
  if (!isObject(error)) return {}
  return { problem: { title: 'The task failed', detail: String(error['message']), code: Number(error['code']) } }
}

function toPollMs(task: JsonObject): number {
  const interval = task['pollIntervalMs'] ?? task['pollInterval']
  return typeof interval === 'number' ? Math.max(interval, MIN_POLL_MS) : DEFAULT_POLL_MS
}
