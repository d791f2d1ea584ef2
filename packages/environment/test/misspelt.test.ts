// A variable that looks like a slip of a setting stops the start; one that may be another program's does not.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { readOptions } from '../../../src/config/read-options.ts'
import { SETTINGS } from '../../../src/config/settings.ts'
import { build } from '../../../test/support/app.ts'
import { serverProgram } from '../../../test/support/servers/program.ts'
import { SHIPPED } from '../../../test/support/tools/shipped.ts'
import { tempFolder } from '../../../test/support/tools-folder.ts'
import { findMeantSetting } from '../src/misspelling.ts'
import { readEnvironment } from '../src/read.ts'
import { assertToolSettings } from '../src/spelling.ts'

const refused = (env: NodeJS.ProcessEnv) => {
  try {
    readEnvironment(env)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const SLIPS = {
  JWT_SECRT: 'JWT_SECRET',
  JWT_SECRT_FILE: 'JWT_SECRET_FILE',
  JWT_SECRET_FILES: 'JWT_SECRET_FILE',
  JWTSECRET_FILE: 'JWT_SECRET_FILE',
  REDIS_URLS_FILE: 'REDIS_URL_FILE',
  TOOLS_DIRS: 'TOOLS_DIR',
  TOOL_DIR: 'TOOLS_DIR',
  TOOLSDIR: 'TOOLS_DIR',
  TOOLS_STRIKT: 'TOOLS_STRICT',
  JWT_ALGORITHM: 'JWT_ALGORITHMS',
  JWT_JWKS_URI: 'JWT_JWKS_URL',
  JWT_AUD: 'JWT_AUDIENCE',
  JWT_ISS: 'JWT_ISSUER',
  JWT_ISSUER_URL: 'JWT_ISSUER',
  JWKS_URL: 'JWT_JWKS_URL',
  JWKS_URI: 'JWT_JWKS_URL',
  TRUSTED_PROXY: 'TRUST_PROXY',
  TRUST_PROXIES: 'TRUST_PROXY',
  JTW_SECRET: 'JWT_SECRET',
  JWT_SECERT: 'JWT_SECRET',
  JWTSECRET: 'JWT_SECRET',
  'JWT-SECRET': 'JWT_SECRET',
  jwt_secret: 'JWT_SECRET',
  JWT_ISUER: 'JWT_ISSUER',
  JWT_AUDIANCE: 'JWT_AUDIENCE',
  JWT_JKWS_URL: 'JWT_JWKS_URL',
  ALLOW_ANONYMUS: 'ALLOW_ANONYMOUS',
  ALLOW_ANNONYMUS: 'ALLOW_ANONYMOUS',
  ALLOWED_ORIGIN: 'ALLOWED_ORIGINS',
  ALLOW_HOSTS: 'ALLOWED_HOSTS',
  AUTHORISATION_SERVERS: 'AUTHORIZATION_SERVERS',
  SCOPE_HIERACHY: 'SCOPE_HIERARCHY',
  TRUST_PROXXY: 'TRUST_PROXY',
  RATE_LIMT_MAX: 'RATE_LIMIT_MAX',
  RATELIMIT_MAX: 'RATE_LIMIT_MAX',
  RATE_LIMIT_WINDW: 'RATE_LIMIT_WINDOW',
  REDIS_ULR: 'REDIS_URL',
  METRIC_TOKEN: 'METRICS_TOKEN',
  STATE_SECRETS: 'STATE_SECRET',
  MAX_CONCURENT_CALLS: 'MAX_CONCURRENT_CALLS',
}

t.test('a variable that looks like a slip of a setting stops the start, and both are named', async t => {
  for (const [name, meant] of Object.entries(SLIPS))
    t.equal(refused({ [name]: 'x' }), `${name} is not a setting; did you mean ${meant}?`)
})

/** As platforms, Kubernetes and other programs have them. */
const OTHERS: Record<string, string> = {
  HOSTS: 'a',
  HOSTNAME: 'a',
  HOSTTYPE: 'a',
  PORTS: '1',
  POST: '1',
  PORT_1: '1',
  REPORT: '1',
  PATH: '/bin',
  JWT: 'x',
  JWT_KEY: 'x',
  JWT_SECRET_KEY: 'x',
  JWT_PUBLIC_KEY: 'x',
  LOGLEVEL: 'info',
  LOG_FORMAT: 'json',
  LOG_FILE: 'x',
  REDIS_HOST: 'x',
  REDIS_PORT: 'tcp://10.0.0.1:6379',
  REDIS_PORT_6379_TCP: 'tcp://10.0.0.1:6379',
  REDIS_PORT_6379_TCP_ADDR: '10.0.0.1',
  REDIS_SERVICE_HOST: '10.0.0.1',
  REDIS_SERVICE_PORT: '6379',
  REDIS_URI: 'redis://x',
  REDIS_SSL: 'x',
  REDIS_TTL: '1',
  REDIS_DB: '1',
  TOOLRACK_PORT: 'tcp://10.0.0.1:3000',
  TOOLRACK_SERVICE_HOST: '10.0.0.1',
  METRICS_PORTS: 'tcp://10.0.0.1:9464',
  METRICS_HOST: 'x',
  HTTP_SSL: 'x',
  HTTP_PROXY: 'x',
  http_proxy: 'x',
  PUBLIC_DIR: 'x',
  PUBLIC_URI: 'x',
  PAGE_NAME: 'x',
  AUDIT_TIME: 'x',
  RATE_LIMIT_MIN: '1',
  ALLOWED_PORTS: '1',
  SESSION_SECRET: 'x',
  SESSION_TTL: '1',
  STATE_SERVER: 'x',
  DATABASE_NAME: 'x',
  DATABASE_HOST: 'x',
  DATABASE_SSL: 'x',
  DATABASE_URI: 'x',
  GITLAB_TOKEN: 'x',
  GITHUB_ACTIONS: 'true',
  GITHUB_REPOSITORY_ID: '1',
  GITHUB_REPOSITORY_OWNER: 'x',
  GITHUB_APP_URL: 'x',
  MY_JWT_SECRET: 'x',
  npm_config_registry: 'x',
  npm_package_version: '1',
  OTEL_SDK_DISABLED: 'true',
  KUBERNETES_PORT: 'tcp://10.0.0.1:443',
  NODE_ENV: 'production',
  ['X'.repeat(10_000)]: 'x',
}

t.test('what platforms and other programs have in the environment stops nothing', async t => {
  const tools = new Set((await build(t, SHIPPED)).toolrack.toolSettings)

  t.ok(tools.has('GITHUB_TOKEN') && tools.has('DATABASE_URL'))
  for (const [name, value] of Object.entries(OTHERS)) {
    t.equal(refused({ [name]: value }), undefined, name.slice(0, 50))
    t.doesNotThrow(() => assertToolSettings(tools, { [name]: value }), name.slice(0, 50))
  }
})

t.test('the variables of a service in the cluster are no settings', async t => {
  const link = { METRICS_PORT: 'tcp://10.0.0.1:9464', METRICS_SERVICE_PORT: '9464' }

  t.equal(readEnvironment(link).metricsPort, undefined)
  t.match(refused({ METRICS_PORT: 'tcp' }), /^METRICS_PORT: expected an integer/)
  t.match(refused({ REDIS_URL: 'tcp://10.0.0.1:6379' }), /^REDIS_URL: expected a redis/)
})

t.test('nor does the environment of this machine, nor one setting look like another', async t => {
  const tools = [...(await build(t, SHIPPED)).toolrack.toolSettings]

  t.doesNotThrow(() => assertToolSettings(new Set(tools)))
  for (const name of [...Object.keys(SETTINGS), ...tools]) {
    t.equal(findMeantSetting(name, Object.keys(SETTINGS)) ?? name, name)
    t.equal(findMeantSetting(name, tools) ?? name, name)
  }
})

t.test('a slip that says nothing, or whose setting is set too, is somebody else’s', async t => {
  t.equal(refused({ JWT_SECRT: '' }), undefined)
  t.equal(refused({ RATE_LIMT_MAX: '5', RATE_LIMIT_MAX: '600' }), undefined)
  t.match(refused({ RATE_LIMT_MAX: '5', RATE_LIMIT_MAX: '' }), 'did you mean RATE_LIMIT_MAX?')
})

t.test('what was meant is told before what else is wrong without it', async t => {
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    HOST: '0.0.0.0',
    PORT: '0',
    ALLOW_ANONYMUS: 'true',
  }

  const ended = await promisify(execFile)(process.execPath, [serverProgram()], { env }).catch(error => error)

  t.equal(ended.code, 1)
  t.equal(ended.stdout, '')
  t.equal(ended.stderr, 'ALLOW_ANONYMUS is not a setting; did you mean ALLOW_ANONYMOUS?\n')
})

t.test('so it is with what tools require or say they read, served or not', async t => {
  const folder = tempFolder(t, {
    'a.mjs': `export default { name: 'a', requires: ['SHOP_API_KEY'], settings: ['SHOP_REGION'], handler: () => '' }`,
  })
  const start = (set: NodeJS.ProcessEnv) => {
    const env = {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      PORT: '0',
      TOOLS_DIR: folder.path,
      LOG_LEVEL: 'silent',
      ...set,
    }
    return promisify(execFile)(process.execPath, [serverProgram()], { env }).catch(error => error)
  }

  const [key, region] = await Promise.all([start({ SHOP_API_KYE: 'x' }), start({ SHOP_REGOIN: 'x' })])

  t.match(key, { code: 1, stderr: 'SHOP_API_KYE is not a setting; did you mean SHOP_API_KEY?\n' })
  t.match(region, { code: 1, stderr: 'SHOP_REGOIN is not a setting; did you mean SHOP_REGION?\n' })
})

t.test('an option in code that looks like a slip is refused with what was meant', async t => {
  t.throws(() => readOptions({ jwtSecrt: 'x' }), { message: 'jwtSecrt: no such option; did you mean jwt.secret?' })
  t.throws(() => readOptions({ rateLimtMax: 1 }), {
    message: 'rateLimtMax: no such option; did you mean rateLimit.max?',
  })
  t.throws(() => readOptions({ rateLimit: { mx: 1 } }), {
    message: 'rateLimit.mx: no such option; did you mean rateLimit.max?',
  })
  t.throws(() => readOptions({ secret: 'x' }), { message: 'secret: no such option; did you mean jwt.secret?' })
})
