// `toolrack login`: a whole sign-in over sockets, with a real authorization server and a browser that follows
// redirects; then the commands that use it.
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { build } from '../../../../../test/support/app.ts'
import { giveNothingUp } from '../../../../../test/support/auth/jwks-rack.ts'
import {
  type AuthorizationServerOptions,
  authorizationServer,
  REGISTERED,
} from '../../../../../test/support/clients/authorization-server.ts'
import { READ, priceTools as tools, WRITE } from '../../../../../test/support/clients/price-tools.ts'
import { authorize } from '../../../../../test/support/clients/user-agent.ts'
import {
  noTerminal,
  type Running,
  runPiped,
  startOnTerminal,
  startPiped,
  toPlainText,
} from '../../../../../test/support/command-line.ts'
import { eventually, until } from '../../../../../test/support/eventually.ts'
import { freePort } from '../../../../../test/support/free-port.ts'
import { valueIn } from '../../../../../test/support/metrics/series.ts'
import { listen } from '../../../../../test/support/servers/http-server.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'
import { toExpiry } from '../../../src/sign-in/tokens.ts'

const REDIRECT = 'http://127.0.0.1'

interface Place {
  readonly url: string
  readonly served: string[]
  readonly env: Record<string, string>
  readonly folder: string
  run(...args: readonly string[]): ReturnType<typeof runPiped>
  login(...args: readonly string[]): Running
  /** What is kept of the sign-ins. */
  kept(): Kept[]
}

interface Kept {
  readonly url: string
  readonly tokens: { readonly access_token: string; readonly refresh_token?: string }
}

/** A server, the authorization server that it names, and a user with an empty config folder. */
async function place(t: Test, options: AuthorizationServerOptions = {}, redirectUrl = REDIRECT): Promise<Place> {
  const authority = await authorizationServer(t, [READ, WRITE], redirectUrl, options)
  const port = await freePort()
  const { jwksUrl: jwtJwksUrl, issuer } = authority
  giveNothingUp(t)
  const access = { jwt: { jwksUrl: jwtJwksUrl, issuer }, authorizationServers: [issuer] }
  const app = await build(t, { tools, port, ...access })
  await app.listen({ host: '127.0.0.1', port })
  await until(
    async () => (await valueIn(app, 'toolrack_jwks_fetches_total', { outcome: 'ok' })) === 1,
    'keys are there',
  )
  const { path: home } = tempFolder(t, {}, 'home')
  const url = `http://127.0.0.1:${port}/mcp`
  const env = { HOME: home }
  const folder = join(home, '.config', 'toolrack')
  return {
    url,
    env,
    folder,
    served: authority.served,
    run: (...args) => runPiped(t, args, { env }),
    login: (...args) => startPiped(t, ['login', url, ...args], { env }),
    kept: () =>
      readdirSync(join(folder, 'sign-ins'))
        .filter(name => name.endsWith('.json'))
        .map(name => JSON.parse(readFileSync(join(folder, 'sign-ins', name), 'utf8'))),
  }
}

const PAGE = /http:\/\/127\.0\.0\.1:\d+\/auth\?\S+/

/** The page that the command shows. */
async function shown(running: Running): Promise<URL> {
  await running.shows(PAGE)
  return new URL(PAGE.exec(toPlainText(running.stdout + running.stderr))![0])
}

const getRedirect = (page: URL): URL => new URL(page.searchParams.get('redirect_uri')!)

/** The user signs in and grants; the browser then opens what it is sent to. @returns the page that it ends at */
async function signIn(page: URL, grants: readonly string[] = [READ]): Promise<{ status: number; text: string }> {
  const redirect = getRedirect(page)
  const answer = await authorize({ account: 'alice', grants }, page, redirect.href)
  return open(redirect, answer)
}

async function open(redirect: URL, answer: URLSearchParams): Promise<{ status: number; text: string }> {
  const response = await fetch(`${redirect}?${answer}`)
  return { status: response.status, text: await response.text() }
}

