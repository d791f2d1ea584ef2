// The page at the endpoint, in a browser: for everybody to read, and nothing of a hostile tool runs in it.
import t from 'tap'
import { defineTool, type ServerOptions } from '../../../../../src/index.ts'
import { listening } from '../../../../../test/support/app.ts'
import { assertAccessible } from '../../../../../test/support/browser/axe.ts'
import { openPage } from '../../../../../test/support/browser/page.ts'
import { RACK } from '../../../../../test/support/browser/rack.ts'
import { measureOverflow, takeScreenshots } from '../../../../../test/support/browser/screenshots.ts'
import { PAYLOADS } from '../../../../../test/support/console/payloads.ts'

/** Opens what is folded up. */
const UNFOLD = 'for (const each of document.querySelectorAll("details")) each.open = true'

const JWT_SECRET = 'a secret of 32 bytes, or some more'

const STATES: Readonly<Record<string, ServerOptions>> = {
  page: { ...RACK, title: 'The rack', instructions: 'Be kind. Always.' },
  'page-folded': { ...RACK, console: false },
  'page-token': { ...RACK, jwt: { secret: JWT_SECRET }, authorizationServers: ['https://login.shop.example'] },
  'page-empty': {},
}

for (const [name, options] of Object.entries(STATES)) {
  t.test(`${name}: accessible, and as wide as the smallest phone`, async t => {
    const { url } = await listening(t, options)
    const { page } = await openPage(t, new URL('/', url).href)
    await page.evaluate(UNFOLD)

    await assertAccessible(t, page, name)
    t.equal(await measureOverflow(page), 0)
    await takeScreenshots(page, name)
  })
}

t.test('its style applies under its own policy', async t => {
  const { url } = await listening(t, RACK)
  const { page } = await openPage(t, url)

  t.equal(await page.evaluate('getComputedStyle(document.querySelector(".page-body")).maxWidth'), '1072px')
})

t.test('without a script a choice shows the command of a client, and a card its steps', async t => {
  const { url } = await listening(t, RACK)
  const { page } = await openPage(t, new URL('/', url).href, { javaScriptEnabled: false })
  const shown = (selector: string) => page.locator(selector).filter({ visible: true }).allTextContents()

  t.strictSame(await shown('.picked pre'), [`claude mcp add --transport http toolrack ${url}`])
  await page.getByRole('radio', { name: 'Codex' }).check()
  t.strictSame(await shown('.picked pre'), [`codex mcp add toolrack --url ${url}`])

  t.strictSame(await shown('.page-client > h3'), ['Claude Code'])
  await page.getByRole('link', { name: 'ChatGPT Needs a public HTTPS URL' }).click()
  t.strictSame(await shown('.page-client > h3'), ['ChatGPT'])
  t.match(await shown('.page-client .note'), [/ChatGPT cannot reach this address/])
  t.equal(await page.getByRole('button').count(), 0, 'no Copy that would do nothing')
})

t.test('by keyboard alone: the choice of a client, and its steps', async t => {
  const { url } = await listening(t, RACK)
  const { page } = await openPage(t, new URL('/', url).href)

  await page.keyboard.press('Tab')
  t.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content')
  await page.getByRole('radio', { name: 'Claude Code' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByText('code --add-mcp').first().waitFor()
  await page.getByRole('link', { name: /^Cursor/ }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Add to Cursor' }).waitFor()
})

t.test('Copy takes the text, and says so', async t => {
  const { url } = await listening(t, RACK)
  const { page, context } = await openPage(t, new URL('/', url).href)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])

  const button = page.getByRole('button', { name: 'Copy the endpoint' })
  await button.click()
  await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
  t.equal(await page.evaluate('navigator.clipboard.readText()'), url)
  t.equal(await button.textContent(), 'Copied')
})

t.test('a tool is a link to its form', async t => {
  const { url } = await listening(t, RACK)
  const { page } = await openPage(t, new URL('/', url).href)

  const href = await page.getByRole('link', { name: /^list_orders/ }).getAttribute('href')
  t.equal(new URL(href!, url).href, new URL('/console/#/tools/list_orders', url).href)
})

t.test('nothing of a hostile tool runs, loads or breaks the policy', async t => {
  const tools = PAYLOADS.map((payload, at) =>
    defineTool({
      name: `hostile_${at}`,
      title: payload,
      description: payload,
      inputSchema: {
        type: 'object',
        properties: { [payload]: { type: 'string', enum: [payload] } },
        required: [payload],
      },
      handler: () => 'x',
    }),
  )
  const fit = (text: string, max: number) => text.replaceAll('\0', '').slice(0, max).toWellFormed()
  const hostile = { tools, title: fit(PAYLOADS.join(''), 200), instructions: fit(PAYLOADS.join('\n'), 8192) }
  for (const console of [true, false]) {
    const { url } = await listening(t, { ...hostile, console })
    const { page, faults, requests } = await openPage(t, url)
    await page.evaluate(UNFOLD)

    t.strictSame(faults, [])
    t.strictSame(
      requests.filter(each => !each.startsWith('data:')),
      [url],
    )
    t.equal(await page.locator('.tool-rows > li').count(), PAYLOADS.length)
    t.equal(await page.locator('script').count(), 1)
    t.equal(await page.locator('iframe, img, form, base, object, embed').count(), 0)
    t.equal(await page.locator('input:not([type=radio])').count(), 0)
  }
})
