// GET /health: the process runs. GET /ready: it takes calls; lists what is degraded.
// /ready is 503 while it starts or drains, and while an existing tools folder has never been read.
import type { FastifyInstance } from 'fastify'
import type { FolderError } from '../src/registry/folder/tools-folder.ts'
import type { Inflight } from '../src/request/inflight.ts'
import type { State } from '../src/state/state.ts'

export interface HealthOptions {
  readonly inflight: Inflight
  readonly state: Pick<State, 'degraded'>
  /** Undefined if the server has no tools folder. */
  readonly folders: { readonly errors: readonly FolderError[] } | undefined
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
    const errors = folders?.errors ?? []
    const degraded = [
      ...state.degraded(),
      ...errors.map(explainFolderError),
      ...(apiKeys?.error === undefined ? [] : [`API keys: ${apiKeys.error}; those known before stay`]),
    ]
    // A missing folder may be intended, and may be created later.
    const mayServe = errors.every(({ wasRead, isMissing }) => wasRead || isMissing)
    const status = mayServe ? 'ready' : 'starting'
    return reply.code(mayServe ? 200 : 503).send(degraded.length === 0 ? { status } : { status, degraded })
  })
}

const explainFolderError = ({ folder, reason, wasRead }: FolderError) =>
  `tools folder ${folder}: it cannot be read (${reason}); ${wasRead ? 'what it served before stays' : 'nothing of it is served'}`
