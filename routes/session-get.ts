// GET of a session: its stream of news, or the rest of a stream that its client has lost. DELETE: its end.
// Spec 2025-11-25: basic/transports, "Listening for Messages from the Server" and "Resumability and Redelivery".
import type { FastifyReply, FastifyRequest } from 'fastify'
import { emitHttpEnded } from '../plugins/audit.ts'
import { follow } from '../src/legacy/follow.ts'
import { findSession } from '../src/legacy/open.ts'
import { type Position, parseEventId, ResumableStream } from '../src/legacy/resumable-stream.ts'
import { OK, STREAMING } from '../src/observability/ending.ts'
import { getHeader } from '../src/protocol/headers.ts'
import type { Replay } from '../src/state/events.ts'
import type { Session } from '../src/state/sessions.ts'
import { methodNotAllowed } from '../src/transport/respond.ts'
import { assertMayListen, type SessionRuntime } from './session-requests.ts'

/** A stream that is busier than this while it is read goes on with a gap. */
const MAX_REPLAY_READS = 5

/** A client that comes back to a stream. */
interface StreamReturn {
  readonly session: Session
  readonly reply: FastifyReply
  readonly left: Position
  /** What it missed; undefined where nothing is kept of it. */
  readonly replay: Replay | undefined
}

export function createSessionHandlers(runtime: SessionRuntime) {
  const { sessions, events, unsent, metrics } = runtime

  const findRequestSession = async ({ headers, caller }: FastifyRequest): Promise<Session> =>
    findSession(sessions, getHeader(headers, 'mcp-session-id'), caller)

  async function listen(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const session = await findRequestSession(request)
    assertMayListen(runtime, request)
    const left = parseEventId(getHeader(request.headers, 'last-event-id') ?? '')
    if (left === undefined) return begin(session, reply)
    const key = { session: session.id, stream: left.stream }
    const current = () => sessions.get(session)?.findStream(left.stream)
    for (let turn = 1; ; turn++) {
      const before = current()
      const replay = await sessions.events.read(key, left.seq)
      // It may have ended meanwhile.
      await findRequestSession(request)
      // What was sent or ended while it was read has to be read too.
      const isWhole = before === current() && (before === undefined || before.seq === (replay?.lastSeq ?? before.seq))
      if (isWhole || turn === MAX_REPLAY_READS) return resume({ session, reply, left, replay })
    }
  }

  function resume({ session, reply, left, replay }: StreamReturn): void {
    const active = sessions.get(session)
    const open = active?.findStream(left.stream)
    if (open === undefined && replay === undefined) return void begin(session, reply)
    if (open === undefined && replay?.isFinished && replay.events.length === 0) refuse(reply)
    const from = { stream: left.stream, seq: replay?.lastSeq ?? left.seq }
    const stream = open ?? new ResumableStream({ session, events: sessions.events, from })
    if (reply.raw.destroyed) return
    // Others may have come back in the same turn, and been told a lot.
    unsent.assertRoom(reply.request.clientKey)
    metrics.replayed(replay?.events.length ?? 0)
    stream.attach(hold(reply), replay)
    if (open === undefined && replay?.isFinished) stream.end()
    else if (open === undefined && replay?.isReply) void follow(stream, sessions, session)
    else if (!active?.replyStreams.has(stream.id)) listenToSession(session, stream, reply)
  }

  function begin(session: Session, reply: FastifyReply): void {
    if (reply.raw.destroyed) return
    const stream = new ResumableStream({ session, events: sessions.events })
    stream.attach(hold(reply))
    listenToSession(session, stream, reply)
  }

  function hold(reply: FastifyReply) {
    // Before: a stream that is held lets go of what its request said.
    emitHttpEnded(events, reply.request, { ending: STREAMING, status: 200 })
    return runtime.streams.openDetached(reply)
  }

  function listenToSession(session: Session, stream: ResumableStream, reply: FastifyReply): void {
    reply.raw.on('close', sessions.addStream(session, stream))
  }

  async function end(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    await sessions.close(await findRequestSession(request))
    emitHttpEnded(events, request, { ending: OK, status: 204 })
    return reply.code(204).send()
  }

  return { listen, end }
}

// Clients come back to a stream that has ended without a result; to one that ends again they would for ever.
function refuse(reply: FastifyReply): never {
  throw methodNotAllowed(reply, 'that stream has ended, and nothing of it was missed')
}
