// A conversation: JSON-RPC of every revision over one channel of messages, such as stdin and stdout
// or a websocket.
// `initialize` opens its one session; a request with its own metadata needs none.
// Spec 2026-07-28: basic/transports/stdio, basic/versioning; 2025-11-25: basic/transports, "stdio".

import type { RequestId } from 'toolrack'
import { type Answer, McpError } from 'toolrack/door'
import {
  answerInSession,
  type ConnectionInfo,
  type ConversationParts,
  type Converse,
  connect,
  EXPIRY_GRACE_MS,
  emitRefused,
  handleClientMessage,
  isHandshake,
  MAX_STREAMS_PER_SUBJECT,
  openModern,
  openSession,
  openStateless,
  type RequestMessage,
  readBatch,
  serveEntries,
  serveMessage,
  toBatchAnswer,
} from 'toolrack/messages'
import {
  type Cancellation,
  claimsModern,
  createErrorAnswer,
  findReadableId,
  isObject,
  isRequestId,
  type JsonRpcResponse,
  type MaybePromise,
  type Message,
  negotiate,
  parseJson,
  readMessage,
  readModernRevision,
  run,
  type Steps,
  type Unsent,
  wait,
} from 'toolrack/protocol'
import { toErrorEnding } from 'toolrack/records'
import type { Session } from 'toolrack/stores'
import { toLogged } from 'toolrack/text'
import { ReplyWriter } from './reply-writer.ts'

/** Concurrent requests of one conversation, without open subscriptions. */
export const MAX_RUNNING = 1024

export const converse: Converse = parts => new Conversation(parts)

/** MCP over one channel of messages. */
export class Conversation {
  readonly #parts: ConversationParts
  readonly #owner: string | undefined
  /** Running requests with their own metadata. */
  readonly #running = new Map<RequestId, Cancellation>()
  readonly #subscriptions = new Set<RequestId>()
  #underWay = 0
  /** Resolves once the earlier messages have begun, so that no message overtakes another. */
  #beginning: Promise<void> | undefined
  #session: Session | undefined
  #stopNotifications = () => {}
  readonly #lagging = new Set<() => void>()
  #unsent: Unsent | undefined
  #hasInputEnded = false
  #isClosed = false

