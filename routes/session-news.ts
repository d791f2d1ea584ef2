// GET of a session: its stream of news, or the rest of a stream that its client has lost. DELETE: its end.
// Spec 2025-11-25: basic/transports, "Listening for Messages from the Server" and "Resumability and Redelivery".
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findSession } from '../src/legacy/open.ts'
import { positionOf, SessionStream } from '../src/legacy/session-stream.ts'
import { McpError } from '../src/protocol/errors.ts'
import { headerOf } from '../src/protocol/headers.ts'
import type { Session } from '../src/session.ts'
import { accepted } from '../src/transport/accept.ts'
import type { SessionParts } from './session-requests.ts'

export function sessionNews(parts: SessionParts) {
  const { sessions } = parts

  const sessionOf = async ({ headers, caller }: FastifyRequest): Promise<Session> =>
    findSession(sessions, headerOf(headers, 'mcp-session-id'), caller)

  async function listen(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const session = await sessionOf(request)
    assertMayListen(parts, request)
    const left = positionOf(headerOf(request.headers, 'last-event-id') ?? '')
    const replay = left && (await sessions.events.read({ session: session.id, stream: left.stream }, left.seq))
    if (reply.raw.destroyed) return
    const wire = parts.streams.hold(reply)
    const unanswered = left && sessions.at(session)?.replies.get(left.stream)
    if (unanswered !== undefined) return unanswered.attach(wire, replay)
    const from = left && replay && { stream: left.stream, seq: replay.lastSeq }
    const stream = new SessionStream({ session, events: sessions.events, from })
    stream.attach(wire, replay)
    if (replay?.isFinished) stream.end()
    else reply.raw.on('close', sessions.listen(session, stream))
  }

  async function end(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    await sessions.close(await sessionOf(request))
    return reply.code(204).send()
  }

  return { listen, end }
}

function assertMayListen({ services, inflight, streams }: SessionParts, { headers }: FastifyRequest): void {
  inflight.assertOpen()
  if (!accepted(headers.accept).sse) throw new McpError('NOT_ACCEPTABLE', 'expected Accept: text/event-stream')
  if (streams.size < services.rules.maxStreams) return
  throw new McpError('BUSY', 'too many streams are open; retry later', { retryAfterS: 30 })
}