t.test('login: the browser brings the answer, and call, list and doctor use the sign-in', async t => {
  const { url, login, run, kept, folder } = await place(t)
  const refused = await run('list', url)
  t.equal(refused.code, 1)
  t.match(refused.stderr, `toolrack login ${url}`)

  const running = login()
  const page = await shown(running)
  const end = await signIn(page)
  const { code, stdout, stderr } = await running.ended

  t.strictSame([code, stdout], [0, `Signed in to ${url}, for ${READ}.\n`])
  t.match(end, { status: 200, text: /signed in/ })
  t.match(Object.fromEntries(page.searchParams), {
    response_type: 'code',
    code_challenge_method: 'S256',
    resource: url,
    scope: READ,
    state: /^[\w-]{40,}$/,
    redirect_uri: /^http:\/\/127\.0\.0\.1:\d+\/callback$/,
  })
  t.match(stderr, /^The sign-in ends at \d{4}-/m)
  const [{ url: ofUrl, tokens }] = kept() as [Kept]
  t.equal(ofUrl, url)
  t.notMatch(stdout + stderr, tokens.access_token)
  t.match(await run('call', url, 'get_price'), { code: 0, stdout: 'a price for alice' })
  t.match(await run('list', url), { code: 0, stdout: /^get_price/ })
  t.notMatch((await run('doctor', url)).stdout, 'what needs a token was not checked')

  const [file] = readdirSync(join(folder, 'sign-ins'))
  t.equal(statSync(join(folder, 'sign-ins', file!)).mode & 0o777, 0o600)
  t.equal(statSync(join(folder, 'sign-ins')).mode & 0o777, 0o700)
  t.equal(statSync(folder).mode & 0o777, 0o700)
})

t.test('login: --json, --scope, and a second sign-in replaces the first', async t => {
  const { url, login, run, kept, served } = await place(t)
  await signIn(await shown(login()))
  await until(() => served.includes('POST /token 200'), 'the first is signed in')
  const running = login('--scope', WRITE, '--json')
  await signIn(await shown(running), [READ, WRITE])
  const { code, stdout } = await running.ended

  t.equal(code, 0)
  t.match(JSON.parse(stdout), { url, scope: `${READ} ${WRITE}`, expires: /^\d{4}-/, isRefreshed: false })
  t.equal(kept().length, 1)
  t.match(await run('call', url, 'set_price'), { code: 0, stdout: `${READ} ${WRITE}` })
})

t.test('login: an expired token is refreshed once, also by commands at the same time', async t => {
  const { url, env, login, run, kept, served, folder } = await place(t, { issuesRefreshTokens: true })
  const running = login()
  await signIn(await shown(running))
  t.match(await running.ended, { code: 0, stderr: /^(?!The sign-in ends)/ })
  const [before] = kept() as [Kept]
  expire(folder)

  const ended = await Promise.all([1, 2, 3, 4].map(() => runPiped(t, ['call', url, 'get_price'], { env })))

  for (const each of ended) t.match(each, { code: 0, stdout: 'a price for alice' })
  const [after] = kept() as [Kept]
  t.not(after.tokens.access_token, before.tokens.access_token)
  t.strictSame(
    served.filter(line => line === 'POST /token 200'),
    ['POST /token 200', 'POST /token 200'],
  )
  t.match(await run('call', url, 'get_price'), { code: 0 })
})

t.test('login: a token that the server refuses is refreshed, and the call is sent again', async t => {
  const { url, login, run, folder, kept } = await place(t, { issuesRefreshTokens: true })
  const running = login()
  await signIn(await shown(running))
  await running.ended
  change(folder, ({ tokens, ...rest }) => ({ ...rest, tokens: { ...tokens, access_token: 'spoilt' } }))

  t.match(await run('call', url, 'get_price'), { code: 0, stdout: 'a price for alice' })
  t.not(kept()[0]!.tokens.access_token, 'spoilt')
})

t.test('login: a refresh that is refused says to sign in again', async t => {
  const { url, login, run, folder } = await place(t, { issuesRefreshTokens: true })
  const running = login()
  await signIn(await shown(running))
  await running.ended
  change(folder, ({ tokens, ...rest }) => ({ ...rest, tokens: { ...tokens, refresh_token: 'gone' }, expiresMs: 1 }))

  t.match(await run('call', url, 'get_price'), {
    code: 1,
    stdout: '',
    stderr: `the sign-in to ${url} has expired; sign in again: toolrack login ${url}\n`,
  })
})

t.test('login: a refresh token goes to no other server, wherever the token endpoint redirects', async t => {
  const { url, login, run, folder } = await place(t, { issuesRefreshTokens: true })
  const running = login()
  await signIn(await shown(running))
  await running.ended
  const seen: string[] = []
  const other = await listen(t, async (request, response) => {
    seen.push(await text(request))
    response.writeHead(400).end()
  })
  const moved = await listen(t, (_request, response) => response.writeHead(307, { location: `${other}/token` }).end())
  change(folder, ({ metadata, ...rest }) => ({
    ...rest,
    metadata: { ...(metadata as object), token_endpoint: moved },
    expiresMs: 1,
  }))

  t.match(await run('call', url, 'get_price'), { code: 1 })
  t.strictSame(seen, [])
})

