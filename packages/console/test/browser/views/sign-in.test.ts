// Sign-in in a browser with real parts: an authorization server, a user with a window, and a server that checks tokens.
// Specification 2026-07-28: basic/authorization.
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { ServerOptions } from '../../../../../src/index.ts'
import { keysFile, testKey } from '../../../../../test/support/auth/api-keys.ts'
import { bearer, RESOURCE, SECRET } from '../../../../../test/support/auth/guarded.ts'
import { answerForms } from '../../../../../test/support/browser/authorization.ts'
import { assertAccessible } from '../../../../../test/support/browser/axe.ts'
import { press as pressButton } from '../../../../../test/support/browser/console.ts'
import { openGallery, show } from '../../../../../test/support/browser/gallery.ts'
import type { PageOptions } from '../../../../../test/support/browser/page.ts'
import { measureOverflow, takeScreenshots } from '../../../../../test/support/browser/screenshots.ts'
import {
  type AuthorizationServerOptions,
  authorizationServer,
  REGISTERED,
} from '../../../../../test/support/clients/authorization-server.ts'
import { faultsOf } from '../../../../../test/support/clients/faults.ts'
import { READ, priceTools as tools, WRITE } from '../../../../../test/support/clients/price-tools.ts'
import { freePort } from '../../../../../test/support/free-port.ts'
import { request } from '../../../../../test/support/request.ts'

t.setTimeout(300_000)

/** The browser logs each refusal of the server, and asks the authorization server for an icon. */
const REFUSED = /status of 40[013]|favicon.ico/

interface Situation extends AuthorizationServerOptions {
  readonly server?: ServerOptions
  readonly page?: PageOptions
}

async function setUp(t: Test, { server, page: pageOptions, ...situation }: Situation = {}) {
  faultsOf(t)
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const authority = await authorizationServer(t, [READ, WRITE, 'offline_access'], `${origin}/console/callback.html`, {
    cors: 'all',
    ...situation,
  })
  const { issuer, jwksUrl: jwtJwksUrl } = authority
  const opened = await openGallery(
    t,
    { tools, port, authorizationServers: [issuer], ...server, jwt: { jwksUrl: jwtJwksUrl, issuer, ...server?.jwt } },
    { origins: [issuer], expected: [REFUSED], ...pageOptions },
  )
  const user = { account: 'alice', grants: [READ] as string[] }
  answerForms(opened.context, user)
  await show(opened.page, 'signIn')
  await opened.page.getByRole('button', { name: 'Use token' }).waitFor()
  return { ...opened, authority, user, ...actions(opened.page) }
}

function actions(page: Page) {
  const call = async (name: string): Promise<Answer> => {
    const { message, headers } = request('tools/call', { name, arguments: {} })
    const { host: _, ...sent } = headers
    return page.evaluate(([body, headers]) => (globalThis as unknown as Window).send(body, headers), [
      JSON.stringify(message),
      sent,
    ] as const)
  }
  const press = (name: string) => pressButton(page, name)
  const sees = (text: string | RegExp) => page.getByText(text).first().waitFor()
  /** At the authorization server, which the button names. */
  const signIn = () => page.getByRole('button', { name: /^Sign in with 127\.0\.0\.1/ }).click()
  return { call, press, signIn, sees }
}

interface Answer {
  readonly status: number
  readonly text: string
}
interface Window {
  send(body: string, headers: Record<string, unknown>): Promise<Answer>
}

t.test('401, metadata, registration, window, code with PKCE and resource, call', async t => {
  const { page, call, signIn, sees, requests, authority, origin } = await setUp(t)
  t.equal((await call('get_price')).status, 401)
  await signIn()
  await sees('Signed in')
  await sees(READ)

  t.match(await call('get_price'), { status: 200, text: /a price for alice/ })
  t.ok(authority.served.includes('POST /reg 201'))
  const asked = new URL(requests.find(url => url.startsWith(`${authority.issuer}/auth?`))!).searchParams
  t.match(Object.fromEntries(asked), {
    response_type: 'code',
    code_challenge_method: 'S256',
    resource: `${origin}/mcp`,
    redirect_uri: `${origin}/console/callback.html`,
    state: /^[0-9a-f-]{36}$/,
  })
  t.ok(requests.includes(`${origin}/.well-known/oauth-protected-resource/mcp`))
  t.equal(page.url(), `${origin}/console/`)
})

