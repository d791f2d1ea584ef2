// Mounts the doors that a program brings, and hands each what it needs of the server.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { GUARDS } from '../plugins/guards.ts'
import { Conversation } from '../src/doors/conversation.ts'
import type { Door, DoorContext, RequestFacts } from '../src/doors/door.ts'
import { serveRequest } from '../src/doors/serve-request.ts'
import { NEWEST } from '../src/open/request.ts'
import { encodeAnswer } from '../src/request/answer.ts'
import { Cancellation } from '../src/request/cancellation.ts'
import type { Runtime } from '../src/runtime.ts'
import { cancelOnDisconnect } from '../src/transport/connections.ts'
import { NamedEventSink } from '../src/transport/named-events.ts'
import { addBodyParser } from '../src/transport/request-body.ts'
import { BODY_BYTES, CLIENT_KEY, IS_AUDITED } from '../src/transport/request-facts.ts'

/** Each in a scope of its own, so that its error handler and its bodies are its own. */
export async function mountDoors(app: FastifyInstance, runtime: Runtime, doors: readonly Door[]): Promise<void> {
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  for (const door of doors) {
    await app.register(async scope => door.open(scope, createContext(scope, runtime, { door, signal: closing.signal })))
    app.addHook('onClose', async () => door.close?.())
  }
}

function createContext(
  app: FastifyInstance,
  runtime: Runtime,
  { door, signal }: { readonly door: Door; readonly signal: AbortSignal },
): DoorContext {
  const { checkOrigin, shedLoad, authenticate, limitCaller, countMessage, countClient } = app[GUARDS]
  const { serverMeta, streams, bodies, settings, log } = runtime
  return {
    serve: request => serveRequest({ ...request, door: door.name }, runtime),
    guards: [checkOrigin, shedLoad, authenticate, limitCaller],
    readFacts,
    watchClient,
    countMessage,
    readBodies: (scope, body) => addBodyParser(scope, { ...body, bodies }),
    openEvents: reply => new NamedEventSink(streams, reply),
    toMessage: (served, { id, method }) => encodeAnswer(served, { id, method, revision: NEWEST }, serverMeta)?.json,
    converse: facts => new Conversation({ ...facts, door: door.name, runtime, count: () => countClient(facts) }),
    maxBodyBytes: settings.maxBodyBytes,
    log,
    signal,
  }
}

/** From here on, the records of the request are those of the method. */
function readFacts(request: FastifyRequest): RequestFacts {
  const { caller, headers, id, [CLIENT_KEY]: clientKey, [BODY_BYTES]: requestBytes } = request
  request[IS_AUDITED] = true
  return { caller, clientKey, headers, requestId: id, requestBytes }
}

function watchClient({ raw }: FastifyReply): AbortSignal {
  const cancellation = new Cancellation()
  cancelOnDisconnect(raw, cancellation)
  return cancellation.signal
}
