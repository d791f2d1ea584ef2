// Mounts the open doors, and gives each the parts of the server that it needs.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createErrorHandler, type ErrorForm } from '../plugins/errors.ts'
import { GUARDS } from '../plugins/guards.ts'
import type { ResolvedOptions } from '../src/config/options.ts'
import { getPathPrefix, getPathUrl, toMetadataUrl } from '../src/config/public-url.ts'
import type { Door, DoorContext, RequestFacts } from '../src/doors/door.ts'
import { writeError } from '../src/doors/doors.ts'
import { serveRequest } from '../src/doors/serve-request.ts'
import type { RequestEnded } from '../src/observability/request-ended.ts'
import { parseJson } from '../src/protocol/json.ts'
import { Cancellation } from '../src/request/cancellation.ts'
import type { Runtime } from '../src/runtime.ts'
import { toLogged } from '../src/text/logged-error.ts'
import { cancelOnDisconnect } from '../src/transport/connections.ts'
import { NamedEventSink } from '../src/transport/named-events.ts'
import { addBodyParser } from '../src/transport/request-body.ts'
import { BODY_BYTES, CLIENT_KEY, IS_AUDITED, NAMED } from '../src/transport/request-facts.ts'
import { sendCounted } from '../src/transport/respond.ts'
import { createDrainGuard } from './drain-guard.ts'
import { createParts } from './server-parts.ts'

/** Each has its own scope, with its own error handler and bodies. */
export async function mountDoors(app: FastifyInstance, runtime: Runtime, resolved: ResolvedOptions): Promise<void> {
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  const { signal } = closing
  for (const door of runtime.doors.open) {
    await app.register(async outer => {
      describeRoutes(outer, door, resolved)
      if (door.toErrorAnswer !== undefined) outer.setErrorHandler(createErrorHandler(outer, runtime, toErrorForm(door)))
      // The door may set its own error handler.
      await outer.register(async scope => {
        const context = createContext(scope, runtime, { door, signal })
        await door.open(scope, context, createParts(scope, runtime, resolved))
      })
    })
    app.addHook('onClose', () => closeDoor(door, runtime))
  }
}

/** Lets refusals name the metadata of the resource, and the door if it has its own form of errors. */
function describeRoutes(
  app: FastifyInstance,
  { name, resources = [], toErrorAnswer }: Pick<Door, 'name' | 'resources' | 'toErrorAnswer'>,
  { settings, metadataUrl }: ResolvedOptions,
): void {
  app.addHook('onRoute', route => {
    const resource = resources.find(path => path === route.routePath) ?? resources[0]
    route.config = {
      ...route.config,
      ...(toErrorAnswer !== undefined && { door: name }),
      ...(metadataUrl !== undefined &&
        resource !== undefined && { metadataUrl: toMetadataUrl(getPathUrl(settings, resource), app.prefix) }),
    }
  })
}

const toErrorForm = (door: Pick<Door, 'toErrorAnswer'>): ErrorForm => ({
  hasId: false,
  toAnswer: (error, { requestId }) => writeError(door, error, requestId),
})

/** A door that fails to close must not keep the stores open. */
async function closeDoor(door: Pick<Door, 'name' | 'close'>, { log }: Pick<Runtime, 'log'>): Promise<void> {
  try {
    await door.close?.()
  } catch (error) {
    log.error({ door: door.name, err: toLogged(error) }, 'could not close a door')
  }
}

interface OpenDoor {
  readonly door: Pick<Door, 'name' | 'toStatus'>
  readonly signal: AbortSignal
}

function createContext(app: FastifyInstance, runtime: Runtime, { door, signal }: OpenDoor): DoorContext {
  const { checkOrigin, shedLoad, authenticate, limitCaller, countClient, answerPreflight } = app[GUARDS]
  const { doors, streams, bodies, events, inflight, unsent, toEndedRequest, settings, log } = runtime
  const { name, toStatus } = door
  return {
    serve: request => serveRequest({ ...request, door: name }, runtime, toStatus),
    guards: [checkOrigin, shedLoad, authenticate, limitCaller],
    createGuards: ({ checks = [], isPublic = false }) => [
      checkOrigin,
      ...checks,
      shedLoad,
      ...(isPublic ? [] : [authenticate]),
      limitCaller,
    ],
    refuseWhileDraining: createDrainGuard(inflight),
    answerOptions(scope, path, findAllowed = () => '') {
      scope.options(path, { onRequest: [checkOrigin, limitCaller] }, (request, reply) => {
        const allowed = findAllowed(request)
        return answerPreflight(request, allowed === '' ? reply : reply.header('allow', `${allowed}, OPTIONS`))
      })
    },
    nameRequest: (request, named) => void (request[NAMED] = named),
    readFacts,
    watchClient,
    readBodies: (scope, { type, parse = body => parseJson(body) }) => addBodyParser(scope, { type, parse, bodies }),
    send: (reply, payload) => sendCounted(reply, payload, unsent),
    openEvents: reply => new NamedEventSink(streams, reply),
    onEnded: listener => void events.on((ended: RequestEnded) => listener(toEndedRequest(ended))),
    converse: facts => doors.converse({ ...facts, door: name, runtime, count: () => countClient(facts) }),
    pathPrefix: getPathPrefix(settings),
    maxBodyBytes: settings.maxBodyBytes,
    log,
    signal,
  }
}

/** From here on, the records of the request are those of the method. */
function readFacts(request: FastifyRequest): RequestFacts {
  const { caller, headers, id, raw, [CLIENT_KEY]: clientKey, [BODY_BYTES]: requestBytes } = request
  request[IS_AUDITED] = true
  return { caller, clientKey, headers, httpVersion: raw.httpVersion, requestId: id, requestBytes }
}

function watchClient({ raw }: FastifyReply): AbortSignal {
  const cancellation = new Cancellation()
  cancelOnDisconnect(raw, cancellation)
  return cancellation.signal
}
