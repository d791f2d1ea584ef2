// Who may reach the endpoint from where: Host and Origin (DNS rebinding), media types, CORS. Headers only.
// Spec 2026-07-28: basic/transports/streamable-http, "Security & Endpoint".
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { allowedHosts, allowedOrigins } from '../src/addresses.ts'
import type { Settings } from '../src/config.ts'
import { McpError } from '../src/protocol/errors.ts'
import { publicUrlOf } from '../src/public-url.ts'
import { accepted } from '../src/transport/accept.ts'
import { hostNeeded, isOriginForm, lacksHost, targetHost } from '../src/transport/target-host.ts'
import { unknownProxyWarning } from '../src/transport/unknown-proxy.ts'

declare module 'fastify' {
  interface FastifyInstance {
    checkOrigin: onRequestHookHandler
    checkMedia: onRequestHookHandler
    answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply
  }
}

const MAX_HEADERS = 2000
const JSON_TYPE = /^application\/json(?:[ \t]*;[ \t]*charset="?utf-8"?)?$/i
const REQUEST_HEADERS =
  'Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID'
const EXPOSED_HEADERS = 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After'
const PARAM_HEADER = /^mcp-param-[!#$%&'*+.^_`|~0-9a-z-]+$/i
const PREFLIGHT_SECONDS = '600'

const checkMedia: onRequestHookHandler = (request, _reply, done) => {
  const { accept, 'content-type': contentType } = request.headers
  if (contentType !== 'application/json' && !(contentType !== undefined && JSON_TYPE.test(contentType))) {
    return done(new McpError('UNSUPPORTED_MEDIA_TYPE', 'expected Content-Type: application/json'))
  }
  const { json, sse } = accepted(accept)
  if (!json && !sse) return done(new McpError('NOT_ACCEPTABLE', 'expected Accept: application/json, text/event-stream'))
  done()
}

function allow(reply: FastifyReply, origin: string): void {
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

async function security(app: FastifyInstance, settings: Settings) {
  const publicUrl = publicUrlOf(settings)
  const isAllowedHost = allowedHosts(settings.allowedHosts, publicUrl)
  // Nearly every request names the same host, and comparing it whole is quicker than taking it apart.
  let lastHost: string | undefined
  const faultOfHost = (request: FastifyRequest): McpError | undefined => {
    if (lacksHost(request)) return hostNeeded()
    const { host, headers } = request
    // Two hosts are none, also beside a whole URL.
    const named = headers.host?.includes(',') ? undefined : targetHost(request)
    // A Host beside a whole URL is ignored; what a trusted proxy has forwarded is not.
    const hosts =
      named === undefined ? [host] : host === headers.host || headers.host === undefined ? [named] : [named, host]
    const forbidden = hosts.find(each => !isAllowedHost(each))
    return forbidden === undefined ? undefined : new McpError('FORBIDDEN_HOST', forbidden)
  }
  const isAllowedOrigin = allowedOrigins(settings.allowedOrigins, publicUrl)
  const warnOfProxy = unknownProxyWarning(app.log)

  app.decorate<onRequestHookHandler>('checkOrigin', (request, reply, done) => {
    warnOfProxy(request)
    if (request.raw.rawHeaders.length > MAX_HEADERS * 2)
      return done(new McpError('TOO_MANY_HEADERS', `at most ${MAX_HEADERS}`))
    const { host } = request
    if (host !== lastHost || !isOriginForm(request)) {
      const fault = faultOfHost(request)
      if (fault !== undefined) return done(fault)
      // Beside a whole URL it was not compared.
      if (isOriginForm(request)) lastHost = host
    }
    const { origin } = request.headers
    if (origin === undefined) return done()
    if (!isAllowedOrigin(origin)) return done(new McpError('FORBIDDEN_ORIGIN', origin))
    allow(reply, origin)
    done()
  })
  app.decorate('checkMedia', checkMedia)
  app.decorate('answerPreflight', answerPreflight)
}

export default fp(security, { name: 'toolrack-security' })
