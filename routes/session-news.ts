// GET of a session: its stream of news, or the rest of a stream that its client has lost. DELETE: its end.
// Spec 2025-11-25: basic/transports, "Listening for Messages from the Server" and "Resumability and Redelivery".
import type { FastifyReply, FastifyRequest } from 'fastify'
import { OK, STREAMING } from '../src/audit/outcome.ts'
import { follow } from '../src/legacy/follow.ts'
import { findSession } from '../src/legacy/open.ts'
import { type Position, positionOf, SessionStream } from '../src/legacy/session-stream.ts'
import { headerOf } from '../src/protocol/headers.ts'
import type { Session } from '../src/session.ts'
import type { Replay } from '../src/state/events.ts'
import { auditRequest } from '../src/transport/audit-request.ts'
import { wrongVerb } from '../src/transport/wrong-verb.ts'
import { assertMayListen, type SessionParts } from './session-requests.ts'

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
    // Others may have come back in the same turn, and been told a lot.
    services.unsent.assertRoom(reply.request.clientKey)
    services.metrics.replayed(replay?.events.length ?? 0)
    stream.attach(hold(reply), replay)
    if (open === undefined && replay?.isFinished) stream.end()
    else if (open === undefined && replay?.isReply) void follow(stream, sessions, session)
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
    auditRequest(services, reply.request, { ending: STREAMING, status: 200 })
    return parts.streams.hold(reply)
  }

  function hear(session: Session, stream: SessionStream, reply: FastifyReply): void {
    reply.raw.on('close', sessions.listen(session, stream))
  }

  async function end(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    await sessions.close(await sessionOf(request))
    auditRequest(services, request, { ending: OK, status: 204 })
    return reply.code(204).send()
  }

  return { listen, end }
}

// Clients come back to a stream that has ended without a result; to one that ends again they would for ever.
function refuse(reply: FastifyReply): never {
  throw wrongVerb(reply, 'that stream has ended, and nothing of it was missed')
}
