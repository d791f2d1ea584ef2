// POST of a session: one message, or a batch in revision 2025-03-26. Answers as JSON. Answers as SSE
// after a notification, a question or a while, or on request. A dropped connection cancels nothing.
// Spec 2025-11-25: basic/transports, "Sending Messages to the Server".
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readBatch, serveEntries, toBatchAnswer } from '../src/doors/batch.ts'
import { handleClientMessage, isHandshake, type RequestMessage } from '../src/doors/session-messages.ts'
import { findSession, openSession } from '../src/legacy/open.ts'
import { ResumableStream } from '../src/legacy/resumable-stream.ts'
import type { LegacyInbound } from '../src/protocol/classify.ts'
import { getHeader } from '../src/protocol/headers.ts'
import { findReadableId, type RequestId } from '../src/protocol/messages.ts'
import type { Answer } from '../src/request/answer.ts'
import { type Steps, wait } from '../src/request/steps.ts'
import type { Session } from '../src/state/sessions.ts'
import { type AcceptedTypes, parseAccept } from '../src/transport/accept.ts'
import { isGone } from '../src/transport/http-versions.ts'
import { CLIENT_KEY } from '../src/transport/request-facts.ts'
import { respond, respondEmpty } from '../src/transport/respond.ts'
import {
  answerRequest,
  type BatchRuntime,
  type CountMessage,
  createBatch,
  type SessionRuntime,
} from './session-requests.ts'
import { createStatelessPost } from './stateless-post.ts'

interface PostContext {
  readonly session: Session
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly accepts: AcceptedTypes
  /** Undefined if the client does not accept SSE. */
  readonly sink: ResumableStream | undefined
}

export function createSessionPost(runtime: SessionRuntime, countMessage: CountMessage) {
  const withCount = { ...runtime, countMessage }
  const postStateless = createStatelessPost(withCount)
  const isOptional = runtime.settings.sessions === 'optional'
  return function* post(inbound: LegacyInbound, request: FastifyRequest, reply: FastifyReply): Steps<void> {
    if (isOptional && isStateless(inbound, request)) return yield* postStateless(inbound, request, reply)
    const session = yield* findOrOpen(runtime, inbound, { request, reply })
    const open = () => createPostContext(runtime, session, { inbound, request, reply })
    if ('batch' in inbound) return yield* wait(serveBatch(withCount, inbound.batch, open()))
    const { message } = inbound
    if (message.kind === 'request') {
      const context = open()
      return finishPost(runtime, context, yield* wait(answerRequest(runtime, context, message)))
    }
    handleClientMessage(runtime.sessions, session, message)
    replyAccepted(reply)
  }
}

function isStateless(inbound: LegacyInbound, { headers }: FastifyRequest): boolean {
  if (!inbound.revision.isSessionOptional || headers['mcp-session-id'] !== undefined) return false
  return !('message' in inbound && isHandshake(inbound.message))
}

interface RequestReply {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

function findOrOpen(runtime: SessionRuntime, inbound: LegacyInbound, { request, reply }: RequestReply): Steps<Session> {
  const { headers, caller } = request
  if ('message' in inbound && isHandshake(inbound.message)) return shakeHands(runtime, inbound.message, request, reply)
  return findSession(runtime.sessions, getHeader(headers, 'mcp-session-id'), runtime.owners.find(caller))
}

function* shakeHands(
  { owners, sessions, inflight }: SessionRuntime,
  { params }: RequestMessage,
  { caller }: FastifyRequest,
  reply: FastifyReply,
): Steps<Session> {
  inflight.assertOpen()
  const session = yield* wait(openSession(sessions, params, { owner: owners.find(caller) }))
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
    opensIfQuiet: accepts.namesSse,
    requests: readRequestIds(inbound),
    open: () => (reply.sent || isGone(reply.raw) ? undefined : streams.open(reply)),
    onBegin: stream => sessions.getOrCreate(session).replyStreams.set(stream.id, stream),
  })
  return { session, request, reply, accepts, sink }
}

const readRequestIds = (inbound: LegacyInbound): RequestId[] =>
  ('message' in inbound ? [inbound.message] : inbound.batch).map(findReadableId).filter(id => id !== undefined)

function finishPost(
  { sessions, unsent }: SessionRuntime,
  { session, sink, reply, accepts }: PostContext,
  answer: Answer | undefined,
): void {
  // A client that prefers SSE gets a resumable stream.
  if (accepts.prefersSse && answer?.status === 200) sink?.begin()
  if (sink?.isOpen) {
    sink.finish(answer?.json)
    sessions.get(session)?.replyStreams.delete(sink.id)
    sessions.releaseIfIdle(session)
    return
  }
  // Drops what a tool sends after its call was answered.
  sink?.end()
  if (isGone(reply.raw)) return
  if (answer === undefined) respondEmpty(reply, accepts)
  else respond(reply, answer, { accepts, sink: undefined, unsent })
}

async function serveBatch(runtime: BatchRuntime, batch: readonly unknown[], post: PostContext): Promise<void> {
  const { session, request } = post
  const { revision } = session
  const entries = readBatch(batch, revision)
  const answers = await serveEntries(
    {
      ...createBatch(runtime, request, revision),
      entries,
      answer: (message, bytes) => answerRequest(runtime, { ...post, bytes }, message),
      take: message => handleClientMessage(runtime.sessions, session, message),
    },
    runtime.unsent.createUnsent(request[CLIENT_KEY]),
  )
  const last = answers.pop()
  const { sink, accepts } = post
  if (last === undefined) {
    if (sink?.isOpen) finishPost(runtime, post, undefined)
    else replyAccepted(post.reply)
    return
  }
  if (!accepts.json) sink?.begin()
  if (sink?.isOpen) {
    sink.sendAll(answers.map(({ json }) => json))
    finishPost(runtime, post, last)
  } else {
    finishPost(runtime, post, toBatchAnswer([...answers, last]))
  }
}

function replyAccepted(reply: FastifyReply): void {
  reply.code(202).send()
}
