// The steps that a task can take: pure functions from one state to the next, undefined where one is not allowed.
// Spec 2025-11-25: basic/utilities/tasks, "Task Status Lifecycle". Extension io.modelcontextprotocol/tasks: tasks, "Task Status".
import { sizeOf } from './json-size.ts'
import type { ClientRequest } from './protocol/revisions/index.ts'
import {
  hasEnded,
  type Task,
  type TaskAnswer,
  type TaskOutcome,
  type TaskProgress,
  type TaskQuestion,
  type TaskStatus,
  type TaskStep,
} from './task.ts'

const NOTHING = Object.freeze({})

const stepped = (task: Task, change: Partial<Task>): Task => ({
  ...task,
  ...change,
  updatedAtMs: Date.now(),
  version: task.version + 1,
})
const ended = (task: Task, status: TaskStatus, outcome: TaskOutcome, statusMessage: string | undefined): Task =>
  stepped(task, {
    status,
    statusMessage,
    progress: undefined,
    outcome,
    job: undefined,
    isRunning: false,
    questions: NOTHING,
    answers: NOTHING,
    size: sizeOf(outcome),
  })

/** The client is told of it, unless it was asked something before. */
export const handOut: TaskStep = task =>
  task.isHandedOut || task.status === 'input_required'
    ? undefined
    : { ...task, isHandedOut: true, version: task.version + 1 }

/** A run of its handler begins. */
export const start: TaskStep = task =>
  task.status === 'working' ? { ...task, run: task.run + 1, isRunning: true, version: task.version + 1 } : undefined

/** The same, by a turn of the queue. */
export const startBy =
  (turn: number): TaskStep =>
  task => {
    const started = start(task)
    return started && { ...started, turn }
  }

/** The first turn of its handler is over. */
export const begin: TaskStep = task =>
  task.status === 'working' && !task.hasBegun ? { ...task, hasBegun: true, version: task.version + 1 } : undefined

/** Its run was broken off, and another may begin. */
export const release: TaskStep = task =>
  task.isRunning ? { ...task, isRunning: false, version: task.version + 1 } : undefined

/** A step that only the latest run may take. */
export const ofRun =
  (run: number, step: TaskStep): TaskStep =>
  task =>
    task.run === run ? step(task) : undefined

/** @param progress what its session is told of it; not where an earlier run has said as much */
export const say =
  (statusMessage: string, progress?: TaskProgress): TaskStep =>
  task => {
    if (task.status !== 'working' || task.statusMessage === statusMessage) return undefined
    const said = stepped(task, { statusMessage })
    const isFurther =
      progress !== undefined && progress.progress > (task.progress?.progress ?? Number.NEGATIVE_INFINITY)
    return isFurther ? { ...said, progress: { ...progress, version: said.version } } : said
  }

/** @param asked by what the handler calls them @param used the answers that it has made use of */
export const ask =
  (asked: Readonly<Record<string, ClientRequest>>, used: Readonly<Record<string, TaskAnswer>>): TaskStep =>
  task => {
    if (task.status !== 'working') return undefined
    const issued = [...task.issued]
    const questions: Record<string, TaskQuestion> = Object.create(null)
    for (const [key, request] of Object.entries(asked)) {
      const unused = unusedKey(key, issued)
      issued.push(unused)
      questions[unused] = { key, request }
    }
    return stepped(task, {
      status: 'input_required',
      statusMessage: undefined,
      questions,
      answers: used,
      issued,
      rounds: task.rounds + 1,
      isRunning: false,
      size: task.size + sizeOf(questions),
    })
  }

// The first time it is what the handler calls it: a key that answered wrongly is asked again under another.
function unusedKey(key: string, issued: readonly string[]): string {
  let unused = key
  for (let ordinal = 2; issued.includes(unused); ordinal++) unused = `${key}-${ordinal}`
  return unused
}

/** Answers to none of the open questions are ignored; the task goes on when none is left open. */
export const answer =
  (answers: Readonly<Record<string, TaskAnswer>>): TaskStep =>
  task => {
    const asked = Object.entries(task.questions)
    const left = asked.filter(([key]) => !Object.hasOwn(answers, key))
    if (task.status !== 'input_required' || left.length === asked.length) return undefined
    // Not by assignment: a handler may call its question __proto__.
    const given = Object.fromEntries(
      asked.filter(([key]) => Object.hasOwn(answers, key)).map(([key, question]) => [question.key, answers[key]!]),
    )
    return stepped(task, {
      status: left.length === 0 ? 'working' : 'input_required',
      questions: Object.fromEntries(left),
      answers: { ...task.answers, ...given },
      size: task.size + sizeOf(given),
    })
  }

/** @param statusMessage why, where the result says that it failed */
export const complete =
  (outcome: TaskOutcome, statusMessage?: string): TaskStep =>
  task =>
    hasEnded(task) ? undefined : ended(task, 'completed', outcome, statusMessage)

/** The call ended with an error of the protocol. */
export const fail =
  (outcome: TaskOutcome, statusMessage: string): TaskStep =>
  task =>
    hasEnded(task) ? undefined : ended(task, 'failed', outcome, statusMessage)

/** How long a task is kept that was cancelled: nobody waits for its end, ms. */
const KEPT_CANCELLED_MS = 60_000

/** @param outcome what the call would have ended with */
export const cancel =
  (outcome: TaskOutcome, statusMessage: string): TaskStep =>
  task => {
    if (hasEnded(task)) return undefined
    const cancelled = ended(task, 'cancelled', outcome, statusMessage)
    const ageMs = cancelled.updatedAtMs - task.createdAtMs
    return { ...cancelled, ttlMs: Math.max(1, Math.min(task.ttlMs, ageMs + KEPT_CANCELLED_MS)) }
  }