  constructor(parts: ConversationParts) {
    this.#parts = parts
    this.#owner = parts.runtime.owners.find(parts.caller)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  receive(message: Buffer | string): MaybePromise<void> {
    const bytes = typeof message === 'string' ? Buffer.from(message) : message
    const begin = () => (this.#isClosed ? undefined : run(this.#begin(bytes)))
    const begun = this.#beginning === undefined ? begin() : this.#beginning.then(begin)
    if (!(begun instanceof Promise)) return
    const beginning: Promise<void> = begun.then(() => {
      if (this.#beginning === beginning) this.#beginning = undefined
    })
    this.#beginning = beginning
    return beginning
  }

  onDrain(): void {
    this.#countUnsent()
    const waiting = [...this.#lagging]
    this.#lagging.clear()
    for (const wake of waiting) wake()
  }

  async endInput(): Promise<void> {
    await this.#beginning
    this.#hasInputEnded = true
    this.#endQuestions()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#unsent?.release()
    for (const cancellation of this.#running.values()) cancellation.cancel('client-left')
    this.#running.clear()
    this.#stopNotifications()
    if (this.#session !== undefined) await this.#parts.runtime.sessions.abandon(this.#session)
  }

  /** @returns false if the reader lags */
  write(json: string, wake = () => {}): boolean {
    if (this.#isClosed || this.#endIfExpired()) return false
    const isRead = this.#send(json)
    if (!isRead) this.#lagging.add(wake)
    this.#countUnsent()
    // It may be a question. All questions of its round are known after this turn.
    if (this.#hasInputEnded) queueMicrotask(() => this.#endQuestions())
    return isRead
  }

  #send(json: string): boolean {
    try {
      return this.#parts.send(json)
    } catch (error) {
      const { door, runtime } = this.#parts
      runtime.log.error({ door, err: toLogged(error) }, 'a door could not send')
      void this.close()
      return false
    }
  }

  // As with HTTP: its streams end with the caller's token, and each of its requests is checked.
  #endIfExpired(): boolean {
    const { caller, runtime } = this.#parts
    if (caller === undefined) return false
    const { expiresAtMs = Number.POSITIVE_INFINITY } = caller
    if (Date.now() < expiresAtMs + EXPIRY_GRACE_MS && !runtime.hasEnded(caller)) return false
    this.#cut()
    return true
  }

  #cut(): void {
    void this.close()
    this.#parts.disconnect?.()
  }

  /** Answers the questions for a client that cannot answer any more. */
  #endQuestions(): void {
    const { pendingQuestions } = (this.#session && this.#parts.runtime.sessions.get(this.#session)) ?? {}
    for (const [id, answered] of pendingQuestions ?? []) answered(createNoAnswer(id))
  }

  *#begin(bytes: Buffer): Steps<void> {
    let body: unknown
    try {
      const refusal = yield* wait(this.#parts.count())
      if (this.#isClosed || this.#endIfExpired()) return
      const { maxBodyBytes } = this.#parts.runtime.settings
      if (bytes.length > maxBodyBytes) throw new McpError('BODY_TOO_LARGE', `at most ${maxBodyBytes} bytes a message`)
      body = parseJson(bytes)
      if (refusal !== undefined) throw refusal
      if (Array.isArray(body)) this.#serveBatch(body)
      else yield* this.#take(readMessage(body), bytes.length)
    } catch (error) {
      const answer = this.#refuse(body, bytes.length, error)
      if (!isWithoutAnswer(body)) this.write(answer.json)
    }
  }

  *#take(message: Message, bytes: number): Steps<void> {
    if (message.kind !== 'request') return this.#heed(message)
    if (this.#underWay >= MAX_RUNNING) throw new McpError('BUSY', `${MAX_RUNNING} requests are under way`)
    if (!claimsModern(message) && isHandshake(message)) return yield* this.#shakeHands(message, bytes)
    this.#finish(run(this.#answer(message, bytes)), message, bytes)
  }

  /** Handles a message that gets no answer. */
  #heed(message: Exclude<Message, RequestMessage>): void {
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
      const { requestId } = message.params
      const running = isRequestId(requestId) ? this.#running.get(requestId) : undefined
      running?.cancel('cancelled')
    }
    if (this.#session !== undefined) handleClientMessage(this.#parts.runtime.sessions, this.#session, message)
  }

  *#shakeHands(message: RequestMessage, bytes: number): Steps<void> {
    if (this.#session !== undefined) throw new McpError('INVALID_REQUEST', 'this session has begun already')
    const { runtime, caller } = this.#parts
    const { sessions, inflight } = runtime
    inflight.assertOpen()
    const session = yield* wait(openSession(sessions, message.params, { owner: this.#owner }))
    this.#session = session
    // The client may have left before the session was stored.
    if (this.#isClosed) return void sessions.abandon(session)
    const answer = yield* this.#answerInSession(session, message, bytes)
    if (answer !== undefined) this.write(answer.json)
    const stream = new ReplyWriter(this, { caller })
    const stop = sessions.addStream(session, stream)
    this.#stopNotifications = () => {
      stream.end()
      stop()
    }
  }

  *#answer(message: RequestMessage, bytes: number): Steps<Answer | undefined> {
    if (claimsModern(message)) return yield* this.#answerModern(message, bytes)
    if (this.#session !== undefined) return yield* this.#answerInSession(this.#session, message, bytes)
    // Spec 2025-11-25: basic/lifecycle, "Initialization": a client may ping before.
    const revision = message.method === 'ping' ? negotiate('') : readModernRevision(message)
    const exchange = openStateless(revision, message, this.#connect(bytes, undefined))
    return yield* wait(serveMessage(exchange, this.#parts.runtime))
  }

  *#answerModern(message: RequestMessage, bytes: number): Steps<Answer | undefined> {
    const { runtime } = this.#parts
    const { id } = message
    const revision = readModernRevision(message)
    runtime.inflight.assertOpen()
    if (this.#running.has(id)) throw new McpError('INVALID_REQUEST', 'a request with this id is under way')
    const end = () => {
      sink.end()
      cancellation.offCancel(end)
      this.#subscriptions.delete(id)
      if (this.#running.get(id) === cancellation) this.#running.delete(id)
    }
    const onFinish = () => {
      // Spec 2026-07-28: basic/patterns/cancellation. The response before it says that the end is graceful.
      sink.send(toCancelled(id))
      end()
    }
    const sink = new ReplyWriter(this, { onDetach: () => this.#addSubscription(id), onFinish })
    const connection = this.#connect(bytes, sink)
    const { cancellation } = connection
    const exchange = openModern(revision, message, connection)
    this.#running.set(id, cancellation)
    cancellation.onCancel(end)
    const answer = yield* wait(serveMessage(exchange, runtime))
    // Without an answer the method continues, because it has detached its stream.
    if (answer !== undefined) end()
    return cancellation.reason === 'cancelled' ? undefined : answer
  }

  #addSubscription(id: RequestId): void {
    if (this.#subscriptions.size >= MAX_STREAMS_PER_SUBJECT)
      throw new McpError('RATE_LIMITED', `at most ${MAX_STREAMS_PER_SUBJECT} subscriptions at once; end one`)
    this.#subscriptions.add(id)
  }

  *#answerInSession(session: Session, message: RequestMessage, bytes: number): Steps<Answer | undefined> {
    const sink = new ReplyWriter(this)
    const connection = this.#connect(bytes, sink)
    const answer = yield* wait(answerInSession(this.#parts.runtime, session, message, connection))
    sink.end()
    return answer
  }

  #connect(requestBytes: number, sink: ReplyWriter | undefined): ConnectionInfo {
    const { runtime, caller, clientKey, headers, door } = this.#parts
    return connect({ caller, clientKey, headers, door, sink, requestBytes }, runtime)
  }

  #finish(answering: MaybePromise<Answer | undefined>, message: unknown, bytes: number): void {
    if (!(answering instanceof Promise)) {
      if (answering !== undefined) this.write(answering.json)
      return
    }
    this.#underWay++
    answering
      .catch(error => this.#refuse(message, bytes, error))
      .then(answer => {
        this.#underWay--
        if (answer !== undefined) this.write(answer.json)
      })
  }

  #serveBatch(values: readonly unknown[]): void {
    const { runtime, count, clientKey } = this.#parts
    const session = this.#session
    if (session === undefined) throw new McpError('INVALID_REQUEST', 'one message at a time, not a batch')
    const batch = {
      entries: readBatch(values, session.revision),
      values: runtime.audit.isOn ? values : [],
      count,
      answer: (message: RequestMessage, bytes: number) => this.#answerEntry(session, message, bytes),
      take: (message: Exclude<Message, RequestMessage>) => this.#heed(message),
      refuse: (entry: unknown, bytes: number, error: unknown) => this.#refuse(entry, bytes, error),
    }
    const built = runtime.unsent.createUnsent(this.#owner ?? clientKey)
    const toAnswer = (answers: readonly Answer[]) => (answers.length === 0 ? undefined : toBatchAnswer(answers))
    this.#finish(serveEntries(batch, built).then(toAnswer), undefined, 0)
  }

  #answerEntry(session: Session, message: RequestMessage, bytes: number): MaybePromise<Answer | undefined> {
    try {
      return run(this.#answerInSession(session, message, bytes))
    } catch (error) {
      return this.#refuse(message, bytes, error)
    }
  }

  /** Records a message that no method has served. @param body unvalidated */
  #refuse(body: unknown, requestBytes: number, error: unknown): Answer {
    const { runtime, caller, clientKey, headers = {}, door } = this.#parts
    const { log, events, createRequestId } = runtime
    const requestId = createRequestId()
    if (!(error instanceof McpError)) log.error({ err: toLogged(error), requestId }, 'internal error')
    const revision = this.#session?.revision
    const id = findReadableId(body) ?? (revision?.hasNullIds ? null : undefined)
    const answer = createErrorAnswer(error, id, revision)
    const connection = { requestId, caller, clientKey: this.#owner ?? clientKey, headers, door, log }
    const { status, json: responseJson } = answer
    const ended = { ending: toErrorEnding(error), error, status, responseJson }
    emitRefused(events, connection, { message: body, requestBytes, ...ended })
    return answer
  }

  #countUnsent(): void {
    const { runtime, clientKey, countUnsentBytes, disconnect } = this.#parts
    const bytes = this.#isClosed ? 0 : countUnsentBytes()
    if (this.#unsent === undefined || this.#unsent.isReleased) {
      if (bytes === 0) return
      const connection = disconnect && { destroy: () => this.#cut() }
      this.#unsent = runtime.unsent.createUnsent(this.#owner ?? clientKey, connection)
    }
    this.#unsent.add(bytes - this.#unsent.bytes)
  }
}

/** Two peers that answered each other's refusals would never end. */
const isWithoutAnswer = (body: unknown): boolean =>
  isObject(body) && ('result' in body || 'error' in body || ('method' in body && !('id' in body)))

const createNoAnswer = (id: RequestId): JsonRpcResponse => ({
  jsonrpc: '2.0',
  id,
  error: { code: 0, message: 'it sends no more' },
})

const toCancelled = (requestId: RequestId): string =>
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
