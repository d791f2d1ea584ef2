// The steps of a task: pure functions from one state to the next, or to undefined if the step is
// not allowed. Spec 2025-11-25: basic/utilities/tasks, "Task Status Lifecycle".
// Extension io.modelcontextprotocol/tasks: tasks, "Task Status".
import { countJsonBytes } from '../protocol/json-size.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { ClientRequest } from '../protocol/revisions/index.ts'
import {
  hasEnded,
  type Task,
  type TaskAnswer,
  type TaskAsked,
  type TaskLog,
  type TaskOutcome,
  type TaskProgress,
  type TaskQuestion,
  type TaskStatus,
  type TaskStep,
} from '../state/task.ts'
import { MAX_LOGGED } from './status-log.ts'

const NOTHING = Object.freeze({})

const withChange = (task: Task, change: Partial<Task>): Task => ({
  ...task,
  ...change,
  updatedAtMs: Date.now(),
  version: task.version + 1,
})
const toEnded = (task: Task, status: TaskStatus, outcome: TaskOutcome, statusMessage: string | undefined): Task =>
  withChange(task, {
    status,
    statusMessage,
    progress: undefined,
    outcome,
    job: undefined,
    isRunning: false,
    questions: NOTHING,
    asked: undefined,
    answers: NOTHING,
    size: countJsonBytes(outcome) + countLogBytes(task.log),
  })

/** The client learns of the task, unless the task has asked a question before. */
export const toHandedOut: TaskStep = task =>
  task.isHandedOut || task.status === 'input_required'
    ? undefined
    : { ...task, isHandedOut: true, version: task.version + 1 }

/** A run of the handler starts. */
export const toStarted: TaskStep = task =>
  task.status === 'working' ? { ...task, run: task.run + 1, isRunning: true, version: task.version + 1 } : undefined

/** A run starts for a queue entry. */
export const toStartedByTurn =
  (turn: number): TaskStep =>
  task => {
    const started = toStarted(task)
    return started && { ...started, turn }
  }

/** The first turn of the handler is over. */
export const toBegun: TaskStep = task =>
  task.status === 'working' && !task.hasBegun ? { ...task, hasBegun: true, version: task.version + 1 } : undefined

/** The run was interrupted, and another may start. */
export const toReleased: TaskStep = task =>
  task.isRunning ? { ...task, isRunning: false, version: task.version + 1 } : undefined

/** Applies a step only if it comes from the latest run. */
export const ifCurrentRun =
  (run: number, step: TaskStep): TaskStep =>
  task =>
    task.run === run ? step(task) : undefined

/** @param progress kept and sent to the session, unless an earlier run has reported as much */
export const withStatusMessage =
  (statusMessage: string, progress?: TaskProgress): TaskStep =>
  task => {
    if (task.status !== 'working' || task.statusMessage === statusMessage) return undefined
    const said = withChange(task, { statusMessage })
    const isFurther =
      progress !== undefined && progress.progress > (task.progress?.progress ?? Number.NEGATIVE_INFINITY)
    return isFurther ? { ...said, progress: { ...progress, version: said.version } } : said
  }

/** @param before entries of this run that were left out before these */
export const withLog =
  (entries: readonly JsonObject[], before: number): TaskStep =>
  task => {
    if (hasEnded(task)) return undefined
    const all = [...(task.log?.entries ?? []), ...entries]
    const kept = all.slice(-MAX_LOGGED)
    const log = { entries: kept, before: (task.log?.before ?? 0) + before + all.length - kept.length }
    return { ...task, log, version: task.version + 1, size: task.size + countLogBytes(log) - countLogBytes(task.log) }
  }

const countLogBytes = (log: TaskLog | undefined) => (log === undefined ? 0 : countJsonBytes(log.entries))

/**
 * @param asked questions by the handler's keys
 * @param used the answers that the handler has used, and its notes
 */
