// `toolrack doctor` against servers that cannot be reached, or not by a page, for one reason each.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer as createSecure } from 'node:https'
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import t, { type Test } from 'tap'
import { fakeServer, PAGE, preflighted, send } from '../../../../../test/support/broken-servers.ts'
import { type Row, testRows } from '../../../../../test/support/doctor-faults.ts'
import { listen } from '../../../../../test/support/servers/http-server.ts'
import { makeCertificates } from '../../../../../test/support/servers/private-network.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'

// Many processes, one after the other.
t.setTimeout(900_000)

const WITH_PAGE = ['--origin', PAGE]
const hasIpv6 = Object.values(networkInterfaces()).some(each => each?.some(({ address }) => address === '::1'))

async function secure(t: Test, names: readonly string[], listener?: RequestListener) {
  const { key, certificate, authority } = makeCertificates(tempFolder(t, {}, 'certificates').path, names)
  const server = createSecure({ key: readFileSync(key), cert: readFileSync(certificate) }, listener)
  return { port: await listenTo(t, server, '127.0.0.1'), authority }
}

async function listenTo(t: Test, server: Server, host: string): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

const ROWS: readonly Row[] = [
  {
    name: 'Access-Control-Expose-Headers is missing',
    start: t => preflighted(t, headers => void (headers['access-control-allow-origin'] = PAGE)),
    args: WITH_PAGE,
    id: 'cors-expose',
    cause: /^pages of https:\/\/app\.example cannot read mcp-session-id of an answer$/,
    fix: /Access-Control-Expose-Headers/,
  },
  {
    name: 'answers have no CORS, and the preflight does',
    start: t => preflighted(t),
    args: WITH_PAGE,
    id: 'cors-answer',
    cause: /^an answer \(200\) to https:\/\/app\.example has Access-Control-Allow-Origin: none$/,
    fix: /with each answer/,
  },
  {
    name: 'server and proxy both send CORS',
    start: t => preflighted(t, headers => Object.assign(headers, { 'access-control-allow-origin': [PAGE, PAGE] })),
    args: WITH_PAGE,
    id: 'cors-twice',
    cause: /^Access-Control-Allow-Origin comes twice: /,
    fix: /not both/,
  },
  {
    name: 'unknown methods are not answered at all',
    start: t => fakeServer(t, {}, ({ message }) => message.method === 'server/discover'),
    id: 'silent-probe',
    cause: /^server\/discover is never answered, and a handshake is$/,
    fix: /error -32601/,
  },
  {
    name: 'the host of the URL is refused',
    start: async t => {
      const url = await fakeServer(t, {}, ({ request, response }) => {
        if (request.headers.host?.startsWith('localhost') === true) return false
        send(response, 421, 'Invalid Host header', 'text/plain')
        return true
      })
      return url
    },
    id: 'host-refused',
    cause: /^refuses the host 127\.0\.0\.1:\d+ \(421\), and serves localhost:\d+$/,
    fix: /allow this host/,
  },
  {
    name: 'a page to sign in stands before the server',
    start: async t => {
      const page = await listen(t, (_request, response) => send(response, 200, '<form>', 'text/html'))
      return `${await listen(t, (_request, response) => send(response, 302, '', 'text/plain', { location: `${page}/login` }))}/mcp`
    },
    id: 'sign-in-page',
    cause: /redirects to .*\/login, a web page$/,
    fix: /pass without this sign-in/,
  },
  {
    name: 'an answer breaks off',
    start: async t =>
      `${await listen(t, (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{')
        setTimeout(() => response.destroy(), 50)
      })}/mcp`,
    id: 'broken-answer',
    cause: /^status 200 came, and the answer broke off$/,
    fix: /where does the request stop/,
  },
  {
    name: 'the port does not speak HTTP',
    start: async t => {
      const server = createTcp(socket => void socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9\r\n'))
      return `http://127.0.0.1:${await listenTo(t, server, '127.0.0.1')}/mcp`
    },
    id: 'not-http',
    cause: /^port \d+ does not speak HTTP$/,
    fix: /another program listens there/,
  },
  {
    name: 'the port speaks TLS',
    start: async t => `http://127.0.0.1:${(await secure(t, ['localhost'])).port}/mcp`,
    id: 'tls-port',
    cause: /^port \d+ speaks TLS, and the URL says http$/,
    fix: /write https/,
  },
  {
    name: 'the port does not speak TLS',
    start: async t => (await fakeServer(t, {})).replace('http:', 'https:'),
    id: 'no-tls',
    cause: /^port \d+ does not speak TLS, and the URL says https$/,
    fix: /write http instead/,
  },
  {
    name: 'a server behind TLS redirects to http',
    start: async t => {
      const location = await fakeServer(t, {})
      const { port, authority } = await secure(t, ['localhost'], (_request, response) =>
        send(response, 307, '', 'text/plain', { location }),
      )
      return { url: `https://localhost:${port}/mcp`, env: { NODE_EXTRA_CA_CERTS: authority } }
    },
    id: 'redirect-to-http',
    cause: /^https:\/\/localhost:\d+\/mcp redirects to http:\/\/127\.0\.0\.1:\d+\/mcp$/,
    fix: /X-Forwarded-Proto/,
    beside: ['certificate-ends'],
  },
  {
    name: 'TLS is asked of a port that speaks neither',
    start: async t => {
      const server = createTcp(socket => void socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9\r\n'))
      return `https://127.0.0.1:${await listenTo(t, server, '127.0.0.1')}/mcp`
    },
    id: 'tls-fails',
    cause: /^port \d+ answers, and a handshake of TLS fails there$/,
    fix: /another program may listen there/,
  },
  {
    name: 'a certificate is of an authority that clients do not know',
    start: async t => `https://localhost:${(await secure(t, ['localhost'])).port}/mcp`,
    id: 'certificate',
    cause: /^its certificate is of an unknown authority/,
    fix: /fullchain\.pem/,
  },
  {
    name: 'a certificate is for another name',
    start: async t => {
      const { port, authority } = await secure(t, ['tools.internal'])
      return { url: `https://localhost:${port}/mcp`, env: { NODE_EXTRA_CA_CERTS: authority } }
    },
    id: 'certificate',
    cause: /^its certificate is for another name$/,
    fix: /get one for this name/,
  },
  {
    name: 'the server listens on the other address of localhost',
    start: async t => `http://127.0.0.1:${await listenTo(t, createTcp(), '::1')}/mcp`,
    skip: hasIpv6 ? false : 'this machine has no ::1',
    id: 'other-loopback',
    cause: /^nothing listens at 127\.0\.0\.1:\d+, and something does at \[::1\]:\d+$/,
    fix: /let the server listen on 127\.0\.0\.1/,
  },
  {
    name: 'pages cannot read that a token is needed',
    start: t =>
      preflighted(t, (headers, answer) => {
        Object.assign(headers, { 'access-control-allow-origin': PAGE, 'www-authenticate': 'Basic realm="a"' })
        delete headers['mcp-session-id']
        answer.status = 401
      }),
    args: WITH_PAGE,
    id: 'cors-expose',
    cause: /cannot read www-authenticate of an answer$/,
    fix: /Access-Control-Expose-Headers/,
    beside: ['tokens-by-hand', 'no-token'],
  },
  {
    name: 'the challenge names metadata at an inner address',
    start: t =>
      fakeServer(t, {}, ({ response }) => {
        const header = 'Bearer resource_metadata="http://127.0.0.1:1/.well-known/oauth-protected-resource/mcp"'
        send(response, 401, '', 'text/plain', { 'www-authenticate': header })
        return true
      }),
    id: 'metadata-elsewhere',
    cause:
      /^WWW-Authenticate names http:\/\/127\.0\.0\.1:1\/.*, which is not at http:\/\/127\.0\.0\.1:\d+ \(no answer\)$/,
    fix: /build it from the public URL/,
    beside: ['no-token'],
  },
]

testRows(t, ROWS)
