// An issuer's set of keys on a port of its own, which answers, fails or stalls as a test tells it.
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

export type Answer = (response: http.ServerResponse) => void

export interface JwksServer {
  readonly url: string
  /** Requests so far. */
  fetches: number
  answer: Answer
  close(): Promise<void>
}

export const keys =
  (...jwks: unknown[]): Answer =>
  response =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: jwks }))

export async function jwksServer(answer: Answer = keys()): Promise<JwksServer> {
  const server = http.createServer((_request, response) => {
    jwks.fetches++
    response.on('error', () => {})
    jwks.answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const jwks: JwksServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`,
    fetches: 0,
    answer,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return jwks
}
