// `toolrack connect`: against servers that are open, want a token, or name where to sign in; piped and on a terminal.
import t, { type Test } from 'tap'
import type { ServerOptions } from '../../../../../src/index.ts'
import { listening } from '../../../../../test/support/app.ts'
import { send } from '../../../../../test/support/broken-servers.ts'
import { type Ended, noTerminal, runOnTerminal, runPiped } from '../../../../../test/support/command-line.ts'
import { freePort } from '../../../../../test/support/free-port.ts'
import { listen } from '../../../../../test/support/servers/http-server.ts'
import { CLIENT_IDS } from '../../../../console/src/clients/index.ts'

const JWT_SECRET = 'a secret of 32 bytes, or some more'

/** Colours and links are on where there is a terminal. */
const COLOURS = { NO_COLOR: undefined }

const connect = (t: Test, args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> =>
  runPiped(t, ['connect', ...args], { env: { ...COLOURS, ...environment } })

/** A server that listens, and its URL. */
async function serve(t: Test, options: ServerOptions = {}): Promise<string> {
  // It says its own URL to clients: the port is known before it listens.
  const { url } = await listening(t, { port: await freePort(), ...options })
  return url
}

const readJson = async (t: Test, args: readonly string[]) => JSON.parse((await connect(t, [...args, '--json'])).stdout)

t.test('connect: without a client it lists all of them', async t => {
  const url = await serve(t)
  const { code, stdout, stderr } = await connect(t, ['--url', url])

  t.strictSame([code, stderr], [0, ''])
  t.match(stdout, `${url} (open)\n`)
  for (const id of CLIENT_IDS) t.match(stdout, new RegExp(`^ {2}${id} `, 'm'))
  t.match(stdout, /^ {2}claude +Claude\.ai +needs a public HTTPS URL$/m)
  t.notMatch(stdout, '\u001b')
})

t.test('connect: a client is shown with its steps, its snippets and its limits', async t => {
  const url = await serve(t)
  const { stdout } = await connect(t, ['codex', '--url', url, '--name', 'shop'])

  t.match(stdout, `  codex mcp add shop --url ${url}\n`)
  t.match(stdout, `  [mcp_servers.shop]\n  url = "${url}"\n`)
  t.match(stdout, /^Not supported: list changes, prompts$/m)
  t.match(stdout, /^1\. /m)
  t.match(stdout, 'tool_timeout_sec')
})

t.test('connect: what keeps a client from the server comes before its steps, with the fix', async t => {
  const { stdout } = await connect(t, ['claude', '--url', await serve(t)])

  t.match(
    stdout,
    /^Claude\.ai\n\nNot yet: Claude\.ai cannot reach this address\. .*\n\n1\. .*\n[\s\S]* {2}cloudflared tunnel .*\n\n2\. [\s\S]*PUBLIC_URL=/,
  )
})

t.test('connect: the server says whether it wants a token, and where clients sign in', async t => {
  const open = await serve(t)
  const byToken = await serve(t, { jwt: { secret: JWT_SECRET } })
  const bySignIn = await serve(t, { jwt: { secret: JWT_SECRET }, authorizationServers: ['https://as.example'] })

  t.match(await readJson(t, ['cursor', '--url', open]), { server: { access: 'open', authorizationServers: [] } })
  t.match(await readJson(t, ['cursor', '--url', byToken]), {
    server: { url: byToken, access: 'token', authorizationServers: [] },
    client: { id: 'cursor', steps: [{ link: /^cursor:/ }, { snippet: { text: /TOOLRACK_TOKEN/ } }] },
  })
  const { server, client } = await readJson(t, ['cursor', '--url', bySignIn])
  t.match(server, { access: 'token', authorizationServers: ['https://as.example'] })
  t.notMatch(JSON.stringify(client), 'TOOLRACK_TOKEN')
  t.match((await connect(t, ['--url', bySignIn])).stdout, 'clients sign in by OAuth')
})

t.test('connect: a server that has to start first is waited for', async t => {
  const url = await listen(t, (_request, response) => {
    setTimeout(() => send(response, 401, '', 'text/plain'), 3000)
  })

  t.match(await readJson(t, ['cursor', '--url', `${url}/mcp`]), { server: { access: 'token' } })
})

t.test('connect: by default it is the server of the settings, started or not', async t => {
  const port = String(await freePort())
  const { code, stdout, stderr } = await connect(t, ['inspector', '--json'], { PORT: port, JWT_SECRET })

  t.equal(code, 0)
  t.match(JSON.parse(stdout), { server: { url: `http://127.0.0.1:${port}/mcp`, access: 'token' } })
  t.match(stderr, /does not answer\. What follows is by the settings/)
  const publicUrl = { PUBLIC_URL: 'https://mcp.invalid/shop/mcp', JWT_JWKS_URL: 'https://as.invalid/keys' }
  const behind = await connect(t, ['--json'], { ...publicUrl, JWT_ISSUER: 'https://as.invalid' })
  t.match(JSON.parse(behind.stdout), {
    server: { url: 'https://mcp.invalid/shop/mcp', authorizationServers: ['https://as.invalid'] },
  })
  const everywhere = await connect(t, ['--json'], { HOST: '0.0.0.0', PORT: port, ALLOW_ANONYMOUS: 'true' })
  t.match(JSON.parse(everywhere.stdout), { server: { url: `http://localhost:${port}/mcp` } })
  t.match(everywhere.stderr, /for this machine alone\. Set PUBLIC_URL/)
  const given = await connect(t, ['--json', '--url', `http://[::]:${port}/mcp`])
  t.match(JSON.parse(given.stdout), { server: { url: `http://localhost:${port}/mcp` } })
})

t.test('connect: of another server that does not answer nothing is known, and it says so', async t => {
  const { code, stderr } = await connect(t, ['cursor', '--url', `http://127.0.0.1:${await freePort()}/mcp`])

  t.equal(code, 0)
  t.match(stderr, 'does not answer. Whether it asks for a token is not known.')
})

t.test('connect: wrong arguments are one line and exit code 2', async t => {
  for (const [args, message, environment] of [
    [['vs-code'], "unknown client 'vs-code'; did you mean vscode?"],
    [['gemini'], "unknown client 'gemini'; did you mean gemini-cli?"],
    [['foo'], "unknown client 'foo'; toolrack connect lists all"],
    [['a-client-of-mine'], "unknown client 'a-client-of-mine'; toolrack connect lists all"],
    [['codex', '--url', 'mcp.example'], '--url: expected the URL of an endpoint'],
    [['codex', '--url', 'file:///etc/passwd'], '--url: expected the URL of an endpoint'],
    [['codex', '--uri', 'x'], "unknown option '--uri'"],
    [['codex', 'cursor'], 'too many arguments'],
    [[], 'PORT is 0, so the port is not known; pass --url', { PORT: '0' }],
  ] as const) {
    const { code, stdout, stderr } = await connect(t, args, environment)
    t.equal(code, 2, args.join(' '))
    t.match(stderr, message)
    t.match(stderr, /^[^\n]+\n$/)
    t.equal(stdout, '')
  }
})

t.test('connect: on a terminal links can be clicked, and sentences are wrapped', { skip: noTerminal }, async t => {
  const url = await serve(t)
  const { stdout } = await runOnTerminal(t, ['connect', 'cursor', '--url', url], { env: COLOURS, columns: 60 })
  const text = stdout.replaceAll('\r\n', '\n')

  t.match(text, /\u001b\]8;;(cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?\S+)\u001b\\\1\u001b\]8;;\u001b\\/)
  const sentences = text.split('\n').filter(line => /^(?:\d\. |- | {3}[A-Z~.])/.test(line))
  t.ok(sentences.length >= 3)
  t.ok(sentences.every(line => line.length <= 60))
})