export const toInputRequired =
  (asked: Readonly<Record<string, ClientRequest>>, used: Readonly<Record<string, TaskAnswer>>): TaskStep =>
  task => {
    if (task.status !== 'working') return undefined
    const issued = [...task.issued]
    const questions: Record<string, TaskQuestion> = Object.create(null)
    for (const [key, request] of Object.entries(asked)) {
      const unused = findUnusedKey(key, issued)
      issued.push(unused)
      questions[unused] = { key, request }
    }
    return withChange(task, {
      status: 'input_required',
      statusMessage: undefined,
      questions,
      asked: undefined,
      answers: used,
      issued,
      rounds: task.rounds + 1,
      isRunning: false,
      // Answers are counted when they arrive; values that the handler keeps make them larger.
      size: task.size + countJsonBytes(questions) + Math.max(0, countJsonBytes(used) - countJsonBytes(task.answers)),
    })
  }

// The first use of a key keeps the handler's name; a question asked again gets another one.
function findUnusedKey(key: string, issued: readonly string[]): string {
  let unused = key
  for (let ordinal = 2; issued.includes(unused); ordinal++) unused = `${key}-${ordinal}`
  return unused
}

/**
 * Marks that a session is asked, or renews the mark. A session is asked by one at a time, except by
 * its own `tasks/result` requests.
 */
export const toAsked =
  (session: string, asked: TaskAsked): TaskStep =>
  task => {
    if (task.status !== 'input_required') return undefined
    const nowMs = Date.now()
    const held = Object.entries(task.asked ?? {}).filter(([, { untilMs }]) => untilMs > nowMs)
    const isTaken = held.some(
      ([of, { by, over }]) => of === session && by !== asked.by && (over === 'stream' || asked.over === 'stream'),
    )
    if (isTaken) return undefined
    return { ...task, asked: { ...Object.fromEntries(held), [session]: asked }, version: task.version + 1 }
  }

export const toUnasked =
  (session: string, by: string): TaskStep =>
  task => {
    const { [session]: own, ...others } = task.asked ?? {}
    return own?.by === by ? { ...task, asked: others, version: task.version + 1 } : undefined
  }

/** Ignores answers to questions that are not open. The task continues once none is left open. */
export const toAnswered =
  (answers: Readonly<Record<string, TaskAnswer>>): TaskStep =>
  task => {
    const asked = Object.entries(task.questions)
    const left = asked.filter(([key]) => !Object.hasOwn(answers, key))
    if (task.status !== 'input_required' || left.length === asked.length) return undefined
    // Built from entries, not by assignment: a handler may use the key __proto__.
    const given = Object.fromEntries(
      asked.filter(([key]) => Object.hasOwn(answers, key)).map(([key, question]) => [question.key, answers[key]!]),
    )
    return withChange(task, {
      status: left.length === 0 ? 'working' : 'input_required',
      questions: Object.fromEntries(left),
      answers: { ...task.answers, ...given },
      size: task.size + countJsonBytes(given),
    })
  }

/** @param statusMessage the reason, if the result has `isError: true` */
export const toCompleted =
  (outcome: TaskOutcome, statusMessage?: string): TaskStep =>
  task =>
    hasEnded(task) ? undefined : toEnded(task, 'completed', outcome, statusMessage)

/** The call ended with a protocol error. */
export const toFailed =
  (outcome: TaskOutcome, statusMessage: string): TaskStep =>
  task =>
    hasEnded(task) ? undefined : toEnded(task, 'failed', outcome, statusMessage)

/** How long a cancelled task is kept, ms: no client waits for its outcome. */
const KEPT_CANCELLED_MS = 60_000

/** @param outcome the outcome that the call would have had */
export const toCancelled =
  (outcome: TaskOutcome, statusMessage: string): TaskStep =>
  task => {
    if (hasEnded(task)) return undefined
    const cancelled = toEnded(task, 'cancelled', outcome, statusMessage)
    const ageMs = cancelled.updatedAtMs - task.createdAtMs
    return { ...cancelled, ttlMs: Math.max(1, Math.min(task.ttlMs, ageMs + KEPT_CANCELLED_MS)) }
  }
