// Settings of the broker: what each takes, and what is said of the rest.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { readSettings, SETTING_NAMES, SettingsError } from '../src/settings.ts'
import { brokerSettings } from './support/broker.ts'

const right = brokerSettings('https://auth.example.com', 'https://idp.example.com/tenant')
const read = (changes: Record<string, string> = {}) => readSettings({ ...right, PORT: '4000', ...changes })

/** The lines of the error that these settings bring. */
function linesFor(changes: Record<string, string>): string[] {
  try {
    read(changes)
    return []
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return error.message.split('\n')
  }
}

t.test('what is needed is enough, and the rest has defaults', async t => {
  t.match(read({ SCOPES: '', CLAIMS: '' }), {
    BROKER_URL: 'https://auth.example.com',
    HOST: '127.0.0.1',
    PORT: 4000,
    RESOURCE_URL: ['https://mcp.example/mcp'],
    UPSTREAM_SCOPES: ['openid', 'email', 'profile'],
    SUBJECT_CLAIM: 'sub',
    REDIRECT_SCHEMES: [],
    TRUST_PROXY: [],
    ACCESS_TOKEN_TTL_MS: 600_000,
    SIGN_IN_TTL_MS: 604_800_000,
  })
})

const WRONG: [name: string, value: string, said: RegExp][] = [
  ['BROKER_URL', 'http://auth.example.com', /an https URL, or an http URL on loopback/],
  ['BROKER_URL', 'https://auth.example.com/', /an origin without a path or a slash/],
  ['BROKER_URL', 'https://auth.example.com/broker', /an origin without a path or a slash/],
  ['BROKER_URL', 'https://AUTH.example.com', /an origin/],
  ['BROKER_URL', 'auth.example.com', /an https URL/],
  ['BROKER_URL', 'https://mcp.example', /another origin than that of RESOURCE_URL/],
  ['RESOURCE_URL', 'http://mcp.example/mcp', /an https URL/],
  ['RESOURCE_URL', ',', /a list/],
  ['HOST', 'https://x', /an address or a name, without a port/],
  ['PORT', '70000', /an integer from 0 to 65535/],
  ['PORT', '4e3', /an integer/],
  ['TRUST_PROXY', 'true', /CIDR blocks/],
  ['TRUST_PROXY', '1', /CIDR blocks/],
  ['LOG_LEVEL', 'loud', /one of fatal, error/],
  ['SCOPES', 'a b', /expected scopes of the server/],
  ['SCOPES', 'openid', /expected scopes of the server/],
  ['SCOPES', 'write?Writer', /expected claim=value/],
  ['CLAIMS', 'sub', /another name than sub/],
  ['CLAIMS', 'scope=roles', /another name than scope/],
  ['CLAIMS', 'a=b c', /expected a claim, or name=claim/],
  ['ALLOWED_USERS', 'example.com', /expected claim=value/],
  ['ALLOWED_USERS', ' , ', /expected rules such as/],
  ['UPSTREAM_ISSUER', 'ftp://idp.example.com', /an https URL/],
  ['UPSTREAM_SCOPES', 'email', /openid among them/],
  ['REDIRECT_HOSTS', 'https://claude.ai', /host names/],
  ['REDIRECT_SCHEMES', 'javascript', /schemes of apps/],
  ['REDIRECT_SCHEMES', 'https', /schemes of apps/],
  ['PRIVATE_CLIENT_HOSTS', 'https://x/', /host names/],
  ['REDIS_URL', 'http://redis', /a redis:\/\/ or rediss:\/\/ URL/],
  ['REDIS_PREFIX', 'a:b', /1 to 64 letters/],
  ['ACCESS_TOKEN_TTL_MS', '2 days', /from 60000 to 86400000 ms/],
  ['SIGN_IN_TTL_MS', 'soon', /milliseconds, or a time/],
]

