// What the tests of the web tools share: sites, traps that must not be touched, and names that lead where a test says.

import { promises as dns, type LookupAddress } from 'node:dns'
import { once } from 'node:events'
import net from 'node:net'
import dns2 from 'dns2'
import type { Test } from 'tap'
import { type Answer, toolModule, upstream } from './shipped.ts'

export const { webClient } = await toolModule<typeof import('../../../tools/_web/client.ts')>('_web/client.ts')
export const { allowListOf } =
  await toolModule<typeof import('../../../tools/_web/allow-list.ts')>('_web/allow-list.ts')

/** Nothing is allowed but what is public. */
export const PUBLIC_ONLY = allowListOf('FETCH_ALLOW')

export interface Site {
  readonly url: string
  /** What FETCH_ALLOW must have for it. */
  readonly host: string
  readonly port: number
  /** What it was asked for, in order. */
  readonly asked: { path: string; headers: Record<string, string | string[] | undefined> }[]
}

/** A site on 127.0.0.1; a path without an answer is 404. */
export async function site(t: Test, answers: Record<string, Answer>): Promise<Site> {
  const asked: Site['asked'] = []
  const url = await upstream(t, (request, response) => {
    const path = request.url ?? ''
    asked.push({ path, headers: request.headers })
    const answer = answers[path.split('?')[0]!]
    if (answer === undefined) response.writeHead(404).end()
    else answer(request, response)
  })
  const { host, port } = new URL(url)
  return { url, host, port: Number(port), asked }
}

export const html =
  (body: string | Buffer, contentType = 'text/html; charset=utf-8'): Answer =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': contentType }).end(body)
  }

export const redirect =
  (location: string, status = 302): Answer =>
  (_request, response) => {
    response.writeHead(status, { location }).end('gone elsewhere')
  }

/** Listens on a port of each address, and counts who comes. */
export async function trap(
  t: Test,
  addresses: readonly string[],
  port = 0,
): Promise<{ port: number; touched: number }> {
  const caught = { port, touched: 0 }
  for (const address of addresses) {
    const server = net.createServer(socket => {
      caught.touched++
      socket.destroy()
    })
    server.listen(caught.port, address)
    await once(server, 'listening')
    caught.port = (server.address() as net.AddressInfo).port
    t.teardown(() => server.close())
  }
  return caught
}

/** Every attempt of this thread to connect, TLS and addresses without a listener included. */
export function attempts(t: Test): unknown[] {
  const seen: unknown[] = []
  const { connect } = net.Socket.prototype
  t.intercept(net.Socket.prototype, 'connect', {
    value(this: net.Socket, ...args: unknown[]) {
      seen.push(args[0])
      return Reflect.apply(connect, this, args)
    },
  })
  return seen
}

/** Addresses of a name, by how often it was asked for before. */
export type Zone = (name: string, times: number) => readonly string[]

/** A name server over UDP, TTL 0. @returns how to ask it, and every name that was resolved */
export async function nameServer(t: Test, zone: Zone) {
  const times = new Map<string, number>()
  const queries: string[] = []
  const server = dns2.createServer({
    udp: true,
    handle(request, send) {
      const response = dns2.Packet.createResponseFromRequest(request)
      const [{ name, type }] = request.questions as unknown as [{ name: string; type: number }]
      const family = type === dns2.Packet.TYPE.A ? 4 : 6
      const nth = times.get(`${name} ${family}`) ?? 0
      times.set(`${name} ${family}`, nth + 1)
      queries.push(`${name} ${family}`)
      for (const address of zone(name, nth).filter(each => net.isIP(each) === family)) {
        const answer = { name, type, class: dns2.Packet.CLASS.IN, ttl: 0, address }
        response.answers.push(answer as (typeof response.answers)[number])
      }
      send(response)
    },
  })
  await server.listen({ udp: { port: 0, address: '127.0.0.1' } })
  t.teardown(() => server.close())
  const { port } = (server.addresses() as { udp: net.AddressInfo }).udp
  const resolver = new dns.Resolver({ timeout: 30_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${port}`])
  const resolved: string[] = []
  const resolve = async (name: string): Promise<LookupAddress[]> => {
    resolved.push(name)
    const [v6, v4] = await Promise.allSettled([resolver.resolve6(name), resolver.resolve4(name)])
    return [
      ...(v6.status === 'fulfilled' ? v6.value : []).map(address => ({ address, family: 6 })),
      ...(v4.status === 'fulfilled' ? v4.value : []).map(address => ({ address, family: 4 })),
    ]
  }
  return { resolve, resolved, queries }
}

/** The message that a promise fails with. */
export async function failureOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    value => {
      throw new Error(`did not fail: ${JSON.stringify(value).slice(0, 500)}`)
    },
    (error: Error) => `${error.name}: ${error.message}`,
  )
}

/** What most requests are made with. */
export const asking = () => ({ signal: new AbortController().signal, maxBytes: 5 * 2 ** 20 })
