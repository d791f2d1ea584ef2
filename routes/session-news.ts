// GET of a session: its stream of news, or the rest of a stream that its client has lost. DELETE: its end.
// Spec 2025-11-25: basic/transports, "Listening for Messages from the Server" and "Resumability and Redelivery".
import type { FastifyReply, FastifyRequest } from 'fastify'
import { OK, STREAMING } from '../src/audit/outcome.ts'
import { findSession } from '../src/legacy/open.ts'
import { type Position, positionOf, SessionStream } from '../src/legacy/session-stream.ts'
import { McpError } from '../src/protocol/errors.ts'
import { headerOf } from '../src/protocol/headers.ts'
import { spreadRetry } from '../src/retry.ts'
import type { Session } from '../src/session.ts'
import type { Replay } from '../src/state/events.ts'
import { accepted } from '../src/transport/accept.ts'
import { auditRequest } from '../src/transport/audit-request.ts'
import type { SessionParts } from './session-requests.ts'

/** A stream that is busier than this while it is read goes on with a gap. */
const MAX_READS = 5

/** A client that comes back to a stream. */
interface Return {
  readonly session: Session
  readonly reply: FastifyReply
  readonly left: Position
  /** What it missed; undefined where nothing is kept of it. */
  readonly replay: Replay | undefined
}

export function sessionNews(parts: SessionParts) {
  const { sessions, services } = parts

  const sessionOf = async ({ headers, caller }: FastifyRequest): Promise<Session> =>
    findSession(sessions, headerOf(headers, 'mcp-session-id'), caller)

  async function listen(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const session = await sessionOf(request)
    assertMayListen(parts, request)
    const left = positionOf(headerOf(request.headers, 'last-event-id') ?? '')
    if (left === undefined) return begin(session, reply)
    const key = { session: session.id, stream: left.stream }
    const current = () => sessions.at(session)?.streamOf(left.stream)
    for (let turn = 1; ; turn++) {
      const before = current()
      const replay = await sessions.events.read(key, left.seq)
      // It may have ended meanwhile.
      await sessionOf(request)
      // What was sent or ended while it was read has to be read too.
      const isWhole = before === current() && (before === undefined || before.seq === (replay?.lastSeq ?? before.seq))
      if (isWhole || turn === MAX_READS) return goOn({ session, reply, left, replay })
    }
  }

  function goOn({ session, reply, left, replay }: Return): void {
    const live = sessions.at(session)
    const open = live?.streamOf(left.stream)
    if (open === undefined && replay === undefined) return void begin(session, reply)
    if (open === undefined && replay?.isFinished && replay.events.length === 0) refuse(reply)
    const from = { stream: left.stream, seq: replay?.lastSeq ?? left.seq }
    const stream = open ?? new SessionStream({ session, events: sessions.events, from })
    if (reply.raw.destroyed) return
    stream.attach(hold(reply), replay)
    if (open === undefined && replay?.isFinished) stream.end()
    else if (!live?.replies.has(stream.id)) hear(session, stream, reply)
  }

  function begin(session: Session, reply: FastifyReply): void {
    if (reply.raw.destroyed) return
    const stream = new SessionStream({ session, events: sessions.events })
    stream.attach(hold(reply))
    hear(session, stream, reply)
  }

  function hold(reply: FastifyReply) {
    // Before: a stream that is held lets go of what its request said.
    auditRequest(services.audit, reply.request, { ending: STREAMING, status: 200 })
    return parts.streams.hold(reply)
  }

  function hear(session: Session, stream: SessionStream, reply: FastifyReply): void {
    reply.raw.on('close', sessions.listen(session, stream))
  }

  async function end(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    await sessions.close(await sessionOf(request))
    auditRequest(services.audit, request, { ending: OK, status: 204 })
    return reply.code(204).send()
  }

  return { listen, end }
}

// Clients come back to a stream that has ended without a result; to one that ends again they would for ever.
function refuse(reply: FastifyReply): never {
  reply.header('allow', 'POST, GET, DELETE')
  throw new McpError('METHOD_NOT_ALLOWED', 'that stream has ended, and nothing of it was missed')
}

function assertMayListen({ services, inflight, streams }: SessionParts, { headers }: FastifyRequest): void {
  inflight.assertOpen()
  if (!accepted(headers.accept).sse) throw new McpError('NOT_ACCEPTABLE', 'expected Accept: text/event-stream')
  if (streams.hasRoom(services.rules.maxStreams)) return
  throw new McpError('BUSY', 'too many streams are open; retry later', { retryAfterS: spreadRetry(30) })
}
