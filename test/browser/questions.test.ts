// Questions of a tool, in a real browser: forms, URLs and requests for a model, in revisions with and without sessions.
import type { Page } from 'playwright-core'
import t from 'tap'
import { chooseRevision, inCall, openConsole, press } from '../support/browser/console.ts'
import { RACK } from '../support/browser/rack.ts'

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
    await dialog.getByText('1 more waits behind it.').waitFor()
    t.match(await dialog.getByRole('heading').textContent(), /A question of greet/)
    await press(dialog, 'Answer')
    await dialog.getByText('This is required.').waitFor()

    await dialog.getByLabel('name').fill('Ada')
    await press(dialog, 'Answer')
    await dialog.getByLabel('town').fill('London')
    await press(dialog, 'Answer')

    await inCall(page, 'Hello Ada of London')
    await dialog.waitFor({ state: 'detached' })
  })

  t.test(`${revision}: a question is declined, or cancelled by Escape`, async t => {
    const { page, origin } = await openConsole(t, RACK)
    await call(page, origin, revision, 'greet')
    await press(page.getByRole('dialog'), 'Decline')
    await page.getByRole('dialog').getByLabel('town').waitFor()
    await page.keyboard.press('Escape')

    await inCall(page, 'No name: decline')
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

    await press(dialog, 'Open the page')

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
    await dialog.getByLabel('Answer of the model').fill('Knock, knock')
    await press(dialog, 'Answer')
    await inCall(page, 'human: Knock, knock')

    await press(page, 'Call')
    await press(dialog, 'Reject')

    await inCall(page, /The user rejected the request/)
  })

  t.test(`${revision}: a question is withdrawn with its call`, async t => {
    const { page, origin } = await openConsole(t, RACK)
    await call(page, origin, revision, 'greet')
    // The dialog keeps the rest of the page from being clicked.
    await page.evaluate('[...document.querySelectorAll(".call-buttons button")].at(-1).click()')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await inCall(page, 'You cancelled this call.')
  })
}
