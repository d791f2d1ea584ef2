// Hosts that only a proxy reaches, over TLS with a certificate of a private authority.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import tls from 'node:tls'
import type { Test } from 'tap'
import { tempFolder } from '../tools-folder.ts'

export interface PrivateNetwork {
  /** What a process needs to reach the hosts. */
  readonly env: Readonly<Record<string, string>>
  /** What the proxy was asked for, in order, as `issuer.internal:443`. */
  readonly asked: string[]
}

export const PROXY_PASSWORD = 'password-of-the-proxy-4711'
const AUTHORIZATION = `Basic ${Buffer.from(`toolrack:${PROXY_PASSWORD}`).toString('base64')}`

/** @param hosts from a name to the origin behind it, which speaks plain HTTP */
export async function privateNetwork(t: Test, hosts: Readonly<Record<string, string>>): Promise<PrivateNetwork> {
  const { authority, key, certificate } = makeCertificates(tempFolder(t, {}, 'certificates').path, Object.keys(hosts))
  const terminator = tls.createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, socket => {
    const { port } = new URL(hosts[socket.servername || '']!)
    connect(socket, net.connect(Number(port), '127.0.0.1'))
  })
  const secure = await listen(t, terminator)
  const asked: string[] = []
  const proxy = createServer((incoming, answer) => {
    asked.push(new URL(incoming.url!).host)
    const { method, headers, url } = incoming
    incoming.pipe(
      request(url!, { method, headers }, reply => reply.pipe(answer.writeHead(reply.statusCode!, reply.headers))),
    )
  })
  proxy.on('connect', ({ url = '', headers }: IncomingMessage, socket: net.Socket) => {
    asked.push(url)
    const [host = '', port] = url.split(':')
    if (headers['proxy-authorization'] !== AUTHORIZATION)
      return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    if (!Object.hasOwn(hosts, host) && host !== '127.0.0.1') return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const target = net.connect(host === '127.0.0.1' ? Number(port) : secure, '127.0.0.1')
    target.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      connect(socket, target)
    })
  })
  const url = `http://toolrack:${PROXY_PASSWORD}@127.0.0.1:${await listen(t, proxy)}`
  const env = { HTTPS_PROXY: url, HTTP_PROXY: url, NODE_EXTRA_CA_CERTS: authority }
  return { env, asked }
}

function connect(one: net.Socket, other: net.Socket): void {
  one.on('error', () => other.destroy()).pipe(other)
  other.on('error', () => one.destroy()).pipe(one)
}

async function listen(t: Test, server: net.Server): Promise<number> {
  const sockets = new Set<net.Socket>()
  server.on('connection', socket => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

/** The files of an authority, and of a certificate of it for the names. */
export function makeCertificates(folder: string, names: readonly string[]) {
  const at = (name: string) => join(folder, name)
  const make = (name: string, subject: string, ...options: readonly string[]) => {
    const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`), '-subj', `/CN=${subject}`, '-days', '2']
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    const { status, stderr } = spawnSync('openssl', ['req', '-x509', ...kind, ...files, ...options])
    if (status !== 0) throw new Error(`openssl made no certificate: ${stderr}`)
  }
  make('authority', 'Private authority')
  const alternative = `subjectAltName=${names.map(name => `DNS:${name}`).join()}`
  const by = ['-CA', at('authority.pem'), '-CAkey', at('authority.key')]
  make('host', 'host', ...by, '-addext', alternative, '-addext', 'basicConstraints=critical,CA:FALSE')
  return { authority: at('authority.pem'), key: at('host.key'), certificate: at('host.pem') }
}
