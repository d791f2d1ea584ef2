// What the server refuses, in the console itself: no token, one that has expired, too few rights, too many requests.
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { defineTool, type ServerOptions } from '../../../../../src/index.ts'
import { SECRET } from '../../../../../test/support/auth/guarded.ts'
import { signed } from '../../../../../test/support/auth/tokens.ts'
import { assertAccessible } from '../../../../../test/support/browser/axe.ts'
import { pressCall } from '../../../../../test/support/browser/calls.ts'
import { findCall, hasStatus, inCall, press, serveConsole } from '../../../../../test/support/browser/console.ts'
import { openPage } from '../../../../../test/support/browser/page.ts'

/** Longer than the test takes on any machine: what is at its limit stays there. */
const WINDOW_MS = 3_600_000
const REFUSED = { expected: [/status of 4(?:01|03|29)/] }

const tools = [
  defineTool({ name: 'free', handler: () => 'free' }),
  defineTool({ name: 'closed', scopes: ['prices:write'], handler: () => 'opened' }),
]

async function open(t: Test, options: ServerOptions, route = '') {
  const served = await serveConsole(t, { tools, ...options })
  const watched = await openPage(t, `${served.origin}/console/#/${route}`, REFUSED)
  const { resource: aud } = (await served.app.inject('/console/config.json')).json()
  const token = (over: object = {}) => signed(SECRET, { aud, sub: 'alice', scope: '', ...over })
  const { page } = watched
  const signIn = async (over?: object) => {
    await page.getByLabel('Token or API key').fill(token(over))
    await press(page, 'Use token')
  }
  const isConnected = () => hasStatus(page, /^Connected/)
  /** Nothing of what the page asks when it connects is under way. */
  const isQuiet = async () => {
    await isConnected()
    await page.locator('[data-follows="true"]').waitFor({ state: 'attached' })
    await findRun(page).waitFor()
  }
  return { ...served, ...watched, signIn, token, isConnected, isQuiet }
}

/** Call, below the arguments of the open tool. */
const findRun = (page: Page) => page.getByRole('region', { name: 'Arguments' }).getByRole('button', { name: /^Call/ })

const needsToken = (page: Page) => page.getByRole('heading', { name: /needs a token$/ }).waitFor()

/** In what the page sends from now on. */
const replaceToken = (page: Page, origin: string, token: string) =>
  page.route(`${origin}/mcp`, route =>
    route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${token}` } }),
  )

t.test('401: who has no token is asked for one, and goes on with it', async t => {
  const { page, signIn, isConnected } = await open(t, { jwt: { secret: SECRET } })
  await needsToken(page)
  await page.getByRole('button', { name: /^Not signed in/ }).waitFor()
  t.equal(await page.getByRole('button', { name: /^Sign in/ }).count(), 0, 'no OAuth is offered')
  t.equal(await page.getByRole('link', { name: 'free' }).count(), 0)
  await assertAccessible(t, page, 'the refusal')

  await signIn()

  await isConnected()
  await page.getByRole('link', { name: 'free' }).waitFor()
  t.equal(await page.getByRole('alert').filter({ hasText: /./ }).count(), 0)
})

t.test('401: a token that is refused later is said to be', async t => {
  const { page, origin, signIn, token, isConnected, isQuiet } = await open(t, { jwt: { secret: SECRET } }, 'tools/free')
  await needsToken(page)
  await signIn()
  await isQuiet()
  await replaceToken(page, origin, token({ exp: 1 }))
  await pressCall(page)

  await page
    .getByRole('alert')
    .getByText(/This token ended on|This token has ended/)
    .waitFor()
  await needsToken(page)
  await page.unroute(`${origin}/mcp`)
  await signIn()
  await isConnected()
  await findRun(page).waitFor()
})

t.test('403: a call says which rights it needs, and takes another token', async t => {
  const { page, origin, signIn, token, isQuiet } = await open(t, { jwt: { secret: SECRET } }, 'tools/closed')
  await needsToken(page)
  await signIn({ scope: 'prices:write' })
  await isQuiet()
  // What it may do has changed since the tools were listed.
  await replaceToken(page, origin, token())
  await pressCall(page)

  await hasStatus(findCall(page), /^Refused/)
  const verdict = findCall(page).getByRole('alert')
  await verdict.getByRole('heading', { name: 'This call needs the scope prices:write' }).waitFor()
  await verdict.getByText('The server did not run the tool.').waitFor()
  await inCall(page, 'insufficient_scope')
  await assertAccessible(t, page, 'a call without the right')

  await page.unroute(`${origin}/mcp`)
  await press(verdict, 'Use another token')
  await signIn({ scope: 'prices:write', jti: 'another' })
  await isQuiet()
  await pressCall(page)
  await inCall(page, 'opened')
})

t.test('429: too many requests are said to be, with the time to wait', async t => {
  const { page, origin } = await open(t, { rateLimit: { max: 20, timeWindow: WINDOW_MS } }, 'tools/free')
  await findRun(page).waitFor()
  await page.evaluate(`(async () => {
    for (let sent = 0; sent < 20; sent++) await fetch('config.json')
  })()`)
  await pressCall(page)
  await findCall(page)
    .getByRole('alert')
    .getByRole('heading', { name: /Too many requests: try again later/ })
    .waitFor()
  await inCall(page, /retry in \d+ s/)

  await page.goto(`${origin}/console/#/activity`)
  await page
    .getByRole('alert')
    .getByText(/Too many requests: try again later/)
    .waitFor()
})
