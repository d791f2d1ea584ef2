// What one revision of the protocol is: facts as data, and the steps that lead from the server's own language to it.
// Within, the server speaks the newest revision; an older one is the next newer one with what has changed since.
// Spec: basic/versioning.
import type { ErrorName } from '../errors.ts'
import type { JsonObject } from '../messages.ts'

export type Era = 'modern' | 'legacy'

/** What a client may declare that it can be asked, in the words of the newest revision. */
export type Askable =
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
  /** Which member of `params` the `Mcp-Name` header mirrors, by method. */
  readonly names: ReadonlyMap<string, string>
  /** A client repeats in headers the arguments that a tool's `x-mcp-header` names. */
  readonly mirrorsParams: boolean
  /** Every result says in its `_meta` who the server is. */
  readonly namesServer: boolean
  /** Invalid arguments of a tool are a protocol error, not a result with `isError`. */
  readonly refusesInvalidArguments: boolean
  /** A tool that has to ask a client which cannot be asked is a protocol error, not a result with `isError`. */
  readonly refusesUnaskable: boolean
  /** One POST may carry several messages. */
  readonly takesBatches: boolean
  /** A stream opens with an empty event, from whose id it can be resumed. */
  readonly primesStreams: boolean
  /** How a call becomes a task; undefined where the revision knows none. */
  readonly tasks: TaskFacts | undefined
  /** `notifications/progress` may have a `message`. */
  readonly hasProgressMessages: boolean
  readonly askable: ReadonlySet<Askable>
  /** `notifications/cancelled` tells the client that a question needs no answer any more. */
  readonly withdrawsQuestions: boolean
  readonly errors: Readonly<Partial<Record<ErrorName, ErrorChange>>>
  /** A result of the newest revision, in this one. */
  shape(method: string, result: JsonObject): JsonObject
  shapeError(error: ErrorBody): ErrorBody
  /** A question of the newest revision, in this one. @param id names the question */
  shapeQuestion(question: ClientRequest, id: string): ClientRequest
  /** What the client of this revision answered, as one of the newest would have. @param question in the newest */
  readAnswer(question: ClientRequest, answer: unknown): unknown
}

/** What a revision lacks that the next newer one has. */
export interface Differences extends Partial<Omit<Revision, 'shape' | 'shapeError' | 'shapeQuestion' | 'readAnswer'>> {
  readonly version: string
  /** One step down, from the next newer revision. */
  downgrade(method: string, result: JsonObject): JsonObject
  downgradeQuestion?(question: ClientRequest, id: string): ClientRequest
  /** One step up, for what the step down made of a question. */
  upgradeAnswer?(question: ClientRequest, answer: unknown): unknown
}

export function before(
  newer: Revision,
  { downgrade, downgradeQuestion, upgradeAnswer, ...facts }: Differences,
): Revision {
  return Object.freeze({
    ...newer,
    ...facts,
    shape: (method: string, result: JsonObject) => downgrade(method, newer.shape(method, result)),
    ...(downgradeQuestion && {
      shapeQuestion: (question: ClientRequest, id: string) => downgradeQuestion(newer.shapeQuestion(question, id), id),
    }),
    ...(upgradeAnswer && {
      readAnswer: (question: ClientRequest, answer: unknown) =>
        newer.readAnswer(question, upgradeAnswer(question, answer)),
    }),
  })
}
