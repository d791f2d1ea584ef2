// GET /metrics for Prometheus: on a port of its own, else for this machine or a caller with the
// token. Access is limited since metrics reveal tool names and usage.
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Metrics } from '../src/observability/metrics.ts'
import { isLocalRequest } from '../src/transport/local-request.ts'

export interface MetricsRouteOptions {
  readonly metrics: Metrics
  /** Asked at each request, since it may change. */
  findToken(): string | undefined
  /** The route has a port of its own, so callers need no token unless one is set. */
  readonly isPrivate: boolean
}

export async function metricsRoutes(app: FastifyInstance, { metrics, findToken, isPrivate }: MetricsRouteOptions) {
  app.get('/metrics', async (request: FastifyRequest, reply: FastifyReply) => {
    const token = findToken()
    if (!mayRead(request, token)) return refuse(reply, token)
    return reply.type(metrics.contentType).send(await metrics.text())
  })

  function mayRead(request: FastifyRequest, token: string | undefined): boolean {
    if (token !== undefined && hasToken(request, token)) return true
    return isPrivate ? token === undefined : request.headers.origin === undefined && isLocalRequest(request)
  }
}

function refuse(reply: FastifyReply, token: string | undefined): FastifyReply {
  if (token === undefined)
    return reply
      .code(403)
      .send({ error: 'metrics are for this machine; set METRICS_TOKEN to read them from elsewhere' })
  reply.header('www-authenticate', 'Bearer realm="metrics"')
  return reply.code(401).send({ error: 'expected Authorization: Bearer, and the METRICS_TOKEN' })
}

// RFC 9110, 11.1: the scheme is case-insensitive.
function hasToken({ headers }: FastifyRequest, token: string): boolean {
  const sent = Buffer.from(headers.authorization?.replace(/^bearer /i, 'Bearer ') ?? '')
  const wanted = Buffer.from(`Bearer ${token}`)
  return sent.length === wanted.length && timingSafeEqual(sent, wanted)
}
