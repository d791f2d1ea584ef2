// POST of a session: one message, or a batch in revision 2025-03-26. Answers as JSON; as SSE after
// a notification, a question or OPEN_AFTER_MS, or on request. A dropped connection cancels nothing.
// Spec 2025-11-25: basic/transports, "Sending Messages to the Server".
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findSession, openSession } from '../src/legacy/open.ts'
import { ResumableStream } from '../src/legacy/resumable-stream.ts'
import { claimsModern, type Inbound } from '../src/protocol/classify.ts'
import { McpError } from '../src/protocol/errors.ts'
import { getHeader } from '../src/protocol/headers.ts'
import { findReadableId, type Message, type RequestId, readMessage } from '../src/protocol/messages.ts'
import type { Revision } from '../src/protocol/revisions/index.ts'
import type { Answer } from '../src/request/answer.ts'
import { andThen, type MaybePromise } from '../src/request/maybe-promise.ts'
import type { Session } from '../src/state/sessions.ts'
import { type AcceptedTypes, parseAccept } from '../src/transport/accept.ts'
import { respond, respondEmpty } from '../src/transport/respond.ts'
import {
  answerRefusal,
  answerRequest,
  handleClientMessage,
  isHandshake,
  type RequestMessage,
  type SessionRuntime,
} from './session-requests.ts'

export type LegacyInbound = Extract<Inbound, { era: 'legacy' }>

/** Counts a message of a batch against the client's limits. @returns the error if it is refused */
type CountMessage = (request: FastifyRequest) => MaybePromise<McpError | undefined>

/** A call that has sent nothing by then opens its stream: resumable, and no proxy times out. */
const OPEN_AFTER_MS = 1000

interface PostContext {
  readonly session: Session
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly accepts: AcceptedTypes
  /** Undefined if the client does not accept SSE. */
  readonly sink: ResumableStream | undefined
}

export function createSessionPost(runtime: SessionRuntime, countMessage: CountMessage) {
  return (inbound: LegacyInbound, request: FastifyRequest, reply: FastifyReply): MaybePromise<void> => {
    const session = findOrOpen(runtime, inbound, { request, reply })
    return andThen(session, found => {
      const post = createPostContext(runtime, found, { inbound, request, reply })
      if ('message' in inbound) return serveOne(runtime, inbound.message, post)
      return serveBatch({ ...runtime, countMessage }, readBatch(inbound.batch, found.revision), post)
    })
  }
}

