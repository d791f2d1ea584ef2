// The parts of the server for doors that ship, in addition to the context of every door.
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { emitHttpEnded } from '../plugins/audit.ts'
import { GUARDS } from '../plugins/guards.ts'
import { acceptsTokens } from '../src/config/access.ts'
import type { ResolvedOptions } from '../src/config/options.ts'
import { getPublicUrl, getResourceUri, toOpenUrl } from '../src/config/public-url.ts'
import { listAuthorizationServers } from '../src/credentials.ts'
import type { HttpSessions, ServerFacts, ServerParts, ServerWork } from '../src/doors/built-in.ts'
import { handleClientMessage } from '../src/doors/session-messages.ts'
import { openSession } from '../src/legacy/open.ts'
import { isListed } from '../src/methods/lists.ts'
import { toErrorEnding } from '../src/observability/request-ended.ts'
import { createErrorAnswer } from '../src/request/answer.ts'
import type { Runtime } from '../src/runtime.ts'
import { isGone } from '../src/transport/http-versions.ts'
import { answerRequest, assertMayListen, openStream, type SessionRuntime } from './session-requests.ts'

export const createParts = (app: FastifyInstance, runtime: Runtime, resolved: ResolvedOptions): ServerParts => ({
  facts: createFacts(runtime, resolved),
  work: createWork(runtime),
  sessions: createSessions(runtime, app[GUARDS].checkMedia),
})

export function createFacts(runtime: Runtime, resolved: ResolvedOptions): ServerFacts {
  const { settings } = resolved
  const { doors, ways, catalog } = runtime
  const fixedUrl = findFixedUrl(resolved)
  return {
    options: resolved,
    get authorizationServers() {
      return listAuthorizationServers(ways)
    },
    credentials: ways.map(({ credential }) => credential),
    isDoorOpen: name => doors.isOpen(name),
    getClientUrl: request => fixedUrl ?? getOpenedUrl(request, getPublicUrl(settings)),
    isUrlFixed: fixedUrl !== undefined,
    catalog,
    isListed: (entry, caller, client) => isListed(runtime, entry, caller, client),
  }
}

/**
 * The URL that is the same for every browser: PUBLIC_URL, else the URL for which clients get tokens.
 */
function findFixedUrl({ settings, namedUrl, metadataUrl }: ResolvedOptions): string | undefined {
  if (namedUrl !== undefined) return namedUrl
  // The metadata name this URL, and clients compare it with the URL that they open (RFC 9728, 3.3).
  // A token that the user copies works wherever the server is.
  const isCompared = metadataUrl !== undefined && acceptsTokens(settings) && settings.jwtAudience === undefined
  return isCompared ? getResourceUri(settings) : undefined
}

/** The URL under which the browser has found this server. The guards have checked the host. */
function getOpenedUrl({ host, protocol }: FastifyRequest, url: URL): string {
  // A trusted proxy may pass on any name that its client gives to the protocol.
  const scheme = protocol === 'https' ? 'https' : 'http'
  // Of the host, only the port can be invalid here: out of range.
  const opened = URL.parse(url.pathname, `${scheme}://${host}`)
  return toOpenUrl(opened ?? url).href
}

const createWork = ({ events, owners, secretMask, access, audit, executor }: Runtime): ServerWork => ({
  ...{ events, owners, secretMask, access, audit },
  admission: executor.admission,
})

const createSessions = (runtime: SessionRuntime, checkMedia: onRequestHookHandler): HttpSessions => ({
  registry: runtime.sessions,
  checkMedia,
  findOwner: ({ caller }) => runtime.owners.find(caller),
  openStream(request, reply) {
    assertMayListen(runtime, request)
    // The client may have left meanwhile. A destroyed socket emits no further `close`.
    return isGone(reply.raw) ? undefined : openStream(runtime, reply)
  },
  begin: (params, facts) => openSession(runtime.sessions, params, facts),
  answer: (asked, message) => answerRequest(runtime, asked, message),
  take: (session, message) => handleClientMessage(runtime.sessions, session, message),
  refuse(request, { id }, error) {
    const answer = createErrorAnswer(error, id)
    const { status, json: responseJson } = answer
    emitHttpEnded(runtime.events, request, { ending: toErrorEnding(error), error, status, responseJson })
    return answer
  },
})
