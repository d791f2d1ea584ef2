// A server on a port that its URL was made of before it listens.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { Test } from 'tap'

export async function listenAt(t: Test, port: number, listener: RequestListener): Promise<void> {
  const server = createServer(listener).listen(port, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
}