for (const [name, value, said] of WRONG) {
  t.test(`${name}=${value} is refused, and named`, async t => {
    const [line, ...more] = linesFor({ [name]: value })

    t.match(line, new RegExp(`^${name}: `))
    t.match(line, said)
    t.strictSame(more, [])
  })
}

t.test('all that is wrong or missing is said at once', async t => {
  const lines = linesFor({ BROKER_URL: '', UPSTREAM_CLIENT_SECRET: '', PORT: 'x', REDIRECT_HOST: 'claude.ai' })

  t.match(lines, [
    /^PORT: /,
    /^BROKER_URL: expected a value/,
    /^UPSTREAM_CLIENT_SECRET: /,
    /^REDIRECT_HOST: .*REDIRECT_HOSTS/,
  ])
})

t.test('secrets can be files; a file that is missing, and both at once, are refused', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-broker-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'secret')
  writeFileSync(file, 'from a file\n')

  t.equal(read({ UPSTREAM_CLIENT_SECRET: '', UPSTREAM_CLIENT_SECRET_FILE: file }).UPSTREAM_CLIENT_SECRET, 'from a file')
  t.match(linesFor({ UPSTREAM_CLIENT_SECRET_FILE: file }), [/^UPSTREAM_CLIENT_SECRET: .*not both/])
  t.match(linesFor({ UPSTREAM_CLIENT_SECRET: '', UPSTREAM_CLIENT_SECRET_FILE: join(folder, 'none') }), [
    /^UPSTREAM_CLIENT_SECRET: .*ENOENT.*UPSTREAM_CLIENT_SECRET_FILE/,
  ])
  writeFileSync(file, '')
  t.match(linesFor({ UPSTREAM_CLIENT_SECRET: '', UPSTREAM_CLIENT_SECRET_FILE: file }), [/not an empty one/])
})

t.test('quotes around a value are refused, and not repeated; white space is cut, but for secrets', async t => {
  const quotes = 'expected the value without quotes around it, which docker run --env-file keeps'
  for (const [name, value] of [
    ['UPSTREAM_CLIENT_ID', '"abc"'],
    ['UPSTREAM_CLIENT_SECRET', "'s3cret'"],
    ['ALLOWED_USERS', '"hd=example.com"'],
    ['SIGNING_KEYS', `'{"keys":[]}'`],
  ] as const)
    t.strictSame(linesFor({ [name]: value }), [`${name}: ${quotes}`])
  t.equal(read({ UPSTREAM_CLIENT_ID: ' abc\n' }).UPSTREAM_CLIENT_ID, 'abc')
  t.match(linesFor({ UPSTREAM_CLIENT_SECRET: 's3cret\n' }), [
    /^UPSTREAM_CLIENT_SECRET: .*without white space around it/,
  ])
  // `rotate-keys` ends its file with one, and Kubernetes passes it on.
  t.equal(read({ SIGNING_KEYS: '{"keys":[]}\n' }).SIGNING_KEYS, '{"keys":[]}')
  t.equal(read({ REDIRECT_HOSTS: ' ' }).REDIRECT_HOSTS, undefined)
})

t.test('processes that share their state need keys that they share', async t => {
  t.match(linesFor({ REDIS_URL: 'redis://redis' }), [/^KEYS_PATH: /])
  t.strictSame(linesFor({ REDIS_URL: 'redis://redis', KEYS_PATH: '/data/keys.json' }), [])
  t.match(linesFor({ SIGNING_KEYS: '{}', KEYS_PATH: '/data/keys.json' }), [/^SIGNING_KEYS: .*not both/])
})

t.test('docs/guides/broker.md has every setting, and no other', async t => {
  const page = readFileSync('docs/guides/broker.md', 'utf8')
  const rows = page
    .slice(page.indexOf('## Settings'))
    .split('\n')
    .filter(line => line.startsWith('| `'))
  const named = rows.flatMap(row => [...row.split('|')[1]!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!))

  t.strictSame(named.sort(), [...SETTING_NAMES].sort())
})
