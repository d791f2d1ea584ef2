// GET /metrics for Prometheus. On a separate port, or else for this machine or a caller with the
// token. Access is limited because metrics reveal tool names and usage.
import { timingSafeEqual } from 'node:crypto'
import { Registry } from '@prometheus-io/client'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { isLocalRequest } from 'toolrack/http'
import type { Runtime } from 'toolrack/server'

/** Serves metrics on METRICS_PORT if it is set, else on the server itself. */
export async function mountMetrics(app: FastifyInstance, { settings, liveSettings, metrics }: Runtime): Promise<void> {
  const { metricsPort: port, host } = settings
  const findToken = () => liveSettings.current.metricsToken
  if (port === undefined) {
    await app.register(metricsRoutes, { metrics, findToken, isPrivate: false })
    return
  }
  const own = Fastify({ logger: false, requestTimeout: 10_000 })
  await own.register(metricsRoutes, { metrics, findToken, isPrivate: true })
  // In onReady, since an error in onListen is only logged; a port in use must stop the start.
  app.addHook('onReady', async () => {
    const url = await own.listen({ host, port })
    app.log.info({ url: `${url}/metrics` }, 'metrics')
  })
  app.addHook('onClose', () => own.close())
}

interface RouteOptions extends Pick<Runtime, 'metrics'> {
  /** Called at each request, since the token may change. */
  findToken(): string | undefined
  /** The route has its own port, so callers need no token unless one is set. */
  readonly isPrivate: boolean
}

async function metricsRoutes(app: FastifyInstance, { metrics, findToken, isPrivate }: RouteOptions): Promise<void> {
  app.get('/metrics', async (request: FastifyRequest, reply: FastifyReply) => {
    const token = findToken()
    if (!mayRead(request, token)) return refuse(reply, token)
    return reply.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await metrics.text())
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
