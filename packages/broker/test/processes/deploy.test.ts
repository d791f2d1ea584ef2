// packages/broker/: the image has what the broker imports and starts with it alone; compose.yml gives
// both servers what they need to know of each other, and opens nothing that it should not.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import t from 'tap'
import { readEnvironment } from '../../../../packages/environment/src/read.ts'
import { assertBind } from '../../../../src/config/access.ts'
import { SETTINGS } from '../../../../src/config/settings.ts'
import { NO_CADDY, runCaddy } from '../../../../test/processes/deploy/caddy.ts'
import { type Document, envOf, imageEnvironment, secondsOf, yamlOf } from '../../../../test/support/deploy-files.ts'
import { freePort } from '../../../../test/support/free-port.ts'
import { start } from '../../../../test/support/servers/own-process.ts'
import { readSettings, SETTING_NAMES } from '../../src/settings.ts'
import { brokerSettings } from '../support/broker.ts'
import { upstreamServer } from '../support/upstream.ts'

const FOLDER = 'packages/broker'
const toPackage = (name: string) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
const dockerfile = readFileSync(`${FOLDER}/Dockerfile`, 'utf8')
const image = dockerfile.split(/^FROM .*$/m).at(-1)!
const { dependencies, engines } = JSON.parse(readFileSync(`${FOLDER}/package.json`, 'utf8'))
const { workspaces, engines: ownEngines } = JSON.parse(readFileSync('package.json', 'utf8'))

/** The files of the repository that the image has: each `COPY`, and what its build makes. */
const copied = [...image.matchAll(/^COPY (?:--from=build \/app\/)?(\S+) \S+$/gm)]
  .map(([, from = '']) => from)
  .filter(from => !['node_modules', 'dist'].includes(from))

t.before(() => execFileSync(process.execPath, ['scripts/build-broker.ts']))

t.test('the image has the broker as one file, and the package every library that it imports', async t => {
  const text = readFileSync(`${FOLDER}/dist/server.js`, 'utf8')
  const imported = [...text.matchAll(/^(?:import|export) (?:[^'"]*? from )?"([^"]+)"|import\("([^"]+)"\)/gm)]
  const names = new Set(imported.map(([, early, late]) => early ?? late!).filter(name => !isBuiltin(name)))

  t.strictSame(
    [...names]
      .map(toPackage)
      .filter((name, at, all) => all.indexOf(name) === at)
      .sort(),
    Object.keys(dependencies).sort(),
  )
  t.ok(copied.includes(`${FOLDER}/dist`))
  t.strictSame(engines, ownEngines)
})

t.test('npm ci of the image sees each workspace', async t => {
  for (const folder of globSync(workspaces as string[]).filter(each => existsSync(join(each, 'package.json'))))
    t.match(dockerfile, `COPY ${folder}/package.json ${folder}/`)
})

t.test('the broker starts with the files of the image, as its environment is there', async t => {
  const root = mkdtempSync(join(tmpdir(), 'toolrack-broker-image-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  for (const path of copied) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    cpSync(path, join(root, path), { recursive: true })
  }
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
  const [, environment = ''] = /^ENV (.*)$/m.exec(image) ?? []
  const own = Object.fromEntries(environment.split(' ').map(pair => pair.split('=') as [string, string]))
  const url = `http://127.0.0.1:${await freePort()}`
  const { issuer } = await upstreamServer(t, url)
  const [, program = ''] = /^CMD \["node", "([^"]+)"\]$/m.exec(image) ?? []
  const settings = { ...own, ...brokerSettings(url, issuer), HOST: '127.0.0.1', KEYS_PATH: join(root, 'keys.json') }

  await start(t, join(root, program), settings, root)

  t.match(await (await fetch(`${url}/ready`)).json(), { status: 'ok' })
  const [, check = ''] = /"bash", "\/app\/([^"]+)"/.exec(image) ?? []
  const isHealthy = (port: string) => spawnSync('bash', [join(root, check)], { env: { PORT: port } }).status === 0
  t.ok(isHealthy(new URL(url).port))
  t.notOk(isHealthy(String(await freePort())))
})

const { services, networks, volumes } = yamlOf(`${FOLDER}/compose.yml`)
const OPERATOR: Record<string, string> = {
  AUTH_HOST: 'auth.example.com',
  MCP_HOST: 'mcp.example.com',
  UPSTREAM_ISSUER: 'https://accounts.google.com',
  UPSTREAM_CLIENT_ID: 'id',
  UPSTREAM_CLIENT_SECRET: 'secret',
  ALLOWED_USERS: 'hd=example.com',
}
/** As compose fills in variables. */
const fill = (text: unknown) =>
  String(text).replace(/\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, rest = '') => {
    const value = OPERATOR[name] ?? (kind === '-' ? rest : undefined)
    if (value === undefined) throw new Error(`nobody sets ${name}`)
    return value
  })
/** As compose does: files in their order, the later wins, then what the service says itself. */
const environmentOf = (
  { env_file = [], environment }: Document,
  toolsEnv: Record<string, string> = {},
): Record<string, string> => {
  const files = env_file.map((file: unknown) => (typeof file === 'string' ? envOf(join(FOLDER, file)) : toolsEnv))
  const all: object = Object.assign({}, ...files, environment)
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, fill(value)]))
}

