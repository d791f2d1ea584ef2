// GET /health: the process runs. GET /ready: it takes calls; lists degraded parts. /ready is 503
// while the server starts or drains, and while a part is not ready: the tools folders, the issuers
// until they have had their keys once, or the audit if calls require it.
import type { FastifyInstance } from 'fastify'
import type { Inflight } from '../src/request/inflight.ts'

/** A part of a server whose health is shown. */
export interface HealthPart {
  /** Default: true. */
  readonly isReady?: boolean
  /** The status of the server while the part is not ready; default: starting. */
  readonly status?: 'refusing'
  readonly problems: readonly string[]
}

export interface HealthOptions {
  readonly inflight: Inflight
  readonly parts: readonly HealthPart[]
}

export async function healthRoutes(app: FastifyInstance, { inflight, parts }: HealthOptions) {
  let isStarted = false
  app.addHook('onReady', async () => {
    isStarted = true
  })

  app.get('/health', () => ({ status: 'ok' }))
  app.get('/ready', (_request, reply) => {
    if (!isStarted || inflight.isDraining) return reply.code(503).send({ status: isStarted ? 'draining' : 'starting' })
    const degraded = parts.flatMap(({ problems }) => problems)
    const unready = parts.find(({ isReady }) => isReady === false)
    const isReady = unready === undefined
    const status = isReady ? 'ready' : (unready.status ?? 'starting')
    return reply.code(isReady ? 200 : 503).send(degraded.length === 0 ? { status } : { status, degraded })
  })
}
