// GET of a session: its stream of news, or the rest of a stream that its client has lost. DELETE: its end.
// Spec 2025-11-25: basic/transports, "Listening for Messages from the Server" and "Resumability and Redelivery".

import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { emitHttpEnded } from '../plugins/audit.ts'
import { findSession } from '../src/legacy/open.ts'
import { type Position, parseEventId, ResumableStream } from '../src/legacy/resumable-stream.ts'
import type { SessionRegistry } from '../src/legacy/session-registry.ts'
import { OK, STREAMING } from '../src/observability/request-ended.ts'
import { McpError } from '../src/protocol/errors.ts'
import { getHeader } from '../src/protocol/headers.ts'
import { createErrorAnswer } from '../src/request/answer.ts'
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

// A client comes back at another replica than the one that serves its request.

/** How often what is kept is looked at. */
const LOOK_MS = 250

/** Tells what is said there until it ends, or its session does, or the client leaves. */
export async function follow(stream: ResumableStream, sessions: SessionRegistry, session: Session): Promise<void> {
  const { events, store } = sessions
  const key = { session: session.id, stream: stream.id }
  while (stream.isConnected) {
    await sleep(LOOK_MS, undefined, { ref: false })
    let replay: Replay | undefined
    try {
      // What was said before its session ended is told first.
      const isThere = await store.has(session.id)
      replay = await events.read(key, stream.seq)
      if (!isThere && replay !== undefined) replay = { ...replay, isFinished: true, lost: [] }
    } catch {
      // It is looked at again.
      continue
    }
    if (replay === undefined) stream.end()
    else if (!stream.relay(failLostRequests(replay, session))) return
  }
}

// What nobody will answer any more has failed. It is kept nowhere: who comes back once more is told again.
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
