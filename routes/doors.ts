// Mounts the doors that are open, and hands each what it needs of the server.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { GUARDS } from '../plugins/guards.ts'
import type { ResolvedOptions } from '../src/config/options.ts'
import { Conversation } from '../src/doors/conversation.ts'
import type { Door, DoorContext, RequestFacts } from '../src/doors/door.ts'
import { serveRequest } from '../src/doors/serve-request.ts'
import type { RequestEnded } from '../src/observability/request-ended.ts'
import { parseJson } from '../src/protocol/json.ts'
import { Cancellation } from '../src/request/cancellation.ts'
import type { Runtime } from '../src/runtime.ts'
import { toLogged } from '../src/text/logged-error.ts'
import { cancelOnDisconnect } from '../src/transport/connections.ts'
import { NamedEventSink } from '../src/transport/named-events.ts'
import { addBodyParser } from '../src/transport/request-body.ts'
import { BODY_BYTES, CLIENT_KEY, IS_AUDITED } from '../src/transport/request-facts.ts'
import { withInternals } from './internals.ts'

/** Each in a scope of its own, so that its error handler and its bodies are its own. */
export async function mountDoors(app: FastifyInstance, runtime: Runtime, resolved: ResolvedOptions): Promise<void> {
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  const { signal } = closing
  for (const door of runtime.doors.open) {
    await app.register(async scope => {
      const context = createContext(scope, runtime, { door, signal })
      await door.open(scope, withInternals(context, { runtime, resolved }))
    })
    app.addHook('onClose', () => closeDoor(door, runtime))
  }
}

/** One that does not close must not keep the stores open. */
async function closeDoor(door: Door, { log }: Pick<Runtime, 'log'>): Promise<void> {
  try {
    await door.close?.()
  } catch (error) {
    log.error({ door: door.name, err: toLogged(error) }, 'could not close a door')
  }
}

function createContext(
  app: FastifyInstance,
  runtime: Runtime,
  { door, signal }: { readonly door: Door; readonly signal: AbortSignal },
): DoorContext {
  const { checkOrigin, shedLoad, authenticate, limitCaller, countClient } = app[GUARDS]
  const { streams, bodies, events, toEndedRequest, settings, log } = runtime
  return {
    serve: request => serveRequest({ ...request, door: door.name }, runtime),
    guards: [checkOrigin, shedLoad, authenticate, limitCaller],
    readFacts,
    watchClient,
    readBodies: (scope, { type, parse = parseJson }) =>
      addBodyParser(scope, { type, parse: body => parse(body), bodies }),
    openEvents: reply => new NamedEventSink(streams, reply),
    onEnded: listener => void events.on((ended: RequestEnded) => listener(toEndedRequest(ended))),
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
