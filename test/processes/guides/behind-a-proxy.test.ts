// docs/guides/behind-a-proxy.md: nginx and Caddy with the files of the page, over TLS: calls, streams that come at once, clients
// that leave, and a path before the endpoint. The file of Traefik is read only.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { until } from '../../support/eventually.ts'
import { freePort } from '../../support/free-port.ts'
import { guideProject, type Project, type Running, readPage } from '../../support/guide.ts'
import { NO_CADDY } from '../deploy/caddy.ts'

const PAGE = 'docs/guides/behind-a-proxy.md'
const page = readPage(PAGE)
const key = page.take('sh', 'key create')
const start = page.take('sh', 'PUBLIC_URL=https://mcp.example/mcp')
const caddyfile = page.take('caddyfile', 'mcp.example {')
const nginx = page.take('nginx', 'listen 443')
const traefik = page.take('yaml', 'routers:')
const caddyBelow = page.take('caddyfile', 'handle_path')
const startBelow = page.take('sh', 'export PUBLIC_URL')
const doctor = page.take('sh', 'toolrack doctor')
const listen = page.take('sh', 'subscriptions/listen')

const NO_NGINX =
  spawnSync('nginx', ['-v']).status === 0 ? false : 'SKIPPED: nginx is not installed (apt-get install nginx-light)'

const SLOW = `import { setTimeout as sleep } from 'node:timers/promises'
export default {
  name: 'slow',
  description: 'Reports and waits.',
  timeout: '5 minutes',
  async handler(_args, { progress, signal }) {
    progress(1, 2, 'it has begun')
    await sleep(250_000, undefined, { signal })
    return 'done'
  },
}
`

interface Site {
  readonly project: Project
  /** Localhost with the port of the proxy, in place of the name on the page. */
  readonly host: string
  readonly port: number
  readonly server: Running
  /** Of whoever calls by way of the proxy. */
  readonly env: Record<string, string>
  /** A block of the page for this site. */
  localize(block: string): string
}

/** A server with the settings of the page, for a proxy that has this certificate. */
async function site(t: Test, command: string, extra: Record<string, string> = {}): Promise<Site> {
  const project = await guideProject(t, 'behind-a-proxy', { 'tools/slow.js': SLOW })
  const port = await freePort()
  const host = `localhost:${port}`
  const localize = (block: string) =>
    block
      .replaceAll('https://mcp.example', `https://${host}`)
      .replaceAll('https://example.com', `https://${host}`)
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${project.port}`)
  const certificate = `openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout privkey.pem -out fullchain.pem`
  await project.run(certificate)
  const { stdout } = await project.run(`${key.trim()} --raw`)
  const server = await project.start(localize(command), extra)
  const ca = join(project.folder, 'fullchain.pem')
  const env = { TOKEN: stdout.trim(), TOOLRACK_TOKEN: stdout.trim(), CURL_CA_BUNDLE: ca, NODE_EXTRA_CA_CERTS: ca }
  return { project, host, port, server, env, localize }
}

async function serves({ project, env }: Site, url: string): Promise<void> {
  const isThere = async () => (await project.run(`curl -s -o /dev/null ${url}`, env)).code === 0
  await until(isThere, `${url} answers`)
}

async function startNginx(at: Site, server: string): Promise<void> {
  const folder = at.project.folder
  mkdirSync(join(folder, 'temp'))
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path temp/${name};`)
  const local = server
    .replace('listen 443', `listen ${at.port}`)
    .replace('server_name mcp.example', 'server_name localhost')
    .replaceAll('/etc/letsencrypt/live/mcp.example', folder)
  const text = `daemon off; pid nginx.pid; error_log stderr;
events {}
http { access_log off; ${paths.join(' ')}
${at.localize(local)} }`
  writeFileSync(join(folder, 'nginx.conf'), text)
  t.match(await at.project.run(`nginx -t -e stderr -p . -c nginx.conf`), { code: 0 })
  at.project.follow('exec nginx -e stderr -p . -c nginx.conf')
  await serves(at, `https://${at.host}/mcp`)
}

