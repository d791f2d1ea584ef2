// Questions of a tool, in a real browser: forms, URLs and requests for a model, in revisions with and without sessions.
import type { Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { defineTool } from '../../../../../src/index.ts'
import { chooseRevision, inCall, openConsole, press } from '../../../../../test/support/browser/console.ts'
import { RACK } from '../../../../../test/support/browser/rack.ts'
import { LONG_URL, SHOP } from '../../../../../test/support/browser/shop.ts'
import { until } from '../../../../../test/support/eventually.ts'

async function call(page: Page, origin: string, revision: string, tool: string) {
  await page.goto(`${origin}/console/#/tools/${tool}`)
  await chooseRevision(page, revision)
  await press(page, 'Call')
  await page.getByRole('dialog').waitFor()
}

for (const revision of ['2026-07-28', '2025-11-25']) {
  t.test(`${revision}: two questions at once, answered one after the other`, async t => {
    const { page, origin } = await openConsole(t, RACK)
    await call(page, origin, revision, 'greet')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 of 2').waitFor()
    t.match(await dialog.textContent(), /greet of \S+ asks[\s\S]*Your name\?/, 'it says the tool and the server')
    await until(() => page.evaluate<boolean>('document.title.startsWith("● ")'), 'the page says so')
    await press(dialog, 'Send answer')
    t.equal(await dialog.getByLabel('name', { exact: true }).getAttribute('aria-invalid'), 'true')

    await dialog.getByLabel('name', { exact: true }).fill('Ada')
    await press(dialog, 'Send answer')
    await dialog.getByLabel('town', { exact: true }).fill('London')
    await press(dialog, 'Send answer')

    await inCall(page, 'Hello Ada of London')
    await dialog.waitFor({ state: 'detached' })
    t.notMatch(await page.title(), /●/)
  })

  t.test(`${revision}: a question is declined, or cancelled by Escape`, async t => {
    const { page, origin } = await openConsole(t, RACK)
    await call(page, origin, revision, 'greet')
    await press(page.getByRole('dialog'), 'Decline')
    await page.getByRole('dialog').getByLabel('town', { exact: true }).waitFor()
    await page.keyboard.press('Escape')

    await inCall(page, 'No name: decline')
  })

  t.test(`${revision}: one value is chosen by who answers, and what is asked for is not left out`, async t => {
    const terms = defineTool({
      name: 'terms',
      description: 'Asks for consent.',
      async handler(_args, ctx) {
        const properties = {
          terms: { type: 'string' as const, enum: ['agree'] },
          mail: { type: 'boolean' as const, default: true },
        }
        const requestedSchema = { type: 'object' as const, properties, required: ['terms', 'mail'] }
        const { content } = await ctx.elicit('terms', { message: 'Agreed?', requestedSchema })
        return `${content?.['terms']} ${content?.['mail']}`
      },
    })
    const { page, origin } = await openConsole(t, { tools: [terms] })
    await call(page, origin, revision, 'terms')
    const dialog = page.getByRole('dialog')
    await press(dialog, 'Send answer')
    await dialog.getByText('Choose one').waitFor()
    t.equal(await dialog.getByText('If not set').count(), 0, 'nobody fills in what is left out')
    await dialog.getByText('agree', { exact: true }).click()
    await press(dialog, 'Send answer')
    await inCall(page, 'agree true')
  })

  t.test(`${revision}: an address is opened after consent only`, async t => {
    const { page, context, origin } = await openConsole(t, RACK, 'tools', {
      origins: ['https://pay.example'],
    })
    await context.route('https://pay.example/**', route =>
      route.fulfill({ contentType: 'text/html', body: '<title>Pay</title>' }),
    )
    await call(page, origin, revision, 'pay')
    const dialog = page.getByRole('dialog')
    t.match(await dialog.textContent(), /pay\.example[\s\S]*https:\/\/pay\.example\/order\/1\?sum=9/)
    t.equal(context.pages().length, 1)
    const opened = context.waitForEvent('page')

    await press(dialog, 'Open page')

    const other = await opened
    await other.waitForURL('https://pay.example/**')
    t.equal(await other.evaluate('window.opener'), null)
    await inCall(page, 'accept')
  })

  t.test(`${revision}: a request for a model is answered by hand, or rejected`, async t => {
    const { page, origin } = await openConsole(t, RACK)
    await call(page, origin, revision, 'joke')
    const dialog = page.getByRole('dialog')
    t.match(await dialog.textContent(), /You are brief\.[\s\S]+A joke, please/)
    await dialog.getByLabel('Your answer').fill('Knock, knock')
    await press(dialog, 'Send answer')
    await inCall(page, 'human: Knock, knock')

    await press(page, 'Call')
    await press(dialog, 'Reject')

    await inCall(page, /The user rejected the request/)
  })

  t.test(`${revision}: yes or no, and what stands behind it`, async t => {
    const { page, origin } = await openConsole(t, SHOP)
    await page.goto(`${origin}/console/#/tools/delete_report`)
    await chooseRevision(page, revision)
    await page.getByLabel('name', { exact: true }).fill('july.txt')
    await press(page, 'Call')
    const dialog = page.getByRole('alertdialog', { name: 'Delete july.txt for good?' })
    await dialog.waitFor()
    t.match(await dialog.textContent(), /name\s*july\.txt/, 'with the arguments of the call')
    const focused = () => page.evaluate('document.activeElement.textContent')
    t.equal(await focused(), 'No')
    // In the first half second a key that was meant for the form does not answer.
    await page.evaluate(`document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))`)
    t.ok(await dialog.isVisible())

    await press(dialog, 'No')
    await inCall(page, /decline/)
    await press(page, 'Call')
    await dialog.getByRole('button', { name: 'Cancel the call' }).click()
    await inCall(page, /cancel/)
    await press(page, 'Call')
    await press(dialog, 'Yes')
    await inCall(page, 'Deleted july.txt')
  })

  t.test(`${revision}: an address as long as authorization servers make them is opened`, async t => {
    const { page, context, origin } = await openConsole(t, SHOP, 'tools', {
      origins: ['https://accounts.mail.example'],
    })
    await context.route('https://accounts.mail.example/**', route => route.fulfill({ body: 'Allow?' }))
    await call(page, origin, revision, 'send_message')
    const dialog = page.getByRole('dialog')
    t.ok((await dialog.textContent())?.includes(LONG_URL), 'it is shown whole')
    await page.setViewportSize({ width: 390, height: 844 })
    t.equal(await page.evaluate('document.querySelector("dialog").scrollWidth > innerWidth'), false)
    const opened = context.waitForEvent('page')
    await press(dialog, 'Open page')

    await (await opened).waitForURL(LONG_URL)
    await inCall(page, 'Sent')
  })

  t.test(`${revision}: a question comes up in another view, too`, async t => {
    const { page, origin } = await openConsole(t, SHOP)
    await page.goto(`${origin}/console/#/tools/summarize_report`)
    await chooseRevision(page, revision)
    await page.evaluate("document.querySelector('.pane-foot .button-primary').click(); location.hash = '#/connect'")
    await page.getByRole('main', { name: 'Connect' }).waitFor()
    await page.getByRole('dialog').getByLabel('Your answer').fill('Less is more')
    await press(page.getByRole('dialog'), 'Send answer')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await page.goto(`${origin}/console/#/tools/summarize_report`)
    await inCall(page, 'human: Less is more')
  })
}

/** @returns the question of a tool that wants the user to open an address */
async function askToOpen(t: Test, url: string): Promise<Locator> {
  const asks = defineTool({
    name: 'asks',
    handler: async (_args, ctx) => (await ctx.elicit('open', { mode: 'url', message: 'Open', url })).action,
  })
  const { page } = await openConsole(t, { tools: [asks] }, 'tools/asks')
  await press(page, 'Call')
  return page.getByRole('dialog')
}

for (const [name, url, words] of [
  ['plain HTTP', 'http://pay.example/', 'Only addresses with https are opened.'],
  ['a name before the host', 'https://bank.example@evil.example/', 'The address has a user name before its host.'],
] as const) {
  t.test(`a page by ${name} is not opened`, async t => {
    const dialog = await askToOpen(t, url)
    await dialog.getByText(words).waitFor()

    t.ok(await dialog.getByRole('button', { name: 'Open page' }).isDisabled())
  })
}

t.test('a host with letters beyond a to z is shown as what it is, with a note', async t => {
  const { href: url } = new URL('https://\u0430pple.example/login')
  const dialog = await askToOpen(t, url)
  await dialog.getByText('The host has letters beyond a to z').waitFor()

  t.match(await dialog.textContent(), new URL(url).host)
})