t.test('login: a header of the user goes to no other server', async t => {
  const seen: unknown[] = []
  const other = await listen(t, (request, response) => {
    seen.push(request.headers['x-team'])
    response.writeHead(401).end()
  })
  const moved = await listen(t, (_request, response) => response.writeHead(307, { location: `${other}/mcp?a=b` }).end())

  const { code, stderr } = await runPiped(t, ['login', `${moved}/mcp`, '--header', 'X-Team: blue'])
  t.equal(code, 1)
  t.equal(stderr, `${moved}/mcp redirects to ${other}/mcp; sign in to that URL if it is the intended server\n`)
  t.strictSame(seen, [])
})

t.test('login: a refresh that nobody answers is not an expired sign-in', async t => {
  const { url, login, run, folder } = await place(t, { issuesRefreshTokens: true })
  const running = login()
  await signIn(await shown(running))
  await running.ended
  const nobody = `http://127.0.0.1:${await freePort()}/token`
  change(folder, ({ metadata, ...rest }) => ({
    ...rest,
    metadata: { ...(metadata as object), token_endpoint: nobody },
    expiresMs: 1,
  }))

  const { code, stderr } = await run('call', url, 'get_price')
  t.equal(code, 1)
  t.match(stderr, /^the token for http\S+ could not be refreshed: http\S+: nothing listens there[^\n]*\n$/)
})

t.test('login: an expiry beyond all dates', async t => {
  t.equal(toExpiry({ access_token: 'a', token_type: 'Bearer', expires_in: 1e300 }), undefined)
})

t.test('login: an expired token without a refresh token says to sign in again', async t => {
  const { url, login, run, folder } = await place(t)
  const running = login()
  await signIn(await shown(running))
  await running.ended
  change(folder, ({ tokens, ...rest }) => ({ ...rest, tokens: { ...tokens, access_token: 'old' }, expiresMs: 1 }))

  t.match(await run('list', url), { code: 1, stderr: /sign in again: toolrack login / })
})

type Json = Record<string, unknown> & { readonly tokens: object }

function change(folder: string, edit: (kept: Json) => object): void {
  const [name] = readdirSync(join(folder, 'sign-ins'))
  const file = join(folder, 'sign-ins', name!)
  writeFileSync(file, JSON.stringify(edit(JSON.parse(readFileSync(file, 'utf8')))))
}

const expire = (folder: string): void => change(folder, kept => ({ ...kept, expiresMs: Date.now() - 1000 }))

t.test('login: an answer with another state is refused, and the sign-in goes on', async t => {
  const { url, login } = await place(t)
  const running = login()
  const page = await shown(running)
  const redirect = getRedirect(page)

  for (const answer of ['code=stolen&state=other', 'code=stolen', ''])
    t.match(await open(redirect, new URLSearchParams(answer)), { status: 400, text: /another sign-in/ })
  t.equal((await fetch(new URL('/other', redirect))).status, 404)
  await signIn(page)

  t.match(await running.ended, { code: 0, stdout: `Signed in to ${url}, for ${READ}.\n` })
})

t.test('login: an answer of another issuer is not used', async t => {
  const { login, folder } = await place(t)
  const running = login()
  const page = await shown(running)
  const redirect = getRedirect(page)
  const state = page.searchParams.get('state')!
  const end = await open(redirect, new URLSearchParams({ code: 'stolen', state, iss: 'https://evil.example' }))

  t.match(end, { status: 400, text: /failed/ })
  const { code, stderr } = await running.ended
  t.equal(code, 1)
  t.match(stderr, /another one has answered \(iss\)/)
  t.notMatch(stderr, 'evil')
  t.throws(() => statSync(folder), { code: 'ENOENT' })
})