t.test('a page on another host than the public one asks its own origin for the metadata', async t => {
  const server = { publicUrl: RESOURCE, allowedHosts: ['127.0.0.1'] }
  const { call, signIn, sees, requests, authority, origin } = await setUp(t, { server })
  await signIn()
  await sees('Signed in')

  t.match(await call('get_price'), { status: 200, text: /a price for alice/ })
  t.ok(requests.includes(`${origin}/.well-known/oauth-protected-resource/mcp`))
  const asked = new URL(requests.find(url => url.startsWith(`${authority.issuer}/auth?`))!).searchParams
  t.equal(asked.get('resource'), RESOURCE)
  t.notOk(requests.some(url => url.startsWith(new URL(RESOURCE).origin)))
})

t.test('tokens are in memory only', async t => {
  const { page, context, call, signIn, sees, requests, origin } = await setUp(t, { issuesRefreshTokens: true })
  const answered = page.waitForResponse(/\/token$/)
  await signIn()
  await sees('Signed in')
  const { access_token, refresh_token } = (await (await answered).json()) as Record<string, string>
  await call('get_price')

  const stored = '[localStorage.length, sessionStorage.length, document.cookie, history.length]'
  t.strictSame(await page.evaluate(stored), [0, 0, '', 2])
  t.strictSame(await page.evaluate('indexedDB.databases()'), [])
  t.strictSame((await context.storageState()).origins, [])
  t.notOk(requests.some(url => url.includes(access_token!) || url.includes(refresh_token!)))
  t.notOk((await page.content()).includes(access_token!))
  await page.reload()
  await show(page, 'signIn')
  await page.getByRole('button', { name: /^Sign in with/ }).waitFor()
  t.ok(page.url().startsWith(origin))
})

t.test('403 insufficient_scope, more rights, call', async t => {
  const { page, user, call, press, signIn, sees } = await setUp(t)
  await signIn()
  await sees('Signed in')
  t.equal((await call('set_price')).status, 403)
  await sees(`The last request needs ${WRITE}`)

  user.grants = [READ, WRITE]
  await press('Ask for this right')
  await page.getByRole('definition').filter({ hasText: WRITE }).waitFor()

  t.match(await call('set_price'), { status: 200, text: `${READ} ${WRITE}` })
})

t.test('a token is refreshed before it expires', async t => {
  const { call, signIn, sees, authority } = await setUp(t, { issuesRefreshTokens: true, accessTokenS: 20 })
  await signIn()
  await sees('Signed in')
  t.match(await call('get_price'), { status: 200 })

  t.equal(authority.served.filter(each => each === 'POST /token 200').length, 2)
})

t.test('a token that the server refuses is refreshed once, and the request sent again', async t => {
  const { page, call, signIn, sees, authority } = await setUp(t, { issuesRefreshTokens: true })
  await signIn()
  await sees('Signed in')
  await page.route('**/mcp', route => route.fulfill({ status: 401 }), { times: 1 })
  t.match(await call('get_price'), { status: 200, text: /a price for alice/ })
  t.equal(authority.served.filter(each => each === 'POST /token 200').length, 2)

  await page.route('**/mcp', route => route.fulfill({ status: 401 }), { times: 2 })
  t.match(await call('get_price'), { status: 401 })
})

t.test('a sign-in that has ended is said to have, and may begin again', async t => {
  const { page, call, signIn, sees } = await setUp(t)
  await signIn()
  await sees('Signed in')
  await page.route('**/mcp', route => route.fulfill({ status: 401 }), { times: 1 })
  t.equal((await call('get_price')).status, 401)
  await sees('Your sign-in has ended. Sign in again.')
  await signIn()
  await sees('Signed in')

  t.equal((await call('get_price')).status, 200)
})

