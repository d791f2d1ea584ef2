// Variables that are likely mistakes and may be meant: the log warns, and names what was meant.
import t from 'tap'
import { readEnvironment } from '../../../packages/environment/src/read.ts'
import { SETTINGS } from '../../../src/config/settings.ts'
import { findDoubts, NAMES_ELSEWHERE } from '../src/doubtful-variables.ts'

const NONE: ReadonlySet<string> = new Set()
const doubtful = (environment: NodeJS.ProcessEnv, declared = NONE) =>
  findDoubts(declared, environment).map(({ variable }) => variable)

t.test('O5: a name that other servers have for a setting is doubtful, and does not stop the start', async t => {
  for (const [name, meant] of Object.entries(NAMES_ELSEWHERE)) {
    t.ok(Object.hasOwn(SETTINGS, meant) && !Object.hasOwn(SETTINGS, name), name)
    t.match(findDoubts(NONE, { [name]: 'x' }), [{ variable: name, hint: `did you mean ${meant}?` }])
    t.doesNotThrow(() => readEnvironment({ [name]: 'x' }), name)
  }
})

t.test('it is not if its setting is set, if a tool declares it, or if it is empty', async t => {
  t.strictSame(doubtful({ REDIS_URI: 'x', REDIS_URL: 'redis://x' }), [])
  t.strictSame(doubtful({ REDIS_URI: 'x' }, new Set(['REDIS_URI'])), [])
  t.strictSame(doubtful({ REDIS_URI: '' }), [])
  t.strictSame(doubtful({ REDIS_URI: 'x', REDIS_URL: '' }), ['REDIS_URI'])
})

t.test('so is a file for a setting that is no secret, since nothing reads it', async t => {
  t.strictSame(findDoubts(NONE, { JWT_ISSUER_FILE: '/run/issuer' }), [
    { variable: 'JWT_ISSUER_FILE', hint: 'only secrets are read from files; set JWT_ISSUER itself' },
  ])
  t.strictSame(doubtful({ JWT_ISSUER_FILE: '' }), [])
  t.strictSame(doubtful({ JWT_SECRET_FILE: '/a', API_KEYS_FILE: '/b', AUDIT_FILE: '/c', SHOP_FILE: '/d' }), [])
})

t.test('so are quotes around what Node reads: in them, production is not production', async t => {
  for (const variable of ['NODE_ENV', 'NODE_USE_ENV_PROXY', 'NODE_EXTRA_CA_CERTS', 'https_proxy', 'NO_PROXY'])
    t.strictSame(doubtful({ [variable]: '"x"' }), [variable])
  t.strictSame(doubtful({ NODE_ENV: 'production', MY_PROXY: '"x"' }), [])
})

t.test('so are quotes and white space around a variable of a tool or of OpenTelemetry', async t => {
  const environment = { SHOP_KEY: '"secret"', SHOP_URL: 'https://x\n', OTEL_SERVICE_NAME: "'shop'", ELSE: '"x"' }

  t.strictSame(findDoubts(new Set(['SHOP_KEY', 'SHOP_URL']), environment), [
    {
      variable: 'SHOP_KEY',
      hint: 'expected the value without quotes around it, which docker run --env-file keeps',
    },
    { variable: 'SHOP_URL', hint: 'expected the value without white space around it, such as the end of a line' },
    {
      variable: 'OTEL_SERVICE_NAME',
      hint: 'expected the value without quotes around it, which docker run --env-file keeps',
    },
  ])
})
