// Asks a session's client over the stream of the request; answers arrive as POSTs of the session.
// Spec 2025-11-25: client/elicitation, client/sampling, client/roots, and basic/transports.
import { randomUUID } from 'node:crypto'
import { ToolFailure } from '../execution/tool-failure.ts'
import { Refused } from '../input/questions.ts'
import { STATE_TTL_MS } from '../input/request-state.ts'
import { McpError } from '../protocol/errors.ts'
import { isObject, type JsonObject, type JsonRpcResponse } from '../protocol/messages.ts'
import type { ClientRequest } from '../protocol/revisions/index.ts'
import type { Cancellation } from '../request/cancellation.ts'
import type { Ask, NotificationSink } from '../request/exchange.ts'
import type { Session } from '../state/sessions.ts'
import type { ActiveSession } from './active-session.ts'
import type { SessionRegistry } from './session-registry.ts'

/** How long an answer may take, ms: as long as in the revisions that repeat the request. */
export const ANSWER_MS = STATE_TTL_MS
/** Unanswered questions per session. */
export const MAX_PENDING_QUESTIONS = 100

const MAX_REASON = 500

export const createLateFailure = () =>
  new ToolFailure('timed_out', `The client did not answer within ${ANSWER_MS / 1000} s`)

export const createCancelledFailure = () =>
  new ToolFailure('cancelled', 'The call was cancelled while its client was asked')

export interface QuestionParts {
  readonly sessions: SessionRegistry
  readonly session: Session
  /** Undefined if the client accepts no stream, and so cannot be asked. */
  readonly sink: Pick<NotificationSink, 'send'> | undefined
  readonly cancellation: Cancellation
}

export function createAsk({ sessions, session, sink, cancellation }: QuestionParts): Ask {
  const ask: Ask = (questions, signal) => {
    if (sink === undefined)
      throw new McpError('NOT_ACCEPTABLE', 'this tool asks the client a question; send Accept: text/event-stream')
    const active = sessions.getOrCreate(session)
    if (active.pendingQuestions.size + Object.keys(questions).length > MAX_PENDING_QUESTIONS) {
      throw new McpError('BUSY', `${active.pendingQuestions.size} questions wait for this client's answers`, {
        retryAfterS: 5,
      })
    }
    const round = new QuestionRound(active, sink, cancellation)
    const askedMs = performance.now()
    return round.ask(questions, signal).finally(() => {
      ask.waitedMs = (ask.waitedMs ?? 0) + performance.now() - askedMs
      round.close()
      sessions.releaseIfIdle(session)
    })
  }
  return ask
}

/** Questions that are sent together; the round resolves when all are answered. */
class QuestionRound {
  readonly #active: ActiveSession
  readonly #sink: Pick<NotificationSink, 'send'>
  readonly #cancellation: Cancellation
  /** The unanswered questions, by id. */
  readonly #open = new Map<string, ClientRequest>()
  #timer: NodeJS.Timeout | undefined
  #onCancel = () => {}

  constructor(active: ActiveSession, sink: Pick<NotificationSink, 'send'>, cancellation: Cancellation) {
    this.#active = active
    this.#sink = sink
    this.#cancellation = cancellation
  }

  ask(questions: Readonly<Record<string, ClientRequest>>, signal: AbortSignal | undefined): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const answers: JsonObject = Object.create(null)
      for (const [key, question] of Object.entries(questions)) {
        this.#send(question, answer => {
          answers[key] = answer
          if (this.#open.size === 0) resolve(answers)
        })
      }
      const giveUp = (failure: ToolFailure) => {
        for (const [id, question] of this.#open) this.#withdraw(id, question, failure.message)
        reject(failure)
      }
      this.#timer = setTimeout(() => giveUp(createLateFailure()), ANSWER_MS)
      const withdraw = () => giveUp(new ToolFailure('cancelled', 'The question needs no answer any more'))
      if (signal?.aborted) withdraw()
      else signal?.addEventListener('abort', withdraw, { once: true })
      this.#onCancel = () => giveUp(createCancelledFailure())
      this.#cancellation.onCancel(this.#onCancel)
    })
  }

  close(): void {
    this.#cancellation.offCancel(this.#onCancel)
    clearTimeout(this.#timer)
    for (const id of this.#open.keys()) this.#active.pendingQuestions.delete(id)
  }

  #send(question: ClientRequest, answered: (answer: unknown) => void): void {
    const id = randomUUID()
    const { revision } = this.#active.session
    this.#open.set(id, question)
    this.#active.pendingQuestions.set(id, response => {
      this.#open.delete(id)
      this.#active.pendingQuestions.delete(id)
      answered(readClientAnswer(response, answer => revision.readAnswer(question, answer)))
    })
    this.#sink.send(JSON.stringify({ jsonrpc: '2.0', id, ...revision.shapeQuestion(question, id) }))
  }

  #withdraw(requestId: string, { params }: ClientRequest, reason: string): void {
    if (!this.#active.session.revision.cancelsQuestions) return
    // A task's question carries its related-task `_meta`.
    const cancelled = { requestId, reason, _meta: params?.['_meta'] }
    this.#sink.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: cancelled }))
  }
}

function readClientAnswer({ result, error }: JsonRpcResponse, read: (answer: unknown) => unknown): unknown {
  if (!isObject(error)) return read(result)
  const reason = typeof error['message'] === 'string' ? error['message'].slice(0, MAX_REASON) : 'without a reason'
  return new Refused(`The client refused: ${reason}`)
}
