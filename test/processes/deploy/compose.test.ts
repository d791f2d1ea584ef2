// docker-compose.yml says what the server, Caddy and Redis understand, and opens nothing that it should not.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { readEnvironment } from '../../../packages/environment/src/read.ts'
import { assertBind } from '../../../src/config/access.ts'
import { SETTINGS } from '../../../src/config/settings.ts'
import { build, callTool } from '../../support/app.ts'
import { type Document, envOf, exampleOf, imageEnvironment, secondsOf, yamlOf } from '../../support/deploy-files.ts'
import { CADDYFILE } from './caddy.ts'
import { CLUSTER_SETTINGS } from './manifests.ts'

const { services, networks, volumes } = yamlOf('docker-compose.yml')
const replicas: [string, Document][] = Object.entries(services).filter(([, { build }]: [string, Document]) => build)
const caddyfile = readFileSync(CADDYFILE, 'utf8')

type Variables = Record<string, string>

/** `${NAME:-default}` → what the operator sets, or its default, which may have such a form in it. */
function interpolate(text: string, given: Variables = {}): string {
  const done = text.replace(/\$\{([A-Z_]+):-([^${}]*)\}/g, (_, name: string, fallback) => given[name] || fallback)
  return done === text ? text : interpolate(done, given)
}
const byDefault = (text: string) => interpolate(String(text))

/** As compose does: files in their order, the later wins, then what the service says itself. */
function environmentOf(
  { env_file, environment }: Document,
  given: Variables = {},
  toolsEnv: Variables = {},
): Variables {
  const files: Variables[] = env_file.map((file: string | { path: string }) =>
    typeof file === 'string' ? envOf(file) : toolsEnv,
  )
  const all = Object.assign({}, ...files, environment)
  return Object.fromEntries(Object.entries<string>(all).map(([name, value]) => [name, interpolate(value, given)]))
}

t.test('there are two replicas, and both are the same', async t => {
  const [[, one], [, two], ...others] = replicas as [[string, Document], [string, Document]]

  t.strictSame(others, [])
  t.strictSame(one, two)
})

t.test('what it sets are settings of the server, which starts with them on every address', async t => {
  for (const [name, service] of replicas) {
    const environment = { ...imageEnvironment(), ...environmentOf(service) }
    const known = new Set([...Object.keys(SETTINGS), 'NODE_ENV', 'SAMPLE_DATABASE'])

    t.strictSame(
      Object.keys(environment).filter(each => !known.has(each)),
      [],
      name,
    )
    t.doesNotThrow(() => assertBind('0.0.0.0', readEnvironment(environment)))
    t.match(readEnvironment(environment), { redisUrl: /./, host: '0.0.0.0', port: 3000 })
  }
})

t.test('tools.env blanks nothing, is blanked by nothing, and wins over the shell', async t => {
  const toolsEnv = {
    JWT_ISSUER: 'https://as.example',
    STATE_SECRET: 's'.repeat(32),
    LOG_LEVEL: 'debug',
    SAMPLES: 'true',
  }
  const given = { JWT_SECRET: 'j'.repeat(32), STATE_SECRET: 'other', TOOLRACK_PORT: '8080' }
  for (const [name, service] of replicas) {
    t.match(service.env_file, ['deploy/compose.env', { path: 'tools.env', required: false }], name)
    t.match(environmentOf(service, given, toolsEnv), {
      ...toolsEnv,
      JWT_SECRET: given.JWT_SECRET,
      PUBLIC_URL: 'http://127.0.0.1:8080/mcp',
      ALLOW_ANONYMOUS: 'true',
    })
    // What the service says itself would win over tools.env, so it says only what the file depends on.
    t.strictSame(Object.keys(service.environment), ['REDIS_URL', 'TRUST_PROXY', 'METRICS_PORT', 'DRAIN_MS'])
  }
})

t.test('every container has limits of memory, processors and processes', async t => {
  for (const [name, { mem_limit, cpus, pids_limit }] of Object.entries<Document>(services)) {
    t.match(byDefault(mem_limit), /^\d+[mg]$/, name)
    // More than a machine has stops the start.
    t.equal(byDefault(cpus), '1', name)
    t.ok(pids_limit >= 128, name)
  }
})

t.test('Caddy knows every replica, and is the only one that is published, on loopback', async t => {
  const [, upstreams = ''] = /\{\$REPLICAS:([^}]*)\}/.exec(caddyfile) ?? []
  const [, port] = /\{\$PORT:(\d+)\}/.exec(caddyfile) ?? []

  t.strictSame(
    upstreams.split(' '),
    replicas.map(([name]) => `${name}:3000`),
  )
  for (const [name, { ports, profiles }] of Object.entries<Document>(services))
    if (profiles === undefined)
      t.strictSame(ports?.map(byDefault), name === 'caddy' ? [`127.0.0.1:3000:${port}`] : undefined, name)
  t.equal(interpolate(services.caddy.ports[0], { TOOLRACK_PORT: '8080' }), `127.0.0.1:8080:${port}`)
  t.strictSame(services.caddy.volumes, [`./${CADDYFILE}:/etc/caddy/Caddyfile:ro`])
})