async function startCaddy(at: Site, site: string): Promise<void> {
  // It asks nobody for a certificate, and leaves the machine as it is.
  const global = '{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n\n'
  const own = site.replace(/^(?:mcp\.example|example\.com) \{/, `${at.host} {\n\ttls fullchain.pem privkey.pem`)
  writeFileSync(join(at.project.folder, 'Caddyfile'), global + at.localize(own))
  const env = { XDG_DATA_HOME: at.project.folder, XDG_CONFIG_HOME: at.project.folder }
  at.project.follow('exec caddy run --config Caddyfile --adapter caddyfile', env)
  await serves(at, `https://${at.host}/`)
}

/** What the page promises of a proxy in front of the server. */
async function holds(t: Test, { project, server, env, host, localize }: Site): Promise<void> {
  const examined = await project.run(localize(doctor), env)
  t.equal(examined.code, 0, examined.stdout + examined.stderr)

  const listener = project.follow(localize(listen), env)
  await until(() => listener.log.includes('notifications/subscriptions/acknowledged'), 'the stream has begun')
  t.notOk(listener.hasEnded, 'it is open')
  await listener.stop()

  const auth = '-H "Authorization: Bearer $TOKEN"'
  const call = project.follow(`curl -sN ${auth} -H 'Accept: text/event-stream' -X POST https://${host}/tools/slow`, env)
  await until(() => call.log.includes('it has begun'), 'progress comes while the call runs')
  await call.stop()
  await until(() => /\bcancelled\b/.test(server.log), 'the call ends with its client')

  const refused = await project.run(
    `curl -s -o /dev/null -w '%{http_code} %header{www-authenticate}' https://${host}/mcp \
    --json '{}'`,
    env,
  )
  t.match(refused.stdout, /^401 Bearer /)
}

t.test('nginx', { skip: NO_NGINX }, async t => {
  const at = await site(t, start)
  await startNginx(at, nginx)

  await holds(t, at)
})

t.test('Caddy', { skip: NO_CADDY }, async t => {
  const at = await site(t, start)
  await startCaddy(at, caddyfile)

  await holds(t, at)
})

/** An authorization server, so that there is metadata. */
const ISSUER = { JWT_SECRET: 'x'.repeat(32), AUTHORIZATION_SERVERS: 'https://login.example/' }

/** A server below a path is called there, and its metadata is at the root. */
async function holdsBelow(t: Test, { project, env, host }: Site): Promise<void> {
  const base = `https://${host}/shop`
  const { stdout, stderr } = await project.run(`npx toolrack list ${base}/mcp`, env)
  t.match(stdout, 'slow', stderr)
  const read = async (url: string) => JSON.parse((await project.run(`curl -s ${url}`, env)).stdout)

  const metadata = await read(`https://${host}/.well-known/oauth-protected-resource/shop/mcp`)
  t.match(metadata, { resource: `${base}/mcp`, authorization_servers: ['https://login.example/'] })
  const challenge = await project.run(
    `curl -s -o /dev/null -w '%header{www-authenticate}' ${base}/mcp --json '{}'`,
    env,
  )
  t.match(challenge.stdout, `https://${host}/.well-known/oauth-protected-resource/shop/mcp`)
}

t.test('Caddy, below a path', { skip: NO_CADDY }, async t => {
  const at = await site(t, startBelow, ISSUER)
  await startCaddy(at, caddyBelow)

  await holdsBelow(t, at)
})

t.test('nginx, below a path', { skip: NO_NGINX }, async t => {
  const location = 'location /shop/ { proxy_pass http://127.0.0.1:3000/; }'
  t.match(readFileSync(PAGE, 'utf8'), location)
  const metadata = location.replace('/shop/', '/.well-known/oauth-protected-resource/shop/').replace('3000/', '3000')
  const at = await site(t, startBelow, ISSUER)
  await startNginx(at, nginx.replace(/ {4}location[\s\S]*?\n {4}\}/, `${location}\n${metadata}`))

  await holdsBelow(t, at)
})

t.test('the file of Traefik names one service', async t => {
  const { http } = parse(traefik)

  t.strictSame(Object.keys(http.services), [http.routers.toolrack.service])
})

t.test('each block of the page was run', async t => {
  t.strictSame(page.left(), [])
})
