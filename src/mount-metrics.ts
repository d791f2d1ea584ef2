// Where metrics are read: at the server itself, or where there is a METRICS_PORT, there and nowhere else.
import Fastify, { type FastifyInstance } from 'fastify'
import { metricsRoutes } from '../routes/metrics.ts'
import type { Settings } from './config.ts'
import type { Metrics } from './metrics/metrics.ts'

export async function mountMetrics(app: FastifyInstance, settings: Settings, metrics: Metrics): Promise<void> {
  const { metrics: isOn, metricsPort: port, metricsToken: token, host } = settings
  if (!isOn) return
  if (port === undefined) {
    await app.register(metricsRoutes, { metrics, token, isPrivate: false })
    return
  }
  const own = Fastify({ logger: false, requestTimeout: 10_000 })
  await own.register(metricsRoutes, { metrics, token, isPrivate: true })
  // Not when it listens: what fails there is only logged, and an operator who set a port wants to be told that it is taken.
  app.addHook('onReady', async () => {
    const url = await own.listen({ host, port })
    app.log.info({ url: `${url}/metrics` }, 'metrics')
  })
  app.addHook('onClose', () => own.close())
}
