// GET /health: alive. GET /ready: takes calls; 503 while starting or draining.
import type { FastifyInstance } from 'fastify'
import type { Inflight } from '../src/inflight.ts'

export async function healthRoutes(app: FastifyInstance, { inflight }: { inflight: Inflight }) {
  let isStarted = false
  app.addHook('onReady', async () => {
    isStarted = true
  })

  app.get('/health', () => ({ status: 'ok' }))
  app.get('/ready', (_request, reply) => {
    if (isStarted && !inflight.isDraining) return { status: 'ready' }
    return reply.code(503).send({ status: isStarted ? 'draining' : 'starting' })
  })
}
