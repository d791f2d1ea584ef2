// What crosses between the server and a worker. Plain data only: all of it is copied.
import type { MessagePort } from 'node:worker_threads'
import type { Caller } from '../exchange.ts'
import type { FaultSource } from '../execution/late-faults.ts'
import type { JsonValue } from '../protocol/messages.ts'
import type { LogLevel } from '../protocol/schemas/common.ts'
import type { ToolContext } from '../registry/context.ts'
import type { ToolModule } from '../registry/module-hook.ts'

/** One run of a handler, as it goes to a worker. */
export interface Task {
  readonly tool: string
  readonly module: ToolModule
  readonly args: unknown
  /** What a context has that does not change. */
  readonly about: Pick<ToolContext, 'capabilities' | 'requestId' | 'revision' | 'meta'> & {
    readonly caller: Caller | undefined
  }
  /** Whether progress reaches anybody. */
  readonly hasListener: boolean
  readonly maxBytes: number
  /** Of this run alone. */
  readonly port: MessagePort
}

export type Question = 'elicit' | 'sample' | 'listRoots'

export type ToServer =
  /** The first, from the thread that took the task. */
  | { readonly kind: 'started'; readonly threadId: number }
  /** The file of the tool is loaded, and its handler begins. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: number; readonly total?: number; readonly message?: string }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly entry: JsonValue }
  | {
      readonly kind: 'ask'
      readonly id: number
      readonly question: Question
      readonly key: string
      readonly params: JsonValue
    }
  | { readonly kind: 'closeStream' }

export type ToWorker =
  /** The thread holds much: garbage should go. */
  | { readonly kind: 'collect' }
  | { readonly kind: 'abort'; readonly error: PlainError }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'refusal'; readonly id: number; readonly error: PlainError }

/** How a run ended. */
export type End =
  | { readonly kind: 'returned'; readonly value: JsonValue | undefined }
  /** What was returned is not JSON, or too large. */
  | { readonly kind: 'unfit'; readonly reason: string | undefined }
  | { readonly kind: 'threw'; readonly error: PlainError }

/** What a handler, or the top level of its file, left behind in its worker. */
export interface LateFault {
  readonly source: FaultSource
  readonly error: PlainError
}

/** An error as it crosses. */
export interface PlainError {
  readonly name: string
  readonly message: string
  /** For the log. */
  readonly stack: string
  readonly isToolError: boolean
  /** What had caused it, the nearest first; three at most. */
  readonly causes: readonly Omit<PlainError, 'causes'>[]
}
