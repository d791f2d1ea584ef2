// Checks Host and Origin (DNS rebinding), media types and CORS, by headers only.
// Spec 2026-07-28: basic/transports/streamable-http, "Security & Endpoint".
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { createHostCheck, createOriginCheck, isLoopback } from '../src/config/addresses.ts'
import { getPublicUrl } from '../src/config/public-url.ts'
import type { Settings } from '../src/config/settings.ts'
import { McpError } from '../src/protocol/errors.ts'
import { parseAccept } from '../src/transport/accept.ts'
import { createMediaPattern } from '../src/transport/media-type.ts'
import { createProxyWarning } from '../src/transport/proxy-warning.ts'
import { createHostRequiredError, findTargetHost, isOriginForm, lacksHost } from '../src/transport/target-host.ts'
import { GUARDS } from './guards.ts'

const MAX_HEADERS = 2000
const JSON_TYPE_PATTERN = createMediaPattern('application/json')
const REQUEST_HEADERS =
  'Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID, ' +
  'Idempotency-Key, Prefer, Traceparent, Tracestate, Baggage'
const EXPOSED_HEADERS =
  'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After, ' +
  'Location, Link, ETag, Content-Disposition, Preference-Applied'
const PARAM_HEADER = /^mcp-param-[!#$%&'*+.^_`|~0-9a-z-]+$/i
const PREFLIGHT_SECONDS = '600'

const checkMedia: onRequestHookHandler = (request, _reply, done) => {
  const { accept, 'content-type': contentType } = request.headers
  if (contentType !== 'application/json' && !(contentType !== undefined && JSON_TYPE_PATTERN.test(contentType))) {
    return done(new McpError('UNSUPPORTED_MEDIA_TYPE', 'expected Content-Type: application/json, in UTF-8'))
  }
  const { json, sse } = parseAccept(accept)
  if (!json && !sse) return done(new McpError('NOT_ACCEPTABLE', 'expected Accept: application/json, text/event-stream'))
  done()
}

function allowOrigin(reply: FastifyReply, origin: string): void {
  reply
    .header('access-control-allow-origin', origin)
    .header('access-control-expose-headers', EXPOSED_HEADERS)
    .header('vary', 'Origin')
}

function answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const asked = request.headers['access-control-request-headers'] ?? ''
  const params = asked
    .split(',')
    .map(name => name.trim())
    .filter(name => PARAM_HEADER.test(name))
  return reply
    .code(204)
    .header('access-control-allow-methods', 'POST, GET, DELETE')
    .header('access-control-allow-headers', [REQUEST_HEADERS, ...params].join(', '))
    .header('access-control-max-age', PREFLIGHT_SECONDS)
    .send()
}

/**
 * Whether the request comes from the console, under any name of ALLOWED_HOSTS; the host has been
 * checked.
 */
const isOwnPage = ({ headers, host, protocol }: FastifyRequest): boolean => headers.origin === `${protocol}://${host}`

async function security(app: FastifyInstance, settings: Settings) {
  const publicUrl = getPublicUrl(settings)
  const isAllowedHost = createHostCheck(settings.allowedHosts, publicUrl)
  // Nearly all requests have the same host, and comparing it whole is fast.
  let lastHost: string | undefined
  const findHostError = (request: FastifyRequest): McpError | undefined => {
    if (lacksHost(request)) return createHostRequiredError()
    const { host, headers } = request
    // A repeated Host header is invalid, even with an absolute URL.
    const named = headers.host?.includes(',') ? undefined : findTargetHost(request)
    // Ignores Host beside an absolute URL, but not a host forwarded by a trusted proxy.
    const hosts =
      named === undefined ? [host] : host === headers.host || headers.host === undefined ? [named] : [named, host]
    const forbidden = hosts.find(each => !isAllowedHost(each))
    return forbidden === undefined ? undefined : new McpError('FORBIDDEN_HOST', forbidden)
  }
  // On this machine, the port of the settings may belong to another program: an app may listen
  // elsewhere.
  const isNamed = settings.publicUrl !== undefined || !isLoopback(publicUrl.hostname)
  const isAllowedOrigin = createOriginCheck(settings.allowedOrigins, isNamed ? publicUrl : undefined)
  const warnOfProxy = createProxyWarning(app.log)

  app[GUARDS].checkOrigin = (request, reply, done) => {
    warnOfProxy(request)
    if (request.raw.rawHeaders.length > MAX_HEADERS * 2)
      return done(new McpError('TOO_MANY_HEADERS', `at most ${MAX_HEADERS}`))
    const { host } = request
    if (host !== lastHost || !isOriginForm(request)) {
      const fault = findHostError(request)
      if (fault !== undefined) return done(fault)
      // With an absolute URL the host was not compared.
      if (isOriginForm(request)) lastHost = host
    }
    const { origin } = request.headers
    if (origin === undefined) return done()
    if (!isAllowedOrigin(origin) && !isOwnPage(request)) return done(new McpError('FORBIDDEN_ORIGIN', origin))
    allowOrigin(reply, origin)
    done()
  }
  app[GUARDS].checkMedia = checkMedia
  app[GUARDS].answerPreflight = answerPreflight
}

export default fp(security, { name: 'toolrack-security' })