t.test('login: what the user denies is said, with the reason', async t => {
  const { login } = await place(t)
  const running = login()
  const page = await shown(running)
  const answer = new URLSearchParams({
    error: 'access_denied',
    error_description: 'not \u001b[31mtoday',
    state: page.searchParams.get('state')!,
    iss: page.origin,
  })
  t.match(await open(getRedirect(page), answer), { status: 400, text: /failed/ })

  t.match(await running.ended, {
    code: 1,
    stdout: '',
    stderr: /\nthe sign-in was refused: access_denied, not \\x1b\[31mtoday\n$/,
  })
})

t.test('login: a registered client has its id and its port', async t => {
  const port = await freePort()
  const { login, served } = await place(t, { hasRegistration: false }, `http://127.0.0.1:${port}/callback`)

  t.match(await login().ended, { code: 1, stderr: /registers no clients: register one there.*--client-id\n$/ })

  const blocker = createServer().listen(port, '127.0.0.1')
  await until(() => blocker.listening, 'the port is taken')
  t.match(await login('--client-id', REGISTERED, '--port', String(port)).ended, {
    code: 1,
    stderr: `port ${port} of 127.0.0.1 is taken; stop what listens there, or take another --port\n`,
  })
  await new Promise(resolve => blocker.close(resolve))

  const running = login('--client-id', REGISTERED, '--port', String(port))
  const page = await shown(running)
  t.equal(page.searchParams.get('client_id'), REGISTERED)
  await signIn(page)
  t.match(await running.ended, { code: 0 })
  t.notOk(served.some(line => line.startsWith('POST /reg')))
})

t.test('login: the document of a client is its id, where the authorization server takes one', async t => {
  const document = 'https://cli.example/client.json'
  let takesDocuments = true
  const origin: string = await listen(t, (request, response) => {
    const answers: Record<string, object> = {
      '/.well-known/oauth-protected-resource/mcp': { resource: `${origin}/mcp`, authorization_servers: [origin] },
      '/.well-known/oauth-authorization-server': {
        issuer: origin,
        authorization_endpoint: `${origin}/auth`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        client_id_metadata_document_supported: takesDocuments,
      },
    }
    const answer = answers[request.url!]
    if (request.url === '/mcp') return void response.writeHead(401).end()
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? {}))
  })
  const start = () =>
    startPiped(t, ['login', `${origin}/mcp`, '--client-id', document], { env: { HOME: tempFolder(t).path } })
  const running = start()

  t.equal((await shown(running)).searchParams.get('client_id'), document)
  running.child.kill('SIGINT')
  await running.ended
  takesDocuments = false
  t.match(await start().ended, { code: 1, stderr: /registers no clients|refuses to register a client/ })
})

t.test('login: a port that is none is refused', async t => {
  for (const port of ['0', '65536', 'x'])
    t.match(await runPiped(t, ['login', 'http://127.0.0.1:9/mcp', '--port', port]), { code: 2, stderr: /^--port: / })
})

t.test('login: Ctrl-C ends it with 130, and nothing is kept', async t => {
  const { login, folder } = await place(t)
  const running = login()
  const page = await shown(running)
  running.child.kill('SIGINT')

  t.match(await running.ended, { code: 130, stdout: '' })
  t.throws(() => statSync(folder), { code: 'ENOENT' })
  await t.rejects(fetch(getRedirect(page)))
})

t.test('login: nobody comes in time', async t => {
  const { login } = await place(t)
  t.match(await login('--timeout', '500ms').ended, { code: 1, stderr: /nobody has signed in in time; --timeout 15m/ })
})

t.test('login: a server that asks for no token, one that is down, and one that signs nobody in', async t => {
  const open = await build(t, { tools: [] })
  const origin = await open.listen({ host: '127.0.0.1', port: 0 })
  const env = { HOME: tempFolder(t).path }
  const login = (url: string) => runPiped(t, ['login', url], { env })

  t.match(await login(`${origin}/mcp`), { code: 1, stderr: /asks for no token \(\d{3}\), so nobody has to sign in\n$/ })
  t.match(await login(`http://127.0.0.1:${await freePort()}/mcp`), { code: 1, stderr: /nothing listens there/ })
  const bare = await listen(t, (_, response) => void response.writeHead(401).end())
  t.match(await login(`${bare}/mcp`), { code: 1, stderr: new RegExp(`^${bare}\\S* `) })
})

t.test('login: a server without TLS on another machine is warned of', async t => {
  const { stderr } = await runPiped(t, ['login', 'http://192.0.2.1:9/mcp', '--timeout', '100ms'])
  t.match(stderr, /^Warning: this server has no TLS; others can read its tokens on the way\.\n/)
})

t.test('login: the token of one URL goes to no other', async t => {
  const { url, env, login, kept } = await place(t)
  const running = login()
  await signIn(await shown(running))
  await running.ended
  const seen: unknown[] = []
  const other = await listen(t, (request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(401).end()
  })
  await runPiped(t, ['list', `${other}/mcp`], { env })
  await runPiped(t, ['list', url.replace('/mcp', '/other')], { env })

  t.ok(seen.length > 0)
  t.strictSame([...new Set(seen)], [undefined])
  t.equal(kept().length, 1)
})

