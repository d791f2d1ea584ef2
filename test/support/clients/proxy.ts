// A TCP proxy, whose connections a test can cut.
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import type { Test } from 'tap'

export interface TcpProxy {
  readonly url: string
  /** Every connection ends, for both sides. */
  cut(): void
  /** Every connection ends for the client; the server does not notice. */
  lose(): void
}

/** Before the server at `port`; closes with the test. */
export async function proxyTo(t: Test, port: number): Promise<TcpProxy> {
  const clients = new Set<net.Socket>()
  const servers = new Set<net.Socket>()
  const destroy = (sockets: Set<net.Socket>) => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  const proxy = net.createServer(client => {
    const server = net.connect(port, '127.0.0.1')
    clients.add(client)
    servers.add(server)
    client.on('error', () => {}).on('end', () => server.end())
    server.on('error', () => {}).on('close', () => client.destroy())
    client.on('data', chunk => server.write(chunk))
    server.on('data', chunk => client.writable && client.write(chunk))
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const cut = () => {
    destroy(clients)
    destroy(servers)
  }
  t.teardown(() => {
    cut()
    proxy.close()
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`, cut, lose: () => destroy(clients) }
}