interface RequestReply {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

function findOrOpen(
  runtime: SessionRuntime,
  inbound: LegacyInbound,
  { request, reply }: RequestReply,
): MaybePromise<Session> {
  const { headers, caller } = request
  if ('message' in inbound && isHandshake(inbound.message)) return shakeHands(runtime, inbound.message, request, reply)
  return findSession(runtime.sessions, getHeader(headers, 'mcp-session-id'), caller)
}

async function shakeHands(
  { sessions, inflight }: SessionRuntime,
  { params }: RequestMessage,
  { caller }: FastifyRequest,
  reply: FastifyReply,
): Promise<Session> {
  inflight.assertOpen()
  const session = await openSession(sessions, params, { caller })
  reply.header('mcp-session-id', session.id)
  return session
}

function createPostContext(
  { sessions, streams }: SessionRuntime,
  session: Session,
  { inbound, request, reply }: RequestReply & { readonly inbound: LegacyInbound },
): PostContext {
  const accepts = parseAccept(request.headers.accept)
  if (!accepts.sse) return { session, request, reply, accepts, sink: undefined }
  const sink = new ResumableStream({
    session,
    events: sessions.events,
    isReply: true,
    requests: readRequestIds(inbound),
    open: () => (reply.sent || reply.raw.destroyed ? undefined : streams.open(reply)),
    onBegin: stream => sessions.getOrCreate(session).replyStreams.set(stream.id, stream),
  })
  return { session, request, reply, accepts, sink }
}

const readRequestIds = (inbound: LegacyInbound): RequestId[] =>
  ('message' in inbound ? [inbound.message] : inbound.batch).map(findReadableId).filter(id => id !== undefined)

function serveOne(runtime: SessionRuntime, message: Message, post: PostContext): MaybePromise<void> {
  if (message.kind !== 'request') {
    handleClientMessage(runtime.sessions, post.session, message)
    return replyAccepted(post)
  }
  const answering = answerRequest(runtime, post, message)
  const opening = answering instanceof Promise ? scheduleStream(post) : undefined
  return andThen(answering, answer => {
    clearTimeout(opening)
    finishPost(runtime, post, answer)
  })
}

const scheduleStream = ({ sink }: PostContext) => setTimeout(() => sink?.begin(), OPEN_AFTER_MS).unref()

function finishPost(
  { sessions, unsent }: SessionRuntime,
  { session, sink, reply, accepts }: PostContext,
  answer: Answer | undefined,
): void {
  // A client that prefers SSE gets a resumable stream.
  if (accepts.prefersSse && answer?.status === 200) sink?.begin()
  if (sink?.hasBegun) {
    sink.finish(answer?.json)
    sessions.get(session)?.replyStreams.delete(sink.id)
    sessions.releaseIfIdle(session)
    return
  }
  // Drops what a tool sends after its call was answered.
  sink?.end()
  if (reply.raw.destroyed) return
  if (answer === undefined) respondEmpty(reply, accepts)
  else respond(reply, answer, { accepts, sink: undefined, unsent })
}

interface BatchRuntime extends SessionRuntime {
  readonly countMessage: CountMessage
}

async function serveBatch(runtime: BatchRuntime, entries: readonly BatchEntry[], post: PostContext): Promise<void> {
  const opening = scheduleStream(post)
  const answers = await serveEntries(runtime, entries, post)
  clearTimeout(opening)
  const last = answers.pop()
  const { sink, accepts } = post
  if (last === undefined) {
    if (sink?.hasBegun) finishPost(runtime, post, undefined)
    else replyAccepted(post)
    return
  }
  if (!accepts.json) sink?.begin()
  if (sink?.hasBegun) {
    sink.sendAll(answers.map(({ json }) => json))
    finishPost(runtime, post, last)
  } else {
    finishPost(runtime, post, { status: 200, json: `[${[...answers, last].map(({ json }) => json).join(',')}]` })
  }
}

/** @returns the answers in entry order; notifications and cancelled requests have none */
async function serveEntries(
  runtime: BatchRuntime,
  entries: readonly BatchEntry[],
  post: PostContext,
): Promise<Answer[]> {
  // Each entry has an audit record with its size. A stream may release the body, so measure it now.
  const raw = runtime.audit.isOn ? (post.request.body as unknown[]) : []
  const sizes = raw.map(entry => Buffer.byteLength(JSON.stringify(entry)))
  const built = runtime.unsent.createUnsent(post.request.clientKey)
  const latest = new Map<RequestId, Promise<unknown>>()
  const serveInTurn = async (entry: BatchEntry, index: number) => {
    // A repeated id is served if the entry before it is answered in this tick, else refused.
    const before = entry.kind === 'request' ? latest.get(entry.id) : undefined
    if (before !== undefined) await Promise.race([before, nextTurn()])
    const answer = await serveEntry(runtime, entry, { index, bytes: sizes[index] ?? 0, post })
    // The text stays in memory until the other answers are there.
    built.add(answer?.json.length ?? 0)
    return answer
  }
  const serving = entries.map((entry, index) => {
    const answer = serveInTurn(entry, index)
    if (entry.kind === 'request') latest.set(entry.id, answer)
    return answer
  })
  const answers = await Promise.all(serving)
  built.release()
  return answers.filter(answer => answer !== undefined)
}

/** Each entry is limited like a request of its own; the first was counted with the POST. */
async function serveEntry(
  runtime: BatchRuntime,
  entry: BatchEntry,
  { index, bytes, post }: { index: number; bytes: number; post: PostContext },
): Promise<Answer | undefined> {
  const { session, request } = post
  const refusal = index === 0 ? undefined : await runtime.countMessage(request)
  const refused = { session, request, message: entry, bytes }
  if (entry.kind === 'notification' || entry.kind === 'response') {
    if (refusal === undefined) handleClientMessage(runtime.sessions, session, entry)
    // The client gets no answer, but the refusal is recorded.
    else answerRefusal(runtime, refused, refusal)
    return undefined
  }
  if (refusal !== undefined) return answerRefusal(runtime, refused, refusal)
  if (entry.kind === 'fault') return answerRefusal(runtime, refused, entry.error)
  return answerRequest(runtime, { ...post, bytes }, entry)
}

function replyAccepted({ reply }: PostContext): void {
  reply.code(202).send()
}

/** Messages per batch. Spec 2025-03-26: basic/index, "Batching". */
const MAX_BATCH = 20

/** A message, or the reason why the entry is not one. */
type BatchEntry = Message | { readonly kind: 'fault'; readonly id: RequestId | undefined; readonly error: unknown }

/** @throws McpError INVALID_REQUEST (-32600) if unsupported, empty, or over MAX_BATCH */
function readBatch(batch: readonly unknown[], { takesBatches, version }: Revision): BatchEntry[] {
  if (!takesBatches)
    throw new McpError('INVALID_REQUEST', `revision ${version} takes one message at a time, not a batch`)
  if (batch.length === 0) throw new McpError('INVALID_REQUEST', 'the batch is empty')
  if (batch.length > MAX_BATCH) throw new McpError('INVALID_REQUEST', `at most ${MAX_BATCH} messages in a batch`)
  return batch.map(readEntry)
}

function readEntry(value: unknown): BatchEntry {
  try {
    const message = readMessage(value)
    if (message.kind === 'response') return message
    if (message.method === 'initialize') throw new McpError('INVALID_REQUEST', 'initialize comes alone, not in a batch')
    if (claimsModern(message)) throw new McpError('INVALID_REQUEST', 'its metadata is of a revision without batches')
    return message
  } catch (error) {
    return { kind: 'fault', id: findReadableId(value), error }
  }
}
