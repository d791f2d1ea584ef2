// A host of metadata documents, over TLS with a certificate of its own making: what claude.ai and
// chatgpt.com are to the broker.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

export interface DocumentHost {
  readonly origin: string
  /** `address:port`, as PRIVATE_CLIENT_HOSTS takes it. */
  readonly host: string
  /** The path of the certificate, for NODE_EXTRA_CA_CERTS. */
  readonly certificate: string
  /** What it was asked for, as `GET /path`. */
  readonly asked: string[]
  /** How many connections it has seen, with or without a request. */
  connections(): number
  /** From a path to the document, or to what is sent as it is. */
  readonly documents: Map<string, Document>
}

export interface Document {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body: object | string
}

export async function documentHost(t: Test): Promise<DocumentHost> {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-documents-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const names = ['-subj', '/CN=documents', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const { status, stderr } = spawnSync('openssl', [
    'req',
    '-x509',
    ...kind,
    '-keyout',
    key,
    '-out',
    certificate,
    ...names,
  ])
  if (status !== 0) throw new Error(`openssl made no certificate: ${stderr}`)

  const asked: string[] = []
  const documents = new Map<string, Document>()
  let connections = 0
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const { status: code = 200, headers = {}, body } = documents.get(request.url!) ?? { status: 404, body: '' }
    response.writeHead(code, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  server.on('connection', () => connections++)
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin: `https://${host}`, host, certificate, asked, documents, connections: () => connections }
}
