// POST without a session, of a revision in which sessions are optional. Hosted clients open a
// session to discover tools, and call the tools without one. Answers as JSON; as SSE after a
// notification or a while, or on request. Nothing can be resumed, so a client that leaves cancels
// its request.
// Spec 2025-11-25: basic/transports, "Session Management".
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type BatchEntry, readBatch, serveEntries, toBatchAnswer } from '../src/doors/batch.ts'
import type { LegacyInbound } from '../src/protocol/classify.ts'
import type { Message } from '../src/protocol/messages.ts'
import type { Revision } from '../src/protocol/revisions/index.ts'
import { Cancellation } from '../src/request/cancellation.ts'
import { createSessionRequiredError } from '../src/request/required-session.ts'
import { type Steps, wait } from '../src/request/steps.ts'
import { type AcceptedTypes, parseAccept } from '../src/transport/accept.ts'
import { cancelOnDisconnect } from '../src/transport/connections.ts'
import { isGone } from '../src/transport/http-versions.ts'
import { CLIENT_KEY } from '../src/transport/request-facts.ts'
import { ReplyStream, respond } from '../src/transport/respond.ts'
import { answerStateless, type BatchRuntime, createBatch, type SessionRuntime } from './session-requests.ts'

interface StatelessPost {
  readonly revision: Revision
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly accepts: AcceptedTypes
  /** Undefined if the client does not accept SSE. */
  readonly sink: ReplyStream | undefined
}

export function createStatelessPost(runtime: BatchRuntime) {
  return function* post(inbound: LegacyInbound, request: FastifyRequest, reply: FastifyReply): Steps<void> {
    const accepts = parseAccept(request.headers.accept)
    const sink = accepts.sse ? new ReplyStream(runtime.streams, reply, accepts) : undefined
    const context = { revision: inbound.revision, request, reply, accepts, sink }
    if ('message' in inbound) yield* serveOne(runtime, inbound.message, context)
    else yield* wait(serveBatch(runtime, readBatch(inbound.batch, inbound.revision), context))
  }
}

function* serveOne(runtime: SessionRuntime, message: Message, post: StatelessPost): Steps<void> {
  const { reply, accepts, sink } = post
  if (message.kind === 'response') throw createAnswerRefusal()
  // A cancellation has no effect: ids of requests are unique only within a session.
  if (message.kind === 'notification') return void reply.code(202).send()
  const cancelWithClient = cancelOnDisconnect.bind(undefined, reply.raw)
  const answer = yield* wait(answerStateless(runtime, { ...post, cancelWithClient }, message))
  if (answer === undefined || isGone(reply.raw)) return
  respond(reply, answer, { accepts, sink, unsent: runtime.unsent })
}

async function serveBatch(runtime: BatchRuntime, entries: readonly BatchEntry[], post: StatelessPost): Promise<void> {
  if (entries.some(({ kind }) => kind === 'response')) throw createAnswerRefusal()
  const { request, revision, reply, accepts, sink } = post
  // One listener of the connection for all entries. A shutdown cancels each entry by itself.
  const left = new Cancellation()
  cancelOnDisconnect(reply.raw, left)
  const cancelWithClient = (cancellation: Cancellation) => left.onCancel(reason => cancellation.cancel(reason))
  const answers = await serveEntries(
    {
      ...createBatch(runtime, request, revision),
      entries,
      answer: (message, bytes) => answerStateless(runtime, { ...post, bytes, cancelWithClient }, message),
      take: () => {},
    },
    runtime.unsent.createUnsent(request[CLIENT_KEY]),
  )
  if (isGone(reply.raw)) return
  const last = answers.at(-1)
  if (last === undefined) return void reply.code(202).send()
  const stream = sink?.response ?? (accepts.json ? undefined : sink?.open())
  stream?.sendAll(answers.slice(0, -1).map(({ json }) => ({ id: undefined, json })))
  respond(reply, stream === undefined ? toBatchAnswer(answers) : last, { accepts, sink, unsent: runtime.unsent })
}

/** The question was asked in a session, and only that session knows who waits for the answer. */
const createAnswerRefusal = () => createSessionRequiredError('for an answer to a question')
