// A password in a URL is never printed: every command that takes one, every setting that may have one.
import t from 'tap'
import { noTerminal, runOnTerminal, runPiped } from '../../../../../test/support/command-line.ts'
import { listen } from '../../../../../test/support/servers/http-server.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'

const PASSWORD = 'hunter2secret'
const OWN = `u5er:${PASSWORD}@`
const URL_OF_ALL = `http://${OWN}127.0.0.1:9/mcp`
/** The parser of URLs refuses it: the port is too large. */
const INVALID = `http://${OWN}host.example:99999/mcp`

const ARGUMENTS: readonly (readonly string[])[] = [
  ['connect', '--url', URL_OF_ALL],
  ['connect', 'codex', '--url', URL_OF_ALL],
  ['connect', '--url', URL_OF_ALL, '--json'],
  ['connect', '--url', INVALID],
  ['connect', URL_OF_ALL],
  ['list', URL_OF_ALL],
  ['list', INVALID],
  ['list', `${OWN}host.example/mcp`],
  ['list', `${OWN}host.example:99999/mcp`],
  ['list', `ftp://${OWN}host.example/mcp`],
  ['call', URL_OF_ALL, 'add', 'a=1'],
  ['call', INVALID, 'add', 'a=1'],
  ['call', `${OWN}host.example/mcp`, 'add'],
  ['call', `${OWN}host.example/mcp`],
  ['call', 'add', URL_OF_ALL],
  ['call', 'add', `${OWN}host.example/mcp`],
  ['doctor', URL_OF_ALL],
  ['doctor', INVALID],
  ['doctor', 'http://127.0.0.1:9/mcp', '--origin', `https://${OWN}app.example`],
  ['start', URL_OF_ALL],
  ['start', '--tools-dir', URL_OF_ALL],
  ['start', '--public-url', URL_OF_ALL],
  ['start', `--public-ulr=${URL_OF_ALL}`],
  ['start', '--redis-url', `redis://${OWN}127.0.0.1:9`],
  ['dev', URL_OF_ALL],
  ['check', URL_OF_ALL],
  ['login', URL_OF_ALL],
  ['login', INVALID],
  ['logout', URL_OF_ALL],
  ['server', 'add', 'prod', URL_OF_ALL],
  ['server', 'add', 'prod', INVALID],
  ['server', 'add', URL_OF_ALL, 'https://example.com'],
  ['server', 'remove', URL_OF_ALL],
  ['connect', 'codex', '--write', '--yes', '--url', URL_OF_ALL],
  ['init', URL_OF_ALL, '--name', URL_OF_ALL],
  ['audit', 'verify', URL_OF_ALL],
  ['key', 'list', '--file', URL_OF_ALL],
  [URL_OF_ALL],
]

for (const args of ARGUMENTS) {
  t.test(`password in an argument: toolrack ${args.join(' ').replaceAll(PASSWORD, '…')}`, async t => {
    const { code, stdout, stderr } = await runPiped(t, args, { cwd: tempFolder(t).path })

    t.not(code, 0)
    t.not(stdout + stderr, '')
    t.notMatch(stdout + stderr, PASSWORD)
  })
}

const SETTINGS: readonly (readonly [name: string, value: string])[] = [
  ['PUBLIC_URL', URL_OF_ALL],
  ['PUBLIC_URL', INVALID],
  ['JWT_ISSUER', `https://${OWN}127.0.0.1:9`],
  ['JWT_ISSUER', `https://${OWN}login.example/{tenantid}`],
  ['JWT_JWKS_URL', `https://${OWN}127.0.0.1:9/jwks`],
  ['AUTHORIZATION_SERVERS', `https://${OWN}127.0.0.1:9`],
  ['TOKEN_EXCHANGE_URL', `https://${OWN}127.0.0.1:9`],
  ['ALLOWED_ORIGINS', `https://${OWN}app.example`],
  ['ALLOWED_HOSTS', `https://${OWN}app.example`],
  ['TRUST_PROXY', `https://${OWN}app.example`],
  ['SERVER_ICON', `https://${OWN}cdn.example/icon.png`],
  ['SERVER_WEBSITE_URL', `https://${OWN}www.example`],
  ['REDIS_URL', `http://${OWN}127.0.0.1:9`],
  ['HOST', `http://${OWN}127.0.0.1`],
  ['TOOLS_DIR', `https://${OWN}files.example`],
  ['PORT', `https://${OWN}files.example`],
]

for (const [name, value] of SETTINGS) {
  t.test(`password in a setting: ${name}=${value.replace(PASSWORD, '…')}`, async t => {
    const { code, stdout, stderr } = await runPiped(t, ['start'], { cwd: tempFolder(t).path, env: { [name]: value } })

    t.equal(code, 1)
    t.match(stderr, `${name}: `)
    t.notMatch(stdout + stderr, PASSWORD)
  })
}

t.test('password in a setting: an issuer of the file of issuers', async t => {
  const issuers = JSON.stringify({ issuers: [{ issuer: `https://${OWN}127.0.0.1:9` }] })
  const { path: cwd } = tempFolder(t, { 'issuers.json': issuers })
  const { code, stdout, stderr } = await runPiped(t, ['start'], { cwd, env: { ISSUERS_FILE: 'issuers.json' } })

  t.equal(code, 1)
  t.match(stderr, 'issuer')
  t.notMatch(stdout + stderr, PASSWORD)
})

t.test('password in a redirect: the doctor follows it, and shows the URL without', async t => {
  const origin = await listen(t, (request, response) => {
    if (request.url !== '/mcp') return void response.writeHead(404).end()
    response.writeHead(307, { location: `http://${OWN}${request.headers.host}/other` }).end()
  })
  for (const extra of [[], ['--json']]) {
    const { stdout, stderr } = await runPiped(t, ['doctor', `${origin}/mcp`, ...extra])

    t.match(stdout, `[credentials]@${new URL(origin).host}/other`)
    t.notMatch(stdout + stderr, PASSWORD)
  }
})

t.test('password in an argument: on a terminal', { skip: noTerminal }, async t => {
  for (const args of [
    ['connect', '--url', URL_OF_ALL],
    ['list', INVALID],
  ]) {
    const { stdout } = await runOnTerminal(t, args)
    t.match(stdout, /URL/)
    t.notMatch(stdout, PASSWORD)
  }
})