t.test('who signs out has no token, and the authorization server takes back its own', async t => {
  const { page, call, press, signIn, sees, authority } = await setUp(t, { issuesRefreshTokens: true })
  await signIn()
  await sees('Signed in')
  const revoked = page.waitForResponse(/\/token\/revocation$/)
  await press('Sign out')

  t.equal((await call('get_price')).status, 401)
  const { request, status } = await revoked.then(answer => ({ request: answer.request(), status: answer.status() }))
  t.equal(status, 200)
  t.match(request.postData(), /^token=.+&token_type_hint=refresh_token&client_id=.+/)
  t.ok(authority.served.includes('POST /token/revocation 200'))
})

t.test('an authorization server that revokes nothing does not keep the user signed in', async t => {
  const page = { expected: [REFUSED, /ERR_FAILED/] }
  const { context, authority, call, press, signIn, sees } = await setUp(t, { page })
  await signIn()
  await sees('Signed in')
  await context.route(`${authority.issuer}/token/revocation`, route => route.abort())
  await press('Sign out')

  t.equal((await call('get_price')).status, 401)
})

for (const situation of [
  { name: 'has no registration', hasRegistration: false },
  { name: 'does not let a page register', cors: 'without registration' as const, expected: /registration|\/reg/ },
]) {
  const { name, expected, ...options } = situation
  t.test(`an authorization server that ${name} needs a client id`, async t => {
    const page = { expected: [REFUSED, /blocked by CORS policy/, /net::ERR_FAILED/, ...(expected ? [expected] : [])] }
    const { page: shown, call, signIn, sees, origin } = await setUp(t, { ...options, page })
    await signIn()
    await sees(/does not register this page/)
    await sees(`${origin}/console/callback.html`)
    await shown.getByLabel('Client id').fill(REGISTERED)
    await signIn()
    await sees('Signed in')

    t.match(await call('get_price'), { status: 200, text: /a price for alice/ })
  })
}

t.test('what the authorization server refuses is said', async t => {
  const { context, authority, signIn, sees, origin } = await setUp(t)
  await context.route(`${authority.issuer}/auth?*`, route => {
    const state = new URL(route.request().url()).searchParams.get('state')
    const location = `${origin}/console/callback.html?error=access_denied&error_description=No&state=${state}`
    return route.fulfill({ status: 302, headers: { location } })
  })
  await signIn()

  await sees('The authorization server refused: No')
})

/** Resolves when those who were listening have the message: the newest listener gets it last. */
const DELIVER_EVIL = `new Promise(delivered => {
  const [listener, sender] = Array.from({ length: 2 }, () => new BroadcastChannel('toolrack-console-sign-in'))
  listener.onmessage = () => delivered()
  sender.postMessage('?code=evil&state=other')
})`

t.test('answers to another request are not taken, and waiting can be cancelled', async t => {
  const { page, context, authority, press, signIn, sees } = await setUp(t)
  await context.route(`${authority.issuer}/auth?*`, route => route.fulfill({ body: 'a page that waits' }))
  const [window] = await Promise.all([context.waitForEvent('page'), signIn()])
  await window.getByText('a page that waits').waitFor()
  await page.evaluate(DELIVER_EVIL)
  await sees('Sign in in the window that has opened.')
  await press('Cancel')

  await page.getByRole('button', { name: /^Sign in with/ }).waitFor()
  t.notOk(authority.served.some(each => each.startsWith('POST /token')))
})

t.test('the window cannot reach the console', async t => {
  const { context, authority, signIn } = await setUp(t)
  await context.route(`${authority.issuer}/auth?*`, route => route.fulfill({ body: 'a page that waits' }))
  const [window] = await Promise.all([context.waitForEvent('page'), signIn()])
  await window.getByText('a page that waits').waitFor()

  t.equal(await window.evaluate('opener'), null)
})

t.test('a browser that blocks the window is told of', async t => {
  const { page, signIn, sees } = await setUp(t)
  await page.evaluate('window.open = () => null')
  await signIn()

  await sees('The browser blocked the window.')
})