t.test('a replica trusts what the network of Caddy says of addresses, and Redis is not in it', async t => {
  const { subnet } = networks.front.ipam.config[0]

  for (const [name, { environment, networks: joined }] of replicas) {
    t.equal(environment.TRUST_PROXY, subnet, name)
    t.strictSame(joined, ['front', 'back'], name)
  }
  t.match(services, { caddy: { networks: ['front'] }, redis: { networks: ['back'] } })
  t.equal(networks.back.internal, true)
})

t.test('Redis keeps what it is told, on a volume, and refuses before it forgets', async t => {
  const { command, volumes: mounted } = services.redis
  const options = String(command)

  t.match(options, '--appendonly yes')
  t.match(options, '--maxmemory-policy noeviction')
  t.match(options, /--maxmemory \d+mb/)
  t.strictSame(mounted, ['redis:/data'])
  t.ok('redis' in volumes)
  for (const [, { environment, depends_on }] of replicas) {
    t.equal(new URL(environment.REDIS_URL).hostname, 'redis')
    t.match(depends_on, { redis: { condition: 'service_healthy' } })
  }
})

t.test('every container is hardened', async t => {
  for (const [name, service] of Object.entries<Document>(services)) {
    t.match(service, { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] }, name)
    t.strictSame(service.cap_add, name === 'caddy' ? ['NET_BIND_SERVICE'] : undefined, name)
  }
})

t.test('a replica reads the tools of a folder that is there, and cannot write them', async t => {
  for (const [name, { volumes: mounted }] of replicas) {
    const [folder, path, mode] = byDefault(mounted[0]).split(':')
    t.strictSame([path, mode], [imageEnvironment()['TOOLS_DIR'], 'ro'], name)
    const app = await build(t, { toolsDir: folder!, watchTools: false })
    t.match(await callTool(app, 'hello', { name: 'Ada' }), { content: [{ text: 'Hello, Ada!' }] })
  }
})

t.test('the second file of docs/guides/deploy.md adds secrets as files, and settings of the server', async t => {
  const { services: added, secrets } = parse(exampleOf('docs/guides/deploy.md', 'compose.secrets.yml'), { merge: true })

  t.strictSame(
    Object.keys(added),
    replicas.map(([name]) => name),
  )
  for (const [name, { environment, volumes: mounted }] of Object.entries<Document>(added)) {
    const folders = [
      ...Object.keys(secrets).map(each => `/run/secrets/${each}`),
      ...mounted.map((each: string) => each.split(':')[1]),
    ]
    for (const [setting, value] of Object.entries<string>(environment)) {
      t.ok(CLUSTER_SETTINGS.has(setting), `${name}: ${setting}`)
      if (setting.endsWith('_FILE'))
        t.ok(
          folders.some(folder => value.startsWith(folder)),
          value,
        )
    }
  }
})

t.test('the compose.yml of docs/guides/deploy.md runs one container without Redis, hardened', async t => {
  const { services: own, secrets } = parse(exampleOf('docs/guides/deploy.md', 'compose.yml'))
  const { environment, volumes: mounted, ports, stop_grace_period, ...rest } = own.toolrack
  const folders = [...rest.secrets.map((each: string) => `/run/secrets/${each}`), mounted[0].split(':')[1]]

  t.match(rest, { read_only: true, cap_drop: ['ALL'], secrets: Object.keys(secrets) })
  t.match(ports[0], /^127\.0\.0\.1:\d+:3000$/)
  for (const [setting, value] of Object.entries<string>(environment)) {
    t.ok(CLUSTER_SETTINGS.has(setting), setting)
    t.ok(
      folders.some(folder => value.startsWith(folder)),
      value,
    )
  }
  t.ok(secondsOf(stop_grace_period) > readEnvironment({}).drainMs / 1000 + 5)
  t.doesNotThrow(() => assertBind('0.0.0.0', readEnvironment({ API_KEYS_FILE: environment.API_KEYS_FILE })))
})

t.test('what compose passes by name is a file of API keys, too', async t => {
  for (const [name, service] of replicas) t.equal(environmentOf(service)['API_KEYS_FILE'], '', name)
})

t.test('a container is given longer to stop than it takes', async t => {
  for (const [name, service] of replicas) {
    const drainS = readEnvironment(environmentOf(service)).drainMs / 1000
    t.ok(secondsOf(service.stop_grace_period) > drainS + 5, name)
  }
  const [, graceS] = /grace_period (\d+s)/.exec(caddyfile) ?? []
  t.ok(secondsOf(services.caddy.stop_grace_period) > secondsOf(graceS!))
})