t.test('login: TOOLRACK_TOKEN and --header win over the sign-in', async t => {
  const { url, env, login } = await place(t)
  const running = login()
  await signIn(await shown(running))
  await running.ended

  t.match(await runPiped(t, ['list', url], { env: { ...env, TOOLRACK_TOKEN: 'mine' } }), { code: 1 })
  t.match(await runPiped(t, ['list', url, '--header', 'Authorization: Bearer mine'], { env }), { code: 1 })
})

t.test('logout: revokes the tokens, and forgets them', async t => {
  const { url, login, run, served, kept } = await place(t, { issuesRefreshTokens: true })
  t.match(await run('logout', url), { code: 1, stderr: `nobody is signed in to ${url} here\n` })
  const running = login()
  await signIn(await shown(running))
  await running.ended

  t.match(await run('logout', url), { code: 0, stdout: `Signed out of ${url}.\n`, stderr: '' })

  t.ok(served.includes('POST /token/revocation 200'))
  t.strictSame(kept(), [])
  t.match(await run('list', url), { code: 1, stderr: new RegExp(`toolrack login ${url}`) })
})

t.test('login: a kept file with a fault is named, login replaces it, logout deletes it', async t => {
  const { url, login, run, folder } = await place(t)
  const running = login()
  await signIn(await shown(running))
  await running.ended
  change(folder, () => ({ tokens: {} }))
  t.match(await run('list', url), { code: 1, stderr: /\.json is not a sign-in for .*; delete it, and sign in again/ })

  const again = login()
  await signIn(await shown(again))
  t.match(await again.ended, { code: 0 })
  change(folder, () => ({ tokens: {} }))
  t.match(await run('logout', url), { code: 0 })
  t.match(await run('list', url), { code: 1, stderr: new RegExp(`toolrack login ${url}`) })
})

/** A browser that notes what it is to open. */
function browser(t: Test): { readonly env: Record<string, string>; opened(): string } {
  const { path } = tempFolder(t, {}, 'bin')
  const note = join(path, 'opened.txt')
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > '${note}.new' && mv '${note}.new' '${note}'\n`)
  chmodSync(join(path, 'xdg-open'), 0o755)
  const read = () => readFileSync(note, 'utf8')
  return { env: { PATH: `${path}${delimiter}${process.env['PATH']}` }, opened: read }
}

/** `toolrack login` on a terminal, up to the page that it shows. */
async function startWithBrowser(t: Test, variables: Readonly<Record<string, string>>) {
  const { url, env } = await place(t)
  const { env: withBrowser, opened } = browser(t)
  const options = { env: { ...env, ...withBrowser, ...variables }, columns: 2000 }
  const running = startOnTerminal(t, ['login', url], options)
  return { running, page: await shown(running), opened }
}

t.test(
  'login on a terminal: opens the browser where there is a display, and prints the page',
  {
    skip: noTerminal,
  },
  async t => {
    const { running, page, opened } = await startWithBrowser(t, { DISPLAY: ':0' })
    await eventually(() => isThere(opened), 'the browser was opened')

    t.equal(opened(), page.href)
    await signIn(page)
    const { code, stdout } = await running.ended
    t.equal(code, 0)
    t.match(toPlainText(stdout), /Sign in in the browser:\n[\s\S]*Signed in to /)
  },
)

t.test(
  'login on a terminal: over SSH nothing is opened, and the address can be pasted',
  {
    skip: noTerminal,
  },
  async t => {
    const ssh = { DISPLAY: ':0', SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }
    const { running, page, opened } = await startWithBrowser(t, ssh)
    await running.shows('paste the address here')
    const answer = await authorize({ account: 'alice', grants: [READ] }, page, getRedirect(page).href)

    running.type('what?\r')
    await running.shows('That is not the address')
    running.type(`${getRedirect(page)}?${answer}\r`)

    const { code, stdout } = await running.ended
    t.equal(code, 0)
    t.match(toPlainText(stdout), /Open this page to sign in:\n[\s\S]*Signed in to /)
    t.throws(opened, { code: 'ENOENT' })
  },
)

t.test('login on a terminal: Ctrl-C ends it with 130', { skip: noTerminal }, async t => {
  const { url, env } = await place(t)
  const running = startOnTerminal(t, ['login', url], { env, columns: 2000 })
  await shown(running)
  running.type('\u0003')

  t.equal((await running.ended).code, 130)
})

function isThere(read: () => string): boolean {
  try {
    return read() !== ''
  } catch {
    return false
  }
}
