// A task: a call that may run for longer than its request. Plain JSON, so that it can be kept anywhere.
// Spec 2025-11-25: basic/utilities/tasks. Extension io.modelcontextprotocol/tasks: tasks, "Task Status".
import type { Caller } from './exchange.ts'
import type { OutcomeKind } from './outcome-kind.ts'
import type { ErrorName } from './protocol/errors.ts'
import type { JsonObject, RequestId } from './protocol/messages.ts'
import type { ClientRequest } from './protocol/revisions/index.ts'
import type { ClientCapabilities, RequestMeta } from './protocol/schemas/common.ts'

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** What is needed to run the call, wherever that is: no headers, and so no token. */
export interface Job {
  readonly arguments: JsonObject
  readonly meta: RequestMeta
  /** Of the revision. */
  readonly version: string
  readonly capabilities: ClientCapabilities
  readonly caller: Caller | undefined
  /** Of the call. */
  readonly id: RequestId
  readonly requestId: string
  /** What its call belonged to (W3C Trace Context), where it belonged to a trace. */
  readonly traceparent?: string | undefined
}

/** A question of the tool that the client has not answered. */
export interface TaskQuestion {
  /** What the handler calls it. */
  readonly key: string
  readonly request: ClientRequest
}

/** What the client answered, or why it would not. */
export type TaskAnswer = { readonly answer: unknown } | { readonly refused: string }

/** How the call ended: as it would have ended without a task. */
export type TaskOutcome =
  | { readonly kind: OutcomeKind; readonly result: JsonObject }
  | { readonly error: { readonly reason: ErrorName; readonly message: string; readonly data?: unknown } }

/** How far a tool says that it is. */
export interface TaskProgress {
  readonly progress: number
  readonly total: number | undefined
  readonly message: string | undefined
}

export interface Task {
  /** At least 128 random bits. */
  readonly id: string
  /** Who alone may see it; undefined: whoever knows its id. */
  readonly owner: string | undefined
  /** Whose bounds it counts to. */
  readonly clientKey: string
  /** The session that is told of it. */
  readonly session: string | undefined
  readonly tool: string
  /** All are needed to see it. */
  readonly scopes: readonly string[]
  readonly status: TaskStatus
  readonly statusMessage: string | undefined
  /** The furthest that was said, and in which version of the task, where its session is to be told. */
  readonly progress: (TaskProgress & { readonly version: number }) | undefined
  /** Unix time, ms. */
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly ttlMs: number
  /** Whether the client knows of it; until then it ends like a plain call. */
  readonly isHandedOut: boolean
  /** Undefined once it has ended. */
  readonly job: Job | undefined
  /** How often the tool has asked. */
  readonly rounds: number
  /** Counts the runs of its handler; what an earlier run still says does not count. */
  readonly run: number
  /** Which turn of the queue has begun its latest run: while that runs, no other has anything to do. */
  readonly turn: number
  /** Whether a run has begun and not come to its end: where its process died, it never will. */
  readonly isRunning: boolean
  /** Whether the first turn of its handler is over, and with it the time to ask before there is a task. */
  readonly hasBegun: boolean
  /** Open questions, by keys that are never used again. */
  readonly questions: Readonly<Record<string, TaskQuestion>>
  /** Every answer so far, by what the handler calls it. */
  readonly answers: Readonly<Record<string, TaskAnswer>>
  /** Every key that was ever used. */
  readonly issued: readonly string[]
  readonly outcome: TaskOutcome | undefined
  /** Counts its steps. */
  readonly version: number
  /** What it holds of its client's and its tool's, in bytes. */
  readonly size: number
}

/** Who owns what is asked for in a session where nobody is verified. */
export const sessionOwner = (session: string): string => `session ${session}`

/** From one state of a task to the next. @returns undefined where it is not allowed, or changes nothing */
export type TaskStep = (task: Task) => Task | undefined

export const hasEnded = ({ status }: Task): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** Whether a step is anything to those who look at the task, or wait for it. */
export const isNews = (before: Task, after: Task): boolean =>
  after.updatedAtMs !== before.updatedAtMs ||
  after.status !== before.status ||
  after.statusMessage !== before.statusMessage ||
  after.questions !== before.questions ||
  after.isHandedOut !== before.isHandedOut ||
  after.hasBegun !== before.hasBegun
