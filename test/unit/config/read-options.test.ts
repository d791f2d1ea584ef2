// Options of a program: typed, in groups, and by the names that they had before the groups.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { readOptions } from '../../../src/config/read-options.ts'

const refusal = (options: object, isPlugin = false) => {
  try {
    readOptions(options as Record<string, unknown>, { isPlugin, others: ['tools', 'onCall'] })
    return undefined
  } catch (error) {
    return `${(error as Error).name} ${(error as Error).message}`
  }
}

t.test('options in groups are the settings of the environment', async t => {
  const settings = readOptions({
    pageSize: 50,
    jwt: { secret: 'x'.repeat(32), audience: 'shop', claims: { tenant: 'tid' } },
    rateLimit: { max: 5, timeWindow: '1 minute', claim: undefined },
    limits: { toolTimeout: '30 s' },
    redis: undefined,
  })

  t.match(settings, {
    pageSize: 50,
    jwtAudience: ['shop'],
    jwtClaims: { tenant: 'tid' },
    rateLimitMax: 5,
    rateLimitWindow: 60_000,
    rateLimitClaim: undefined,
    toolTimeoutMs: 30_000,
    redisUrl: undefined,
  })
})

t.test('a group that is on or off takes both: true or false, or its members', async t => {
  t.match(readOptions({ metrics: false }), { metrics: false, metricsPort: undefined })
  t.match(readOptions({ metrics: { port: 9464 } }), { metrics: true, metricsPort: 9464 })
  t.equal(refusal({ metrics: 'false' }), 'ConfigError metrics: expected true or false, not its text')
})

t.test('an option takes a value: its text belongs to the environment', async t => {
  const refused: [object, string][] = [
    [{ pageSize: '10' }, 'pageSize: expected an integer from 1 to 10000, not its text'],
    [{ httpSse: 'true' }, 'httpSse: expected true or false, not its text'],
    [{ jwt: { audience: 'a,b' } }, 'jwt.audience: expected one value or more, in an array, not its text'],
    [{ jwt: { claims: null } }, "jwt.claims: expected an object such as { tenant: 'tid' }"],
    [{ jwt: { claims: 'tenant=tid' } }, "jwt.claims: expected an object such as { tenant: 'tid' }, not its text"],
    [{ limits: { maxBodyBytes: '2048' } }, /^limits.maxBodyBytes: expected an integer .*, not its text$/.source],
  ]

  for (const [options, message] of refused)
    t.match(refusal(options), message.startsWith('^') ? new RegExp(message.slice(1)) : `ConfigError ${message}`)
  t.equal(refusal({ rateLimit: 5 }), 'ConfigError rateLimit: expected a plain object')
  t.equal(refusal({ jwt: null }), 'ConfigError jwt: expected a plain object')
})

t.test('a group is a plain object: members of others would be overlooked', async t => {
  class Limits {
    get max() {
      return 5
    }
  }
  for (const rateLimit of [new Limits(), new Map([['max', 5]]), [5], new Date(0)])
    t.equal(refusal({ rateLimit }), 'ConfigError rateLimit: expected a plain object')
  const foreign = runInNewContext('({ max: 5 })') as object
  t.match(readOptions({ rateLimit: foreign }), { rateLimitMax: 5 })
  t.match(readOptions({ rateLimit: Object.assign(Object.create(null), { max: 6 }) }), { rateLimitMax: 6 })
})

t.test('a wrong name is answered with the nearest, or with what there is', async t => {
  const refused: [object, string][] = [
    [{ 'rateLimit.max': 5 }, 'rateLimit.max: no such option; write rateLimit: { max }'],
    [{ prefix: '/shop' }, 'prefix: no such option; did you mean mcpPath?'],
    [{ bodyLimit: 5 }, 'bodyLimit: no such option; did you mean limits.maxBodyBytes?'],
    [{ onCal: () => {} }, 'onCal: no such option; did you mean onCall?'],
    [{ secret: 'x' }, 'secret: no such option; did you mean jwt.secret?'],
    [{ jwt: { jwtSecret: 'x' } }, 'jwt.jwtSecret: no such option; did you mean jwt.secret?'],
    [{ rateLimit: { window: 5 } }, 'rateLimit.window: no such option; did you mean rateLimit.timeWindow?'],
    [{ redis: { port: 6379 } }, 'redis.port: no such option; redis has url, prefix'],
    [{ constructor: 5 }, 'constructor: no such option'],
  ]
  for (const [options, message] of refused) t.equal(refusal(options), `ConfigError ${message}`)
})

t.test('a list is an array, or one value alone', async t => {
  t.strictSame(readOptions({ toolsInclude: 'get_*' }).toolsInclude, ['get_*'])
  t.strictSame(readOptions({ toolsDir: ['a,b', 'c'] }).toolsDir, ['a,b', 'c'])
  const audience = ['shop']
  const { jwtAudience } = readOptions({ jwt: { secret: 'x'.repeat(32), audience } })
  audience.push('other')
  t.strictSame(jwtAudience, ['shop'], 'whatever becomes of the array')
  t.match(refusal({ toolsDir: 'a,b' }), 'ConfigError toolsDir: expected 1 to 20 folders, in an array')
})

t.test('a plugin refuses what its app decides', async t => {
  const refused = { port: 1, host: 'a', logLevel: 'info', trustProxy: false, allowAnonymous: false, toolsStrict: true }
  for (const [name, value] of Object.entries({ ...refused }))
    t.match(
      refusal({ [name]: value }, true),
      `ConfigError ${name}: belongs to createServer; a plugin is served by its app`,
    )
  t.match(refusal({ metrics: { token: 'x'.repeat(16) } }, true), 'ConfigError metrics.token: belongs to createServer')
  t.equal(refusal({ metrics: false, rateLimit: { max: 1 }, port: undefined }, true), undefined)
})

t.test('the flat name of an option in a group counts, but not beside it', async t => {
  t.equal(refusal({ rateLimitMax: 1, rateLimit: { claim: 'tenant' } }), undefined)
  t.equal(
    refusal({ rateLimitMax: 1, rateLimit: { max: 2 } }),
    'ConfigError rateLimitMax: expected either it or rateLimit.max, not both',
  )
  t.equal(refusal({ rateLimitMax: '1' }), refusal({ rateLimit: { max: '1' } }))
})

t.test('Node warns of each flat name once', async t => {
  const url = new URL('../../../src/config/read-options.ts', import.meta.url)
  const code = `const { readOptions } = await import('${url}')
    for (let turn = 0; turn < 3; turn++) readOptions({ rateLimitMax: 5, sessions: 'required', pageSize: 10, redisUrl: undefined })`
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])

  t.strictSame(
    stderr
      .split('\n')
      .filter(line => line.includes('TOOLRACK_DEP'))
      .map(line => line.replace(/^\(node:\d+\) /, '')),
    [
      '[TOOLRACK_DEP_RATE_LIMIT_MAX] DeprecationWarning: rateLimitMax is now rateLimit: { max }',
      '[TOOLRACK_DEP_SESSIONS] DeprecationWarning: sessions is now sessions: { mode }',
    ],
  )
})
