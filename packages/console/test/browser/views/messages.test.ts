// The messages of a tab as a network panel, in a real browser.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { defineTool, ToolError } from '../../../../../src/index.ts'
import { assertAccessible } from '../../../../../test/support/browser/axe.ts'
import { assertBecomes } from '../../../../../test/support/browser/becomes.ts'
import { goTo, openTool, pressCall } from '../../../../../test/support/browser/calls.ts'
import { openConsole } from '../../../../../test/support/browser/console.ts'
import { measureOverflow } from '../../../../../test/support/browser/screenshots.ts'

const TIMES = 14

const counts = defineTool({
  name: 'counts',
  handler(_args, ctx) {
    for (let step = 1; step <= TIMES; step++) ctx.progress(step, TIMES, `Counting ${step}`)
    ctx.log.info('counted')
    return 'all of them'
  },
})

const fails = defineTool({
  name: 'fails',
  handler() {
    throw new ToolError('no such SKU')
  },
})

const rows = (page: Page) => page.getByRole('group', { name: 'Messages' }).getByRole('row')
const detail = (page: Page) => page.locator('.pane-result')

/** A console whose user has called a tool and then looks at the messages. */
async function lookAt(t: Test, ...names: readonly string[]) {
  const opened = await openConsole(t, { tools: [counts, fails] })
  const { page } = opened
  for (const name of names) {
    await openTool(page, name)
    await pressCall(page)
    await page
      .getByRole('status')
      .filter({ hasText: /Done|OK|Tool error/ })
      .first()
      .waitFor()
  }
  await goTo(page, 'messages')
  return opened
}

t.test('a request and its answer are one row, with status, time and size', async t => {
  const { page } = await lookAt(t, 'counts')
  const row = rows(page).filter({ hasText: 'tools/call' })

  t.equal(await row.count(), 1)
  t.match(await row.textContent(), /^[\d:.]{12}to the servertools\/callcounts200\d+ ms\d+(\.\d)? K?B$/)
  t.match(await rows(page).filter({ hasText: 'subscriptions/listen' }).textContent(), /open/)
})

t.test('repeats of a notification are one row, and its detail has each', async t => {
  const { page } = await lookAt(t, 'counts')
  const row = rows(page).filter({ hasText: 'notifications/progress' })

  t.equal(await row.count(), 1)
  t.match(await row.textContent(), /from the server.*14 times counts, to 14 of 14/)
  await row.click()
  t.match(await detail(page).getByRole('tabpanel').textContent(), /"Counting 14"/)
  await detail(page).getByRole('tab', { name: 'Stream 14' }).click()
  t.equal(await detail(page).getByRole('listitem').count(), TIMES)
})

t.test('a detail has the answer, the request, their headers and the stream', async t => {
  const { page } = await lookAt(t, 'counts')
  const pane = page.getByRole('region', { name: 'tools/call' })
  const panel = pane.getByRole('tabpanel')
  await rows(page).getByRole('link', { name: 'tools/call' }).click()

  t.match(await panel.textContent(), /"all of them"/)
  await pane.getByRole('tab', { name: 'Request' }).click()
  t.match(await panel.textContent(), /"method": "tools\/call"/)
  await pane.getByRole('tab', { name: 'Headers' }).click()
  t.match(await panel.textContent(), /POST \/mcp.*mcp-method: tools\/call.*200 OK.*content-type: text\/event-stream/s)
  await pane.getByRole('tab', { name: 'Stream' }).click()
  t.match(await panel.textContent(), /14 times.*notifications\/message/s)
  await pane.getByRole('link', { name: 'Open the call' }).click()
  await page.getByRole('heading', { name: 'counts' }).first().waitFor()
})

t.test('messages are filtered by kind and by text, and cleared', async t => {
  const { page } = await lookAt(t, 'counts', 'fails')
  const count = async () => (await rows(page).count()) - 1

  await page.getByRole('radio', { name: 'Errors' }).check()
  await assertBecomes(t, count, 1)
  t.match(await rows(page).last().textContent(), /fails200 · tool error/)
  await page.getByRole('radio', { name: 'Calls' }).check()
  await assertBecomes(
    t,
    async () => (await rows(page).allTextContents()).filter(text => text.includes('tools/list')),
    [],
  )
  await page.getByRole('radio', { name: 'From the server' }).check()
  await assertBecomes(t, () => rows(page).filter({ hasText: 'to the server' }).count(), 0)
  await page.getByRole('radio', { name: 'All', exact: true }).check()
  await page.getByLabel('Filter messages').fill('no such sku')
  await assertBecomes(t, count, 1)
  await page.getByText(/^1 of \d+ rows$/).waitFor()
  await page.getByLabel('Filter messages').fill('nowhere')
  await page.getByText('No message matches').waitFor()
  await page.getByLabel('Filter messages').fill('')
  await page.getByRole('button', { name: 'Clear' }).click()
  await assertBecomes(t, () => rows(page).filter({ hasText: 'tools/call' }).count(), 0)
})

t.test('Follow keeps the newest in sight', async t => {
  const { page } = await lookAt(t, 'counts')
  await page.setViewportSize({ width: 1280, height: 320 })
  const box = page.getByRole('group', { name: 'Messages' })
  const scrolled = () => box.evaluate<number, { scrollTop: number }>(each => each.scrollTop)
  await box.evaluate<void, { scrollTo(x: number, y: number): void }>(each => each.scrollTo(0, 100))
  t.ok((await scrolled()) > 0)
  await page.getByRole('switch', { name: 'Follow' }).check()

  await assertBecomes(t, scrolled, 0)
})

t.test('arrows move between rows, and Enter opens one', async t => {
  const { page } = await lookAt(t, 'counts')
  const links = rows(page).getByRole('link')
  await links.first().focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')

  await assertBecomes(t, () => links.nth(1).getAttribute('aria-current'), 'true')
})

t.test('the messages are a file of JSON lines that says what it lacks', async t => {
  const { page } = await lookAt(t, 'counts')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as JSON lines' }).click(),
  ])
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

  t.match(download.suggestedFilename(), /^messages-.*\.jsonl$/)
  t.match(lines[0], { server: { name: String }, revision: '2026-07-28', messages: lines.length - 1 })
  t.match(lines[0].leftOut[0], /^the token/)
  const call = lines.find(({ message }) => message?.method === 'tools/call')
  t.match(call, { direction: 'sent', request: 'POST /mcp', message: { params: { name: 'counts' } } })
  t.match(
    lines.find(({ message }) => message?.id === call.message.id && message.result),
    { direction: 'received', status: 200, http: call.http },
  )
})

t.test('the view is accessible, and a phone shows one pane at a time', async t => {
  const { page } = await lookAt(t, 'fails', 'counts')

  await assertAccessible(t, page, 'messages')
  t.equal(await measureOverflow(page), 0)
  await page.setViewportSize({ width: 390, height: 844 })
  t.notOk(await detail(page).isVisible())
  await rows(page).filter({ hasText: 'notifications/progress' }).click()
  await detail(page).waitFor()
  t.notOk(await rows(page).first().isVisible())
  await assertAccessible(t, page, 'a message on a phone')
  await page.getByRole('link', { name: 'Messages' }).first().click()
  await rows(page).first().waitFor()
})
