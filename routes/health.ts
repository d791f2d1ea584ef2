// GET /health: alive. GET /ready: takes calls; 503 while starting or draining, and as long as nothing can be read of the
// tools folder. What works only in part is named there.
import type { FastifyInstance } from 'fastify'
import type { Inflight } from '../src/inflight.ts'
import type { FolderFault } from '../src/registry/folder.ts'
import type { State } from '../src/state/state.ts'

export interface HealthOptions {
  readonly inflight: Inflight
  readonly state: Pick<State, 'degraded'>
  /** Undefined where there is none. */
  readonly folder: { readonly fault: FolderFault | undefined } | undefined
}

export async function healthRoutes(app: FastifyInstance, { inflight, state, folder }: HealthOptions) {
  let isStarted = false
  app.addHook('onReady', async () => {
    isStarted = true
  })

  app.get('/health', () => ({ status: 'ok' }))
  app.get('/ready', (_request, reply) => {
    if (!isStarted || inflight.isDraining) return reply.code(503).send({ status: isStarted ? 'draining' : 'starting' })
    const fault = folder?.fault
    const degraded = [...state.degraded(), ...(fault === undefined ? [] : [explain(fault)])]
    // One that is missing may be meant to be, and come later.
    const mayServe = fault === undefined || fault.wasRead || fault.isMissing
    const status = mayServe ? 'ready' : 'starting'
    return reply.code(mayServe ? 200 : 503).send(degraded.length === 0 ? { status } : { status, degraded })
  })
}

const explain = ({ reason, wasRead }: FolderFault) =>
  `tools folder: it cannot be read (${reason}); ${wasRead ? 'what it served before stays' : 'nothing of it is served'}`
