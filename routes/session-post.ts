// POST of a session: one message, or in revision 2025-03-26 several; answered as JSON, or over the stream that the
// first notification or question opens. A connection that drops cancels nothing: the client can come back.
// Spec 2025-11-25: basic/transports, "Sending Messages to the Server".
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../src/answer.ts'
import { chain, type Eventually } from '../src/chain.ts'
import { type BatchEntry, readBatch } from '../src/legacy/batch.ts'
import { findSession, openSession } from '../src/legacy/open.ts'
import { SessionStream } from '../src/legacy/session-stream.ts'
import type { Inbound } from '../src/protocol/classify.ts'
import type { McpError } from '../src/protocol/errors.ts'
import { headerOf } from '../src/protocol/headers.ts'
import { type Message, type RequestId, readableId } from '../src/protocol/messages.ts'
import type { Session } from '../src/session.ts'
import { type Accepted, accepted } from '../src/transport/accept.ts'
import { respond, respondNothing } from '../src/transport/respond.ts'
import { answerRequest, hear, isHandshake, refuse, type SessionParts } from './session-requests.ts'

export type LegacyInbound = Extract<Inbound, { era: 'legacy' }>

export interface SessionPostParts extends SessionParts {
  countMessage(request: FastifyRequest): Eventually<McpError | undefined>
}

/** A quiet call opens its stream after this long, so that it outlives its connection, and the connection its proxies. */
const OPEN_AFTER_MS = 1000

interface Visit {
  readonly session: Session
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly accepts: Accepted
  /** Undefined where the client takes no stream. */
  readonly sink: SessionStream | undefined
}

export function sessionPost(parts: SessionPostParts) {
  return (inbound: LegacyInbound, request: FastifyRequest, reply: FastifyReply): void => {
    chain(
      () => sessionOf(parts, inbound, { request, reply }),
      session => serve(parts, inbound, visitOf(parts, session, { inbound, request, reply })),
      error => void reply.send(error),
    )
  }
}

interface Hop {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

function sessionOf(
  { sessions, inflight }: SessionParts,
  inbound: LegacyInbound,
  { request, reply }: Hop,
): Eventually<Session> {
  const { headers, caller } = request
  if (!('message' in inbound && isHandshake(inbound.message)))
    return findSession(sessions, headerOf(headers, 'mcp-session-id'), caller)
  inflight.assertOpen()
  const session = openSession(sessions, inbound.message.params, { caller })
  const named = (opened: Session) => {
    reply.header('mcp-session-id', opened.id)
    return opened
  }
  return session instanceof Promise ? session.then(named) : named(session)
}

function visitOf(
  { sessions, streams }: SessionParts,
  session: Session,
  { inbound, request, reply }: Hop & { readonly inbound: LegacyInbound },
): Visit {
  const accepts = accepted(request.headers.accept)
  if (!accepts.sse) return { session, request, reply, accepts, sink: undefined }
  const sink = new SessionStream({
    session,
    events: sessions.events,
    isReply: true,
    requests: requestsOf(inbound),
    open: () => (reply.sent || reply.raw.destroyed ? undefined : streams.open(reply)),
    onBegin: stream => sessions.of(session).replies.set(stream.id, stream),
  })
  return { session, request, reply, accepts, sink }
}

const requestsOf = (inbound: LegacyInbound): RequestId[] =>
  ('message' in inbound ? [inbound.message] : inbound.batch).map(readableId).filter(id => id !== undefined)

function serve(parts: SessionPostParts, inbound: LegacyInbound, visit: Visit): Eventually<void> {
  if ('message' in inbound) return serveOne(parts, inbound.message, visit)
  return serveBatch(parts, readBatch(inbound.batch, visit.session.revision), visit)
}

function serveOne(parts: SessionPostParts, message: Message, visit: Visit): Eventually<void> {
  if (message.kind !== 'request') {
    hear(parts.sessions, visit.session, message)
    return accept(visit)
  }
  const answer = answerRequest(parts, visit, message)
  if (!(answer instanceof Promise)) return finish(parts, visit, answer)
  const opening = openLater(visit)
  return answer.then(ready => {
    clearTimeout(opening)
    finish(parts, visit, ready)
  })
}

const openLater = ({ sink }: Visit) => setTimeout(() => sink?.begin(), OPEN_AFTER_MS).unref()

function finish(
  { sessions, services }: SessionParts,
  { session, sink, reply, accepts }: Visit,
  answer: Answer | undefined,
): void {
  // Whoever would rather have a stream gets one that can be resumed.
  if (accepts.prefersSse && answer?.status === 200) sink?.begin()
  if (sink?.hasBegun) {
    sink.finish(answer?.json)
    sessions.at(session)?.replies.delete(sink.id)
    sessions.settle(session)
    return
  }
  // What a tool still says when its call has been answered is dropped.
  sink?.end()
  if (reply.raw.destroyed) return
  if (answer === undefined) respondNothing(reply, accepts)
  else respond(reply, answer, { accepts, sink: undefined, unsent: services.unsent })
}

async function serveBatch(parts: SessionPostParts, entries: readonly BatchEntry[], visit: Visit): Promise<void> {
  const opening = openLater(visit)
  // Each has its line in the audit, and its size there. A stream may let go of the body.
  const raw = parts.services.audit.isOn ? (visit.request.body as unknown[]) : []
  const sizes = raw.map(entry => Buffer.byteLength(JSON.stringify(entry)))
  const built = parts.services.unsent.unfinished(visit.request.clientKey)
  const answered = await Promise.all(
    entries.map(async (entry, index) => {
      const answer = await serveEntry(parts, entry, { index, bytes: sizes[index] ?? 0, visit })
      // It waits for the others as text.
      built.add(answer?.json.length ?? 0)
      return answer
    }),
  )
  clearTimeout(opening)
  built.release()
  const answers = answered.filter(answer => answer !== undefined)
  const last = answers.pop()
  const { sink, accepts } = visit
  if (last === undefined) {
    if (sink?.hasBegun) finish(parts, visit, undefined)
    else accept(visit)
    return
  }
  if (!accepts.json) sink?.begin()
  if (sink?.hasBegun) {
    sink.sendAll(answers.map(({ json }) => json))
    finish(parts, visit, last)
  } else {
    finish(parts, visit, { status: 200, json: `[${[...answers, last].map(({ json }) => json).join(',')}]` })
  }
}

/** Each is limited and checked like a request of its own; the first was counted with the POST. */
async function serveEntry(
  parts: SessionPostParts,
  entry: BatchEntry,
  { index, bytes, visit }: { index: number; bytes: number; visit: Visit },
): Promise<Answer | undefined> {
  const { session, request } = visit
  const refusal = index === 0 ? undefined : await parts.countMessage(request)
  const refused = { session, request, message: entry, bytes }
  if (entry.kind === 'notification' || entry.kind === 'response') {
    if (refusal === undefined) hear(parts.sessions, session, entry)
    // Nobody waits for an answer, but it was refused.
    else refuse(parts, refused, refusal)
    return undefined
  }
  if (refusal !== undefined) return refuse(parts, refused, refusal)
  if (entry.kind === 'fault') return refuse(parts, refused, entry.error)
  return answerRequest(parts, { ...visit, bytes }, entry)
}

function accept({ reply }: Visit): void {
  reply.code(202).send()
}
