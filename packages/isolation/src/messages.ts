// The JSON messages between the server and a child process.
import type { Caller, JsonObject, LogLevel, ToolContext } from 'toolrack'
import type { ToolModule } from 'toolrack/definitions'
import {
  type ErrorSource,
  isErrorSource,
  isObject,
  isPlainError,
  type JsonValue,
  LOG_LEVELS,
  type LogParts,
  type PlainError,
} from 'toolrack/isolation'

export interface Task {
  readonly tool: string
  readonly module: ToolModule
  readonly args: unknown
  /** The constant part of the context. */
  readonly about: Pick<ToolContext, 'capabilities' | 'requestId' | 'revision' | 'meta' | 'state'> & {
    readonly caller: Caller | undefined
  }
  /** The values that the call has kept so far. */
  readonly kept: JsonObject | undefined
  /** Whether the client listens to progress. */
  readonly hasListener: boolean
  /** Largest result, bytes of UTF-8 JSON. */
  readonly maxBytes: number
}

/**
 * Things that a handler waits for: the client's answers, a token for another service, a value being
 * kept.
 */
const QUESTIONS = ['elicit', 'confirm', 'sample', 'listRoots', 'tokenFor', 'keep'] as const
export type Question = (typeof QUESTIONS)[number]

/** Ordered: messages before a `run` belong to an earlier one. */
export type ToChild =
  | { readonly kind: 'run'; readonly task: Task }
  | { readonly kind: 'abort'; readonly error: PlainError }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'refusal'; readonly id: number; readonly error: PlainError }

/** Messages during a run. */
export type Said =
  | { readonly kind: 'progress'; readonly progress: number; readonly total?: number; readonly message?: string }
  | ({ readonly kind: 'log'; readonly level: LogLevel } & LogParts)
  | {
      readonly kind: 'ask'
      readonly id: number
      readonly question: Question
      readonly key: string
      readonly params: JsonValue
    }
  | { readonly kind: 'closeStream' }

/** Messages of a run to the server. */
export type FromRun =
  /** First message: the tool's file is loaded, its arguments are parsed, and its handler starts. */
  | { readonly kind: 'ready' }
  | Said
  /** Last message. */
  | { readonly kind: 'end'; readonly end: End }

/** An unhandled error of a handler or of a file's top level; it may come at any time. */
export interface Fault {
  readonly kind: 'fault'
  readonly source: ErrorSource
  readonly error: PlainError
}

export type FromChild = FromRun | Fault

export type End =
  /** No value if the handler returned undefined. */
  | { readonly kind: 'returned'; readonly value?: JsonValue }
  /** The result is not JSON, for this reason; without a reason it is too large. */
  | { readonly kind: 'unfit'; readonly reason?: string; readonly detail?: string }
  | { readonly kind: 'threw'; readonly error: PlainError }

/** Largest parameters of a question. */
export const MAX_QUESTION_BYTES = 4 * 1024 * 1024
/** Characters per byte that JsonCopier counts: it counts 2 for `-1.7976931348623157e+308,`. */
const MAX_CHARACTERS = 13
/** Room for errors, and for the rest of the message around a result or a question. */
const MAX_OTHERS = 1024 * 1024

/** Longest message of a child, characters. */
export const maxMessageLength = (maxResultBytes: number): number =>
  MAX_CHARACTERS * Math.max(maxResultBytes, MAX_QUESTION_BYTES) + MAX_OTHERS

/** Validates a message: a tool can write to the channel too. */
export function isFromChild(message: unknown): message is FromChild {
  if (!isObject(message)) return false
  const { kind, level, question, end, source, error } = message
  if (kind === 'ready' || kind === 'progress' || kind === 'closeStream') return true
  if (kind === 'log') return LOG_LEVELS.some(each => each === level)
  if (kind === 'ask') return QUESTIONS.some(each => each === question)
  if (kind === 'fault') return isErrorSource(source) && isPlainError(error)
  return kind === 'end' && isEnd(end)
}

function isEnd(end: unknown): boolean {
  if (!isObject(end)) return false
  const { kind, error } = end
  return kind === 'returned' || kind === 'unfit' || (kind === 'threw' && isPlainError(error))
}
