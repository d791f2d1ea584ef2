// The record of a task: a call that may run for longer than its request. It is plain JSON, so
// that any store can keep it.
// Spec 2025-11-25: basic/utilities/tasks.
// Extension io.modelcontextprotocol/tasks: tasks, "Task Status".
import type { ErrorName } from '../protocol/errors.ts'
import type { JsonObject, RequestId } from '../protocol/messages.ts'
import type { ClientRequest } from '../protocol/revisions/index.ts'
import type { ClientCapabilities, LogLevel, RequestMeta } from '../protocol/schemas/common.ts'
import type { Caller } from '../request/exchange.ts'
import type { OutcomeKind } from '../request/outcome.ts'

/** The state of a task. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** Everything a replica needs to run the call. It has no headers, and so no token. */
export interface Job {
  readonly arguments: JsonObject
  readonly meta: RequestMeta
  /** The protocol revision of the call. */
  readonly version: string
  readonly capabilities: ClientCapabilities
  /** The lowest level that the client wants. */
  readonly logLevel?: LogLevel | undefined
  readonly caller: Caller | undefined
  /** JSON-RPC id of the call. */
  readonly id: RequestId
  readonly requestId: string
  /** The door of the call; undefined: `/mcp`. */
  readonly door?: string | undefined
  /** W3C Trace Context of the call, if it belonged to a trace. */
  readonly traceparent?: string | undefined
}

/** A question of the tool that the client has not answered yet. */
export interface TaskQuestion {
  /** The handler's key for the question. */
  readonly key: string
  readonly request: ClientRequest
}

/** The client's answer, or the reason why it refused. */
export type TaskAnswer = { readonly answer: unknown } | { readonly refused: string }

/** The outcome of the call, as it would be without a task. */
export type TaskOutcome =
  | { readonly kind: OutcomeKind; readonly result: JsonObject }
  | { readonly error: { readonly reason: ErrorName; readonly message: string; readonly data?: unknown } }

/** The progress that a tool reports. */
export interface TaskProgress {
  readonly progress: number
  readonly total: number | undefined
  readonly message: string | undefined
}

/** The log of a task for its client. */
export interface TaskLog {
  /** The newest entries, in the form of `notifications/message`. */
  readonly entries: readonly JsonObject[]
  /** The number of entries before them. */
  readonly before: number
}

/** The stream on which a client is asked: its session's own, or that of a `tasks/result`. */
export type AskedOver = 'stream' | 'result'

/** A client is being asked the open questions. */
export interface TaskAsked {
  readonly over: AskedOver
  /** The one who asks. */
  readonly by: string
  /** Unix time, ms; renewed while the question waits. */
  readonly untilMs: number
}

/** The facts that `visible` rules need once the tool of a task is not served. */
export interface AbsentTool {
  /** The tool as the rules of all tools see it; undefined if there was none, or it is too large. */
  readonly info: unknown
  /** Whether the tool had its own rule, which is gone with the tool. */
  readonly hasOwnRule: boolean
}

/** A call that continues after its request is answered. */
export interface Task {
  /** At least 128 random bits. */
  readonly id: string
  /** The only caller who may see it; undefined: any caller who knows its id. */
  readonly owner: string | undefined
  /** The client whose bounds the task counts against. */
  readonly clientKey: string
  /** The session that receives its notifications. */
  readonly session: string | undefined
  readonly tool: string
  /** A caller needs all of them to see the task. */
  readonly scopes: readonly string[]
  /** Undefined if there was no `visible` rule. */
  readonly absent?: AbsentTool | undefined
  readonly status: TaskStatus
  readonly statusMessage: string | undefined
  /** The furthest progress, and the task's version that has it. */
  readonly progress: (TaskProgress & { readonly version: number }) | undefined
  /** Undefined if the client wants no log, or the log is empty. */
  readonly log?: TaskLog | undefined
  /** Unix time, ms. */
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly ttlMs: number
  /** True once the client knows of the task; until then it ends like a plain call. */
  readonly isHandedOut: boolean
  /** Undefined once the task has ended. */
  readonly job: Job | undefined
  /** How often the tool has asked a question. */
  readonly rounds: number
  /** Counts the runs of its handler; reports of an earlier run are ignored. */
  readonly run: number
  /** The queue entry that started the latest run; during that run, other entries do nothing. */
  readonly turn: number
  /** True while a run is in progress. It stays true if the process of the run dies. */
  readonly isRunning: boolean
  /** True once the handler has had its first turn; only before may it ask without a task. */
  readonly hasBegun: boolean
  /** Open questions. A key is never used twice. */
  readonly questions: Readonly<Record<string, TaskQuestion>>
  /** By session; undefined if no client is asked. */
  readonly asked?: Readonly<Record<string, TaskAsked>> | undefined
  /** Every answer so far, by the handler's key. */
  readonly answers: Readonly<Record<string, TaskAnswer>>
  /** Every key used so far. */
  readonly issued: readonly string[]
  readonly outcome: TaskOutcome | undefined
  /** Counts the steps of the task. */
  readonly version: number
  /** Bytes of client and tool data that the task holds. */
  readonly size: number
}

/** The owner of a session's own objects if its caller is not verified. */
export const getSessionOwner = (session: string): string => `session ${session}`

/**
 * Computes the next state of a task.
 *
 * @returns undefined if the step is not allowed, or changes nothing
 */
export type TaskStep = (task: Task) => Task | undefined

/** Whether a task has ended. */
export const hasEnded = ({ status }: Task): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** Whether clients of the task see a step: those that watch it, or wait for it. */
export const isVisibleChange = (before: Task, after: Task): boolean =>
  after.updatedAtMs !== before.updatedAtMs ||
  after.status !== before.status ||
  after.statusMessage !== before.statusMessage ||
  after.questions !== before.questions ||
  after.isHandedOut !== before.isHandedOut ||
  after.hasBegun !== before.hasBegun
