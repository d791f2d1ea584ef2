// A small reverse proxy: each request goes to the next replica, whatever it belongs to. What cannot be sent to one goes to
// the next; what has been sent is not sent again, since it may have been done.
import http, { type IncomingMessage, type ServerResponse } from 'node:http'

export interface Proxy {
  readonly url: string
  readonly port: number
  /** Requests that no replica took. */
  readonly failed: number
  close(): Promise<void>
}

/** @param ports of the replicas, looked up for each request @param port 0 for a free one */
export async function startProxy(ports: () => readonly number[], port = 0): Promise<Proxy> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 20_000 })
  let turn = 0
  let failed = 0

  function forward(request: IncomingMessage, response: ServerResponse, body: Buffer, left: readonly number[]): void {
    const [target, ...others] = left
    if (target === undefined) {
      failed++
      response.writeHead(502, { 'content-type': 'text/plain' }).end('no replica')
      return
    }
    let isSent = false
    const { method, url, headers } = request
    const upstream = http.request({ host: '127.0.0.1', port: target, method, path: url, headers, agent }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      // A stream is there before its first event.
      response.flushHeaders()
      answer.pipe(response)
      answer.on('error', () => response.destroy())
    })
    upstream.on('socket', socket => {
      if (socket.connecting) socket.once('connect', () => (isSent = true))
      else isSent = true
    })
    upstream.on('error', () => {
      if (!isSent) forward(request, response, body, others)
      else if (response.headersSent) response.destroy()
      else {
        failed++
        response.writeHead(502, { 'content-type': 'text/plain' }).end('the replica ended')
      }
    })
    response.on('close', () => upstream.destroy())
    upstream.end(body)
  }

  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const all = ports()
      const first = turn++ % Math.max(1, all.length)
      forward(request, response, Buffer.concat(chunks), [...all.slice(first), ...all.slice(0, first)])
    })
    request.on('error', () => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const address = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    port: address.port,
    get failed() {
      return failed
    },
    async close() {
      agent.destroy()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
