// `toolrack token`: what it prints is run against a server with the same settings.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { defineTool, type ServerOptions } from '../../../../../src/index.ts'
import { build } from '../../../../../test/support/app.ts'
import { freePort } from '../../../../../test/support/free-port.ts'
import { merged } from '../../../../../test/support/merged.ts'
import { withoutSettings } from '../../../../../test/support/servers/own-process.ts'

const JWT_SECRET = 'a secret of 32 bytes, or some more'
const run = promisify(execFile)

const tools = [
  defineTool({ name: 'get_price', scopes: ['prices:read'], handler: () => '3' }),
  defineTool({ name: 'set_price', scopes: ['prices:write'], handler: () => 'done' }),
]

/** What the command prints; rejects where it ends with another code than 0. */
async function token(args: readonly string[], environment: Record<string, string> = {}): Promise<string> {
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    JWT_SECRET,
    ...environment,
  }
  return (await run(process.execPath, ['src/server.ts', 'token', ...args], { env })).stdout
}

async function serve(t: Test, options: object = {}): Promise<string> {
  const port = await freePort()
  const app = await build(t, merged({ tools, port, jwt: { secret: JWT_SECRET } }, options))
  await app.listen({ host: '127.0.0.1', port })
  return String(port)
}

/** curl without proxies and settings of whoever runs the tests. */
const answer = async (line: string) =>
  JSON.parse(
    (
      await run('bash', ['-c', line], {
        env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], HOME: '/' },
      })
    ).stdout,
  )
const claims = (line: string) =>
  JSON.parse(Buffer.from(/Bearer [^.]+\.([^.]+)/.exec(line)![1]!, 'base64url').toString())

t.test('the curl line that it prints is answered, with what the scopes allow', async t => {
  const PORT = await serve(t)

  const line = await token(['--sub', 'alice', '--scope', 'prices:read'], { PORT })

  t.equal(line.split('\n').length, 2)
  t.match(await answer(line), { result: { tools: [{ name: 'get_price' }] } })
  t.match(claims(line), { sub: 'alice', scope: 'prices:read', aud: `http://127.0.0.1:${PORT}/mcp` })
  t.equal(claims(line).exp - claims(line).iat, 3600)
})

t.test('issuer, audience, life and client are those that are asked for, or the settings', async t => {
  const PORT = await serve(t, { jwt: { issuer: "it's us", audience: 'shop' } })
  const settings = { PORT, JWT_ISSUER: "it's us", JWT_AUDIENCE: 'shop' }

  const line = await token(['--sub', 'alice', '--ttl', '24h', '--client', 'curl'], settings)
  const foreign = await token(['--sub', 'alice', '--iss', 'them', '--aud', 'bank', '--ttl', '15m'], settings)

  t.match(claims(line), { iss: "it's us", aud: 'shop', client_id: 'curl' })
  t.match(await answer(line), { result: { tools: [] } })
  t.match(claims(foreign), { iss: 'them', aud: 'bank' })
  t.equal(claims(foreign).exp - claims(foreign).iat, 900)
  t.match(await answer(foreign), { error: { code: 40100 } })
})

t.test('--claim and --scope are in the claims that the settings name, and a tool sees them', async t => {
  const jwtClaims = 'tenant=tid,groups'
  const jwtScopeClaims = 'scp,roles=role:'
  const who = defineTool({ name: 'who', scopes: ['prices:read', 'role:admin'], handler: () => 'who' })
  const visible: ServerOptions['visible'] = (_, caller) => caller?.claims?.['tenant'] === 'acme'
  const PORT = await serve(t, {
    tools: [who],
    jwt: {
      claims: { tenant: 'tid', groups: 'groups' },
      scopeClaims: { scp: '', roles: 'role:' },
      clientIds: ['web', 'cli'],
    },
    visible,
  })
  const settings = { PORT, JWT_CLAIMS: jwtClaims, JWT_SCOPE_CLAIMS: jwtScopeClaims, JWT_CLIENT_IDS: 'web,cli' }
  const args = ['--sub', 'alice', '--scope', 'prices:read web:read role:admin', '--claim', 'groups:=["a"]']

  const line = await token([...args, '--claim', 'tenant=acme', '--claim', 'https://example.com/x=a=b'], settings)
  const other = await token([...args, '--claim', 'tid=other'], settings)

  t.match(claims(line), { tid: 'acme', groups: ['a'], 'https://example.com/x': 'a=b', client_id: 'web' })
  t.match(claims(line), { scp: 'prices:read web:read', roles: ['admin'] })
  t.match(await answer(line), { result: { tools: [{ name: 'who' }] } })
  t.match(await answer(other), { result: { tools: [] } })
})

