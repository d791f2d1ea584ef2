// What one revision of the protocol is: facts as data, and how a result of the newest revision looks in it.
// Spec: basic/versioning.
import type { ErrorName } from '../errors.ts'
import type { JsonObject } from '../messages.ts'

export type Era = 'modern' | 'legacy'

/** What a client may declare that it can be asked, in the words of the newest revision. */
export type ClientFeature =
  | 'roots'
  | 'sampling'
  | 'sampling.tools'
  | 'sampling.context'
  | 'elicitation.form'
  | 'elicitation.url'

/** How an error is told in a revision, where it differs from the catalogue. */
export interface ErrorChange {
  readonly code?: number
  readonly status?: number
  /** `data` has a meaning in newer revisions only. */
  readonly dropsData?: boolean
}

/** The `error` member of a response. */
export interface ErrorBody {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** A request to the client: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
export interface ClientRequest {
  readonly method: string
  readonly params?: JsonObject
}

/** How tasks are spoken of. */
export interface TaskFacts {
  /** The client asks for a task with its call; else it says that it knows tasks, and the server decides. */
  readonly onRequest: boolean
}

export interface Revision {
  readonly version: string
  readonly era: Era
  /** The requests that a client of this revision may send. */
  readonly methods: ReadonlySet<string>
  /** Headers repeat what a request is about (`Mcp-Name`), and the arguments that a tool's `x-mcp-header` names. */
  readonly mirrorsParams: boolean
  /** Every result says in its `_meta` who the server is. */
  readonly includesServerInfo: boolean
  /** Invalid arguments of a tool are a protocol error, not a result with `isError`. */
  readonly refusesInvalidArguments: boolean
  /** A tool that has to ask a client which cannot be asked is a protocol error, not a result with `isError`. */
  readonly refusesMissingCapabilities: boolean
  /** One POST may carry several messages. */
  readonly takesBatches: boolean
  /** A stream opens with an empty event, from whose id it can be resumed. */
  readonly primesStreams: boolean
  /** How a call becomes a task; undefined where the revision knows none. */
  readonly tasks: TaskFacts | undefined
  /** `notifications/progress` may have a `message`. */
  readonly hasProgressMessages: boolean
  readonly clientFeatures: ReadonlySet<ClientFeature>
  /** `notifications/cancelled` tells the client that a question needs no answer any more. */
  readonly cancelsQuestions: boolean
  readonly errors: Readonly<Partial<Record<ErrorName, ErrorChange>>>
  /** A result of the newest revision, in this one. */
  shapeResult(method: string, result: JsonObject): JsonObject
  shapeError(error: ErrorBody): ErrorBody
  /** A question of the newest revision, in this one. @param id names the question */
  shapeQuestion(question: ClientRequest, id: string): ClientRequest
  /** What the client of this revision answered, as one of the newest would have. @param question in the newest */
  readAnswer(question: ClientRequest, answer: unknown): unknown
}
