// A protocol revision: facts as data, and conversions from and to the newest revision.
// Spec: basic/versioning.
import type { ErrorName } from '../errors.ts'
import type { JsonObject } from '../messages.ts'

export type Era = 'modern' | 'legacy'

/** Capabilities of a client that the server may use, as the newest revision names them. */
export type ClientFeature =
  | 'roots'
  | 'sampling'
  | 'sampling.tools'
  | 'sampling.context'
  | 'elicitation.form'
  | 'elicitation.url'

/** How an error in this revision differs from the catalogue. */
export interface ErrorChange {
  readonly code?: number
  readonly status?: number
  /** Only newer revisions define `data` for this error. */
  readonly dropsData?: boolean
}

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

export interface TaskFacts {
  /** The client requests a task per call; else it declares support and the server decides. */
  readonly onRequest: boolean
}

export interface Revision {
  readonly version: string
  readonly era: Era
  readonly methods: ReadonlySet<string>
  /** Headers mirror the target (`Mcp-Name`) and the arguments that `x-mcp-header` marks. */
  readonly mirrorsParams: boolean
  /** The `_meta` of every result names the server. */
  readonly includesServerInfo: boolean
  /** Invalid tool arguments are a protocol error, not a result with `isError`. */
  readonly refusesInvalidArguments: boolean
  /** A missing client capability is a protocol error, not a result with `isError`. */
  readonly refusesMissingCapabilities: boolean
  readonly takesBatches: boolean
  /**
   * An error on a stream has the id null if the request has no readable id, as in JSON-RPC; else no
   * id.
   */
  readonly hasNullIds: boolean
  /** The structures that its results can carry; other structures become text. */
  readonly structures: 'any' | 'objects' | 'none'
  /** Requests that need no session may come without one. */
  readonly isSessionOptional: boolean
  /** A stream opens with an empty event; the client can resume from its id. */
  readonly primesStreams: boolean
  readonly tasks: TaskFacts | undefined
  readonly hasProgressMessages: boolean
  readonly clientFeatures: ReadonlySet<ClientFeature>
  /** The server sends `notifications/cancelled` if it needs no response any more. */
  readonly cancelsQuestions: boolean
  readonly errors: Readonly<Partial<Record<ErrorName, ErrorChange>>>
  /** Converts a result of the newest revision to this one. */
  shapeResult(method: string, result: JsonObject): JsonObject
  shapeError(error: ErrorBody): ErrorBody
  /** The same for a request to the client. @param id of that request */
  shapeQuestion(question: ClientRequest, id: string): ClientRequest
  /** Converts a response to the newest revision. @param question in the newest */
  readAnswer(question: ClientRequest, answer: unknown): unknown
}
