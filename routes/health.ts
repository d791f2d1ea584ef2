// GET /health: the process runs. GET /ready: it takes calls; lists what is degraded.
// /ready is 503 while it starts or drains, and while the tools folders say that it is not ready.
import type { FastifyInstance } from 'fastify'
import type { Inflight } from '../src/request/inflight.ts'
import type { State } from '../src/state/state.ts'

export interface HealthOptions {
  readonly inflight: Inflight
  readonly state: Pick<State, 'degraded'>
  /** Undefined if the server has no tools folder. */
  readonly folders: { readonly isReady: boolean; readonly problems: readonly string[] } | undefined
  /** Undefined without API keys. */
  readonly apiKeys?: { readonly error: string | undefined } | undefined
}

export async function healthRoutes(app: FastifyInstance, { inflight, state, folders, apiKeys }: HealthOptions) {
  let isStarted = false
  app.addHook('onReady', async () => {
    isStarted = true
  })

  app.get('/health', () => ({ status: 'ok' }))
  app.get('/ready', (_request, reply) => {
    if (!isStarted || inflight.isDraining) return reply.code(503).send({ status: isStarted ? 'draining' : 'starting' })
    const degraded = [
      ...state.degraded(),
      ...(folders?.problems ?? []),
      ...(apiKeys?.error === undefined ? [] : [`API keys: ${apiKeys.error}; those known before stay`]),
    ]
    const isReady = folders?.isReady ?? true
    const status = isReady ? 'ready' : 'starting'
    return reply.code(isReady ? 200 : 503).send(degraded.length === 0 ? { status } : { status, degraded })
  })
}
