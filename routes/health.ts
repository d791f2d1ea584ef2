// GET /health: alive. GET /ready: takes calls; 503 while starting or draining. What works only in part is named there.
import type { FastifyInstance } from 'fastify'
import type { Inflight } from '../src/inflight.ts'
import type { State } from '../src/state/state.ts'

export interface HealthOptions {
  readonly inflight: Inflight
  readonly state: Pick<State, 'degraded'>
}

export async function healthRoutes(app: FastifyInstance, { inflight, state }: HealthOptions) {
  let isStarted = false
  app.addHook('onReady', async () => {
    isStarted = true
  })

  app.get('/health', () => ({ status: 'ok' }))
  app.get('/ready', (_request, reply) => {
    if (!isStarted || inflight.isDraining) return reply.code(503).send({ status: isStarted ? 'draining' : 'starting' })
    const degraded = state.degraded()
    return degraded.length === 0 ? { status: 'ready' } : { status: 'ready', degraded }
  })
}
