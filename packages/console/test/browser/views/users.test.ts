// Users of one tab, one after the other: what the page has of one, the next does not see.
import type { Page } from 'playwright-core'
import t from 'tap'
import { defineTool, Type } from '../../../../../src/index.ts'
import { bearer, RESOURCE, SECRET } from '../../../../../test/support/auth/guarded.ts'
import { assertBecomes } from '../../../../../test/support/browser/becomes.ts'
import { goTo, pressCall } from '../../../../../test/support/browser/calls.ts'
import { findCall, hasStatus, inCall, press, serveConsole } from '../../../../../test/support/browser/console.ts'
import { openPage } from '../../../../../test/support/browser/page.ts'

t.setTimeout(300_000)

const say = defineTool({
  name: 'say',
  inputSchema: Type.Object({ text: Type.Optional(Type.String()) }),
  handler: ({ text }, { caller }) => `${caller?.subject ?? 'nobody'} says ${text}`,
})

const GUARDED = { tools: [say], jwt: { secret: SECRET }, publicUrl: RESOURCE, allowedHosts: ['127.0.0.1'] }

/** Ada and Noah have one name, and different subjects. */
async function signIn(page: Page, sub: string) {
  const { authorization } = bearer('tools', { sub, name: 'A. Person' })
  await page.getByLabel('Token or API key').fill(authorization)
  await press(page, 'Use token')
  await page.getByRole('button', { name: 'A. Person' }).waitFor()
  await hasStatus(page, /^Connected/)
}

async function call(page: Page, text: string) {
  await page.getByLabel('text', { exact: true }).fill(text)
  await pressCall(page)
  await inCall(page, new RegExp(`says ${text}`))
}

const openGuarded = async (t: Parameters<typeof serveConsole>[0]) => {
  const { origin } = await serveConsole(t, GUARDED)
  return openPage(t, `${origin}/console/#/tools/say`, { expected: [/status of 401/] })
}

t.test(
  'calls come back to the same user after a reload, and not to another, who leaves none of them behind',
  async t => {
    const { page } = await openGuarded(t)
    await signIn(page, 'ada')
    await call(page, 'secret')
    await page.reload()
    await signIn(page, 'ada')
    await inCall(page, 'ada says secret')

    await page.reload()
    await signIn(page, 'noah')
    await findCall(page).getByText('Not called yet').waitFor()
    t.notMatch(await page.evaluate('JSON.stringify(sessionStorage)'), /secret/)
  },
)

t.test(
  'a token that was copied with an ellipsis is refused at once, and the account opens for who opens it',
  async t => {
    const { page } = await openGuarded(t)
    await page.getByLabel('Token or API key').fill('eyJhbGciOiJI…')
    await press(page, 'Use token')
    await page.getByRole('alert').filter({ hasText: 'it has … at place 13' }).waitFor()

    await signIn(page, 'ada')
    await page.getByRole('button', { name: 'A. Person' }).click()
    await press(page, 'Sign out')
    await signIn(page, 'noah')
    t.equal(await page.getByRole('dialog', { name: 'Account' }).count(), 0)
  },
)

t.test('who signs out leaves nothing: calls, arguments, messages, own headers', async t => {
  const { page } = await openGuarded(t)
  await signIn(page, 'ada')
  await call(page, 'secret')
  await page.getByRole('button', { name: /^Connected/ }).click()
  const connection = page.getByRole('dialog', { name: 'Connection' })
  await press(connection, 'Add a header')
  await connection.getByLabel('Name of header 1').fill('X-Tenant')
  await connection.getByLabel('Value of header 1').fill('secret')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'A. Person' }).click()
  await press(page, 'Sign out')
  await page.getByLabel('Token or API key').waitFor()

  await goTo(page, 'messages')
  await page.getByRole('main', { name: 'Messages' }).waitFor()
  await assertBecomes(t, () => page.getByText('tools/call').count(), 0, 'the messages are gone')
  t.notMatch(await page.evaluate('JSON.stringify([sessionStorage, localStorage])'), /secret/)
  await goTo(page, 'tools/say')
  const sent = page.waitForRequest(request => request.headers()['authorization'] !== undefined)
  await signIn(page, 'noah')
  t.equal((await sent).headers()['x-tenant'], undefined)
  t.equal(await page.getByLabel('text', { exact: true }).inputValue(), '')
  await findCall(page).getByText('Not called yet').waitFor()
})

t.test('after a refused token all stays for the same user, and nothing for another', async t => {
  const { page } = await openGuarded(t)
  /** As if the key were revoked: the next request finds no access. */
  const refuse = async () => {
    const headers = { 'www-authenticate': 'Bearer error="invalid_token"' }
    await page.route('**/mcp', route => route.fulfill({ status: 401, headers }), { times: 1 })
    await press(page, 'Call')
    await page.getByLabel('Token or API key').waitFor()
  }
  await signIn(page, 'ada')
  await call(page, 'secret')

  await refuse()
  await signIn(page, 'ada')
  await press(page, 'Call before')
  await inCall(page, 'ada says secret')
  t.equal(await page.getByLabel('text', { exact: true }).inputValue(), 'secret')

  await refuse()
  await signIn(page, 'noah')
  await findCall(page).getByText('Not called yet').waitFor()
  t.equal(await page.getByLabel('text', { exact: true }).inputValue(), '')
})
