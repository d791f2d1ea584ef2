// GET of a session: its notification stream, or a stream to resume. DELETE ends the session.
// Spec 2025-11-25: basic/transports, "Listening for Messages from the Server" and
// "Resumability and Redelivery".
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { emitHttpEnded } from '../plugins/audit.ts'
import { findSession } from '../src/legacy/open.ts'
import { type Position, parseEventId, ResumableStream } from '../src/legacy/resumable-stream.ts'
import type { SessionRegistry } from '../src/legacy/session-registry.ts'
import { OK } from '../src/observability/request-ended.ts'
import { McpError } from '../src/protocol/errors.ts'
import { getHeader } from '../src/protocol/headers.ts'
import { createErrorAnswer } from '../src/request/answer.ts'
import { run } from '../src/request/steps.ts'
import type { Replay } from '../src/state/events.ts'
import type { Session } from '../src/state/sessions.ts'
import { isGone } from '../src/transport/http-versions.ts'
import { CLIENT_KEY } from '../src/transport/request-facts.ts'
import { methodNotAllowed } from '../src/transport/respond.ts'
import { assertMayListen, openStream, type SessionRuntime } from './session-requests.ts'

/** A stream that still gets events after this many reads resumes with a gap. */
const MAX_REPLAY_READS = 5

/** A client that resumes a stream. */
interface StreamReturn {
  readonly session: Session
  readonly reply: FastifyReply
  readonly left: Position
  /** The missed events; undefined if none are stored. */
  readonly replay: Replay | undefined
}

export function createSessionHandlers(runtime: SessionRuntime) {
  const { owners, sessions, events, unsent, metrics } = runtime

  const findRequestSession = async ({ headers, caller }: FastifyRequest): Promise<Session> =>
    run(findSession(sessions, getHeader(headers, 'mcp-session-id'), owners.find(caller)))

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
      // The session may have ended meanwhile.
      await findRequestSession(request)
      // Read again if events were sent or the stream ended during the read.
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
    if (isGone(reply.raw)) return
    // Other clients may have resumed in the same tick and filled the buffers.
    unsent.assertRoom(reply.request[CLIENT_KEY])
    metrics.replayed(replay?.events.length ?? 0)
    stream.attach(openStream(runtime, reply), replay)
    if (open === undefined && replay?.isFinished) stream.end()
    else if (open === undefined && replay?.isReply) void follow(stream, sessions, session)
    else if (!active?.replyStreams.has(stream.id)) listenToSession(session, stream, reply)
  }

  function begin(session: Session, reply: FastifyReply): void {
    if (isGone(reply.raw)) return
    const stream = new ResumableStream({ session, events: sessions.events })
    stream.attach(openStream(runtime, reply))
    listenToSession(session, stream, reply)
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

// Without an error, clients would reconnect forever to a stream that ended without a result.
function refuse(reply: FastifyReply): never {
  throw methodNotAllowed(reply, 'that stream has ended, and nothing of it was missed')
}

/** How often a stream that another replica writes is polled, ms. */
const LOOK_MS = 250

/** Relays events that another replica stores, until the stream or the session ends. */
export async function follow(stream: ResumableStream, sessions: SessionRegistry, session: Session): Promise<void> {
  const { events, store } = sessions
  const key = { session: session.id, stream: stream.id }
  while (stream.isConnected) {
    await sleep(LOOK_MS, undefined, { ref: false })
    let replay: Replay | undefined
    try {
      // Read after the check, so that events stored before the session ended are still sent.
      const isThere = await store.has(session.id)
      replay = await events.read(key, stream.seq)
      if (!isThere && replay !== undefined) replay = { ...replay, isFinished: true, lost: [] }
    } catch {
      // Retried at the next poll.
      continue
    }
    if (replay === undefined) stream.end()
    else if (!stream.relay(failLostRequests(replay, session))) return
  }
}

// Requests whose replica has ended get an error. It is not stored: a later resume creates it again.
function failLostRequests(replay: Replay, { revision }: Session): Replay {
  const { events, lastSeq, lost } = replay
  if (lost === undefined) return replay
  const error = new McpError('HANDLER_FAILED', 'The call was interrupted: the replica that ran it has ended')
  const answers = lost.map((id, index) => ({
    seq: lastSeq + index + 1,
    json: createErrorAnswer(error, id, revision).json,
  }))
  return { ...replay, events: [...events, ...answers], isFinished: true }
}