t.test('an authorization server that is gone is told of', async t => {
  const page = { expected: [REFUSED, /ERR_FAILED|CORS/] }
  const { context, authority, signIn, sees, origin } = await setUp(t, { page })
  await context.route(`${authority.issuer}/**`, route => route.abort())
  await signIn()

  await sees(`It has to allow the origin ${origin}`)
})

const BY_SECRET = {
  tools,
  jwt: { secret: SECRET, jwksUrl: undefined, issuer: undefined },
  publicUrl: RESOURCE,
  allowedHosts: ['127.0.0.1'],
  authorizationServers: undefined,
}

t.test('a pasted token is used, and a wrong one is refused', async t => {
  const { page, call, press, sees } = await setUp(t, { server: BY_SECRET })
  const field = page.getByLabel('Token or API key')
  t.strictSame([await field.getAttribute('type'), await field.getAttribute('autocomplete')], ['password', 'off'])
  await field.fill('wrong.token.indeed')
  await press('Use token')
  await sees('Signed in with a token')
  t.equal((await call('get_price')).status, 401)
  await sees('The server refused this token: ')

  await field.fill(bearer(READ, { sub: 'bob' }).authorization)
  await press('Use token')
  t.match(await call('get_price'), { status: 200, text: /a price for bob/ })
  await sees('bob')
  await sees(READ)
  t.equal(await page.getByRole('button', { name: /^Sign in with/ }).count(), 0)
})

t.test('a token that has ended, or is for another server, is refused with the reason', async t => {
  const { page, call, press, sees } = await setUp(t, { server: BY_SECRET })
  const use = async (claims: object) => {
    await page.getByLabel('Token or API key').fill(bearer(READ, claims).authorization)
    await press('Use token')
    await sees('Signed in with a token')
    t.equal((await call('get_price')).status, 401)
  }
  const now = Math.floor(Date.now() / 1000)
  await use({ iat: now - 7200, exp: now - 3600 })
  await sees(/^This token ended on \d+ \w+, \d\d:\d\d$/)

  await use({ aud: 'https://other.example/mcp' })
  await sees('This token is for another server: https://other.example/mcp')
})

t.test('an API key is used as a token is, also where there is nothing else', async t => {
  const key = testKey({ scopes: [READ] })
  const server = {
    jwt: { jwksUrl: undefined, issuer: undefined },
    authorizationServers: undefined,
    apiKeysFile: keysFile(t, key).path,
  }
  const { page, call, press, sees } = await setUp(t, { server })
  await page.getByLabel('Token or API key').fill(key.key)
  await press('Use token')
  await sees('Signed in with a token')

  t.match(await call('get_price'), { status: 200, text: /a price for n8n/ })
  t.notMatch(await page.content(), key.key)
})

t.test('a token goes to this origin only', async t => {
  const { page, authority, requests, sees } = await setUp(t)
  await page.getByLabel('Token or API key').fill('secret-token')
  await page.keyboard.press('Enter')
  await sees('Signed in with a token')
  const sent = page.waitForRequest(`${authority.issuer}/jwks`)
  await page.evaluate(`fetchSignedIn(${JSON.stringify(`${authority.issuer}/jwks`)})`)

  t.equal((await (await sent).allHeaders())['authorization'], undefined)
  t.ok(requests.includes(`${authority.issuer}/jwks`))
})

t.test('sign-in is accessible, in each of its states', async t => {
  const { page, context, authority, press, signIn, sees } = await setUp(t, { hasRegistration: false })
  await assertAccessible(t, page, 'signed out')
  await signIn()
  await sees(/does not register this page/)
  await assertAccessible(t, page, 'with a client id')
  t.equal(await measureOverflow(page), 0)
  await takeScreenshots(page, 'sign-in')
  await context.route(`${authority.issuer}/auth?*`, route => route.fulfill({ body: 'a page that waits' }))
  await page.getByLabel('Client id').fill(REGISTERED)
  await signIn()
  await sees('Sign in in the window that has opened.')
  await assertAccessible(t, page, 'waiting')
  await press('Cancel')
  await page.getByLabel('Token or API key').fill('a token')
  await page.keyboard.press('Enter')
  await sees('Signed in with a token')
  await assertAccessible(t, page, 'signed in')
})
