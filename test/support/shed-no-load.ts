// A server of tests takes requests however late a busy machine lets it run, or lets them come: what a test asks for is else
// refused with 503, or with 408. The real bounds have tests of their own: http/plugins/load.test.ts, processes/exhaustion/e-slowloris.test.ts.
import type { FastifyInstance } from 'fastify'

/** How long a request may take to come, ms; Node counts from the connection on. */
const PATIENCE_MS = 300_000

type Bounds = Pick<FastifyInstance['server'], 'headersTimeout' | 'requestTimeout'>

const realBounds = new WeakMap<FastifyInstance['server'], Bounds>()

export function shedNoLoad<App extends FastifyInstance>(app: App): App {
  app.isUnderPressure = () => false
  const { headersTimeout, requestTimeout } = app.server
  realBounds.set(app.server, { headersTimeout, requestTimeout })
  Object.assign(app.server, { headersTimeout: PATIENCE_MS, requestTimeout: PATIENCE_MS })
  return app
}

/** Requests have to come in time again, as in service. */
export function boundRequests({ server }: Pick<FastifyInstance, 'server'>): void {
  Object.assign(server, realBounds.get(server))
}