t.test('with --raw it prints the token alone, which a server with the same settings accepts', async t => {
  const PORT = await serve(t)

  const raw = await token(['--sub', 'alice', '--scope', 'prices:read', '--raw'], { PORT })
  t.match(raw, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)

  const line = await token(['--sub', 'bob'], { PORT })
  t.match(await answer(line.replace(/Bearer [^']+/, `Bearer ${raw.trim()}`)), {
    result: { tools: [{ name: 'get_price' }] },
  })
})

t.test('npm run -s token -- --raw is what a shell takes for a variable', async t => {
  const env = { ...withoutSettings(process.env), JWT_SECRET }
  const script = 'TOKEN=$(npm run -s token -- --sub alice --raw) && printf "<%s>" "$TOKEN"'

  const { stdout } = await run('bash', ['-c', script], { env })

  t.match(stdout, /^<[\w-]+\.[\w-]+\.[\w-]+>$/)
})

for (const option of ['--help', '-h']) {
  t.test(`${option} prints all options, and needs no settings`, async t => {
    const text = await token([option], { JWT_SECRET: '' })

    for (const name of ['sub', 'scope', 'ttl', 'aud', 'iss', 'client', 'claim', 'raw', 'help'])
      t.match(text, `--${name}`)
  })
}

t.test('with --json it prints the token, its claims and the URL', async t => {
  const text = await token(['--sub', 'alice', '--json'], { PORT: '3456' })

  const printed = JSON.parse(text)
  t.match(printed, { claims: { sub: 'alice' }, url: 'http://127.0.0.1:3456/mcp' })
  t.strictSame(claims(`Bearer ${printed.token}`), printed.claims)
})

const REFUSED: [why: string, args: string[], environment: Record<string, string>, expected: RegExp, code?: number][] = [
  ['no secret', ['--sub', 'alice'], { JWT_SECRET: '' }, /^JWT_SECRET: expected .*openssl/m, 1],
  ['a short secret', ['--sub', 'alice'], { JWT_SECRET: 'short' }, /^JWT_SECRET: expected at least 32 bytes$/m, 1],
  ['nobody', [], {}, /^--sub: expected/m],
  ['a life past a day', ['--sub', 'alice', '--ttl', '25h'], {}, /^--ttl: expected .*24h/m],
  ['a life without its unit', ['--sub', 'alice', '--ttl', '3600'], {}, /^--ttl: expected .*unit/m],
  ['a scope that is none', ['--sub', 'alice', '--scope', 'a"b'], {}, /^--scope: expected/m],
  [
    'a scope that no claim grants',
    ['--sub', 'a', '--scope', 'x'],
    { JWT_SCOPE_CLAIMS: 'roles=r:' },
    /^--scope: no claim .* grants x/m,
  ],
  ['a claim without a value', ['--sub', 'a', '--claim', 'tenant'], {}, /^--claim: expected a name and a value/m],
  ['a claim of another option', ['--sub', 'a', '--claim', 'exp=1'], {}, /^--claim: exp cannot be set/m],
  [
    'a claim twice',
    ['--sub', 'a', '--claim', 't=1', '--claim', 'tid=2'],
    { JWT_CLAIMS: 't=tid' },
    /^--claim: expected tid once/m,
  ],
  ['a claim of --scope', ['--sub', 'a', '--scope', 'x', '--claim', 'scope=y'], {}, /^--claim: scope has the scopes/m],
  ['a claim that is no JSON', ['--sub', 'a', '--claim', 't:=[a]'], {}, /^--claim: expected JSON behind t:=/m],
  [
    'a claim too long',
    ['--sub', 'a', '--claim', `t=${'x'.repeat(16 * 1024)}`],
    { JWT_CLAIMS: 't' },
    /^--claim: the claims up to t are longer/m,
  ],
  ['an option that is none', ['--sub', 'alice', '--admin'], {}, /--admin/],
  ['nobody, with --raw', ['--raw'], {}, /^--sub: expected/m],
  ['a value for --raw', ['--sub', 'alice', '--raw=yes'], {}, /--raw/],
  ['a word that is no option', ['alice', '--raw'], {}, /alice/],
]

/** With --raw nothing of a refusal may get into the variable of a script. */
const SILENT: [why: string, args: string[], environment: Record<string, string>][] = [
  ['no secret', ['--sub', 'alice', '--raw'], { JWT_SECRET: '' }],
  ['nobody', ['--raw'], {}],
  ['a setting that is wrong', ['--sub', 'alice', '--raw'], { PORT: 'x' }],
]

for (const [why, args, environment, expected, expectedCode = 2] of REFUSED) {
  t.test(`${why} is refused with one sentence and no stack`, async t => {
    const error = await token(args, environment).then(
      () => t.fail('it was not refused'),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
    )

    t.match(error, { code: expectedCode, stderr: expected })
    t.notMatch(error, { stderr: / {4}at / })
  })
}

for (const [why, args, environment] of SILENT) {
  t.test(`${why}: the refusal is on stderr only`, async t => {
    const error = await token(args, environment).then(
      () => t.fail('it was not refused'),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
    )

    t.match(error, { stdout: '', stderr: /\S/ })
  })
}
