// `GET /metrics` on a separate port, so that no proxy leads strangers to it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { METRICS_TYPE } from './metrics.ts'

export interface MetricsAddress {
  readonly host: string
  readonly port: number
}

/** Serves as long as the app does. */
export function addMetricsServer(
  app: FastifyInstance,
  { host, port }: MetricsAddress,
  read: () => Promise<string>,
): void {
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': METRICS_TYPE }).end(await read())
  })
  app.addHook('onReady', async () => {
    server.listen(port, host)
    await once(server, 'listening')
    app.log.info({ host, port }, 'metrics')
  })
  app.addHook('onClose', async () => {
    server.close()
    server.closeAllConnections()
  })
}