t.test('what compose.yml sets are settings of the two, and both start with them', async t => {
  const broker = environmentOf(services.broker)
  const server = { ...imageEnvironment(), ...environmentOf(services.toolrack) }
  const known = new Set([...Object.keys(SETTINGS), 'NODE_ENV', 'SAMPLE_DATABASE', 'SAMPLES'])

  t.strictSame(
    Object.keys(broker).filter(name => !SETTING_NAMES.includes(name)),
    [],
  )
  t.strictSame(
    Object.keys(server).filter(name => !known.has(name)),
    [],
  )
  t.match(readSettings({ ...broker, KEYS_PATH: '/data/keys.json' }), { BROKER_URL: 'https://auth.example.com' })
  t.doesNotThrow(() => assertBind('0.0.0.0', readEnvironment(server)))
})

t.test('compose.yml passes each setting of the broker that it does not choose itself', async t => {
  const ofTheImage = ['HOST', 'PORT', 'LOG_LEVEL', 'KEYS_PATH', 'SIGNING_KEYS', 'REDIS_PREFIX']

  t.strictSame(SETTING_NAMES.filter(name => !(name in services.broker.environment)).sort(), ofTheImage.sort())
})

t.test('the server reads the tools of a folder that is there, and cannot write them', async t => {
  const [folder = '', path, mode] = fill(services.toolrack.volumes[0]).split(':')

  t.strictSame([path, mode], [imageEnvironment()['TOOLS_DIR'], 'ro'])
  t.ok(globSync('*.js', { cwd: join(FOLDER, folder) }).length > 0)
})

t.test('the server takes the tokens that the broker makes for it', async t => {
  const broker = environmentOf(services.broker)
  const server = environmentOf(services.toolrack)

  t.equal(server['JWT_ISSUER'], broker['BROKER_URL'])
  t.equal(server['PUBLIC_URL'], broker['RESOURCE_URL'])
  t.strictSame(services.caddy.networks.front.aliases.map(fill), [OPERATOR['AUTH_HOST']])
  t.equal(broker['SCOPES'], server['SCOPES_SUPPORTED'])
  t.equal(broker['CLAIMS'], server['JWT_CLAIMS'])
})

t.test('compose.yml lets the broker answer what is under way', async t => {
  const [, closeMs = ''] = /CLOSE_MS = ([\d_]+)/.exec(readFileSync(`${FOLDER}/src/server.ts`, 'utf8')) ?? []

  t.ok(secondsOf(services.broker.stop_grace_period) * 1000 > Number(closeMs.replaceAll('_', '')))
})

t.test('a variable that nobody can guess is asked for, with what it means', async t => {
  const text = readFileSync(`${FOLDER}/compose.yml`, 'utf8')

  for (const name of Object.keys(OPERATOR)) t.match(text, new RegExp(`\\$\\{${name}:\\?[^}]{10,}\\}`), name)
})

t.test('Caddy is the only one that is published, and trusted for addresses; Redis is apart', async t => {
  for (const [name, { ports }] of Object.entries<Document>(services))
    t.strictSame(ports, name === 'caddy' ? ['80:80', '443:443'] : undefined, name)
  for (const name of ['broker', 'toolrack'])
    t.equal(services[name].environment.TRUST_PROXY, networks.front.ipam.config[0].subnet, name)
  for (const name of ['redis', 'broker-redis']) {
    t.strictSame(services[name].networks, ['back'])
    t.match(services[name].command, /--maxmemory \d+mb --maxmemory-policy noeviction/)
  }
  t.equal(networks.back.internal, true)
  for (const volume of ['keys', 'certificates', 'redis', 'broker-redis']) t.ok(volume in volumes)
})

t.test('the broker, which strangers write to, has a Redis of its own', async t => {
  t.equal(services.broker.environment.REDIS_URL, 'redis://broker-redis:6379')
  t.equal(services.toolrack.environment.REDIS_URL, 'redis://redis:6379')
  t.strictSame(Object.keys(services.broker.depends_on), ['broker-redis'])
  t.notSame(services.redis.volumes, services['broker-redis'].volumes)
})

t.test('tools.env wins over what has a default, and not over what compose.yml depends on', async t => {
  const toolsEnv = { SAMPLES: 'true', JWT_CLAIMS: 'email,tenant', SCOPES_SUPPORTED: 'mcp prices:read' }

  t.match(environmentOf(services.toolrack, toolsEnv), toolsEnv)
  t.strictSame(Object.keys(services.toolrack.environment), [
    'PUBLIC_URL',
    'JWT_ISSUER',
    'REDIS_URL',
    'TRUST_PROXY',
    'DRAIN_MS',
  ])
})

t.test('every container of compose.yml is hardened, and has limits', async t => {
  for (const [name, service] of Object.entries<Document>(services)) {
    t.match(service, { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] }, name)
    t.strictSame(service.cap_add, name === 'caddy' ? ['NET_BIND_SERVICE'] : undefined, name)
    t.match(fill(service.mem_limit), /^\d+[mg]$/, name)
    t.equal(fill(service.cpus), '1', name)
    t.ok(service.pids_limit >= 128, name)
  }
})

t.test('Caddy understands its file', { skip: NO_CADDY }, async t => {
  const names = { AUTH_HOST: 'auth.localhost', MCP_HOST: 'mcp.localhost' }
  Object.assign(process.env, names)
  t.teardown(() => {
    for (const name of Object.keys(names)) delete process.env[name]
  })
  const { status, text } = runCaddy(t, 'validate', '--config', `${FOLDER}/Caddyfile`, '--adapter', 'caddyfile')

  t.equal(status, 0, text)
})

t.test('no file of the broker is left out of the image by .dockerignore', async t => {
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n').filter(Boolean)

  for (const path of [...copied, ...globSync(`${FOLDER}/src/**/*.ts`)])
    t.notOk(
      ignored.some(each => path === each || path.startsWith(`${each}/`)),
      path,
    )
})
