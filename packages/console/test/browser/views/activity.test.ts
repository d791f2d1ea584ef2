// The figures, the charts and the recent calls, fed by a real server. The clock of the page is the test's.
import { isDeepStrictEqual } from 'node:util'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { defineTool, ToolError } from '../../../../../src/index.ts'
import { type App, call, callTool } from '../../../../../test/support/app.ts'
import { assertAccessible } from '../../../../../test/support/browser/axe.ts'
import { assertBecomes } from '../../../../../test/support/browser/becomes.ts'
import { goTo, openTool, pressCall } from '../../../../../test/support/browser/calls.ts'
import { openConsole } from '../../../../../test/support/browser/console.ts'
import { openGallery, show } from '../../../../../test/support/browser/gallery.ts'
import { measureOverflow } from '../../../../../test/support/browser/screenshots.ts'

const POLL_MS = 2_000

const tools = [
  defineTool({ name: 'get_price', handler: () => 'a price' }),
  defineTool({
    name: 'failing',
    handler() {
      throw new ToolError('no such SKU')
    },
  }),
]

async function openActivity(t: Test) {
  const opened = await openGallery(t, { tools })
  const { page, requests } = opened
  const countPolls = () => requests.filter(url => url.includes('api/activity')).length
  const poll = async () => {
    const answered = page.waitForResponse(response => response.url().includes('api/activity'))
    await page.clock.runFor(POLL_MS)
    await (await answered).finished()
  }
  return { ...opened, countPolls, poll }
}

const rows = (page: Page) => page.getByRole('group', { name: 'Rows' }).locator('tbody tr')
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const byTool = (page: Page) => page.getByRole('group', { name: 'By tool' })

async function callAll(app: App): Promise<void> {
  for (let count = 0; count < 3; count++) await callTool(app, 'get_price')
  await callTool(app, 'failing')
}

/** Makes four calls of tools and one of a list, and shows them. */
async function showCalls(app: App, page: Page): Promise<void> {
  await callAll(app)
  await call(app, 'tools/list')
  await show(page, 'activity')
  await rows(page).nth(3).waitFor()
}

t.test('it opens with what the server did before, in four cards and by tool', async t => {
  const { app, page } = await openActivity(t)
  await showCalls(app, page)

  t.match(await card(page, 'Calls').textContent(), /^Calls4\d+(\.\d)? a minute$/)
  t.equal(await card(page, 'Errors').textContent(), 'Errors25%1 call')
  t.match(await card(page, 'Latency of tools').textContent(), /^Latency of tools\d.* m?sp50 · p95 \d.* m?s$/)
  t.match(await card(page, 'Running now').textContent(), /^Running now00 wait · \d+ MB$/)
  t.match(await byTool(page).getByRole('row').allTextContents(), [/^Tool/, /^get_price30/, /^failing11/])
})

t.test('calls appear as they come, the newest first', async t => {
  const { app, page, poll } = await openActivity(t)
  await page.clock.install()
  await showCalls(app, page)
  t.match(await rows(page).first().textContent(), /failing.*tool error/)

  await callTool(app, 'get_price')
  await poll()
  await rows(page).nth(4).waitFor()

  t.match(await rows(page).first().textContent(), /^[\d:]{8}get_priceok–.* m?s\d+ B$/)
  t.match(await card(page, 'Calls').textContent(), /^Calls5/)
})

t.test('only tools are shown, until the user wants all methods', async t => {
  const { app, page } = await openActivity(t)
  await showCalls(app, page)
  t.notOk((await rows(page).allTextContents()).some(text => text.includes('tools/list')))
  await page.getByRole('switch', { name: 'Tools only' }).uncheck()

  await rows(page).filter({ hasText: 'tools/list' }).waitFor()
  await assertBecomes(t, () => card(page, 'Calls').textContent(), /^Calls5/)
})

t.test('calls are filtered by text and by outcome', async t => {
  const { app, page } = await openActivity(t)
  await showCalls(app, page)

  await page.getByLabel('Filter calls').fill('PRICE')
  await page.getByText('3 calls').waitFor()
  t.equal(await rows(page).count(), 3)
  await page.getByLabel('Outcome').selectOption('Errors')
  await page.getByText('No call matches').waitFor()
  await page.getByLabel('Filter calls').fill('')
  await assertBecomes(t, () => rows(page).count(), 1)
})

t.test('calls are ordered by a column, by keyboard too', async t => {
  const { app, page } = await openActivity(t)
  await showCalls(app, page)
  const header = page.getByRole('group', { name: 'Rows' }).getByRole('columnheader', { name: 'Tool' })
  await header.getByRole('button').press('Enter')

  await assertBecomes(t, () => header.getAttribute('aria-sort'), 'descending')
  t.match(await rows(page).last().textContent(), /failing/)
  await header.getByRole('button').press('Enter')
  await assertBecomes(t, () => header.getAttribute('aria-sort'), 'ascending')
  t.match(await rows(page).first().textContent(), /failing/)
})

t.test('a tool filters all that is shown, and its address names it', async t => {
  const { page } = await openConsole(t, { tools })
  for (const name of ['get_price', 'failing']) {
    await openTool(page, name)
    await pressCall(page)
    await page
      .getByRole('status')
      .filter({ hasText: /OK|Done|Tool error/ })
      .first()
      .waitFor()
  }
  await goTo(page, 'activity')
  await byTool(page).getByRole('link', { name: 'failing' }).click()

  await assertBecomes(t, () => card(page, 'Calls').textContent(), /^Calls1/)
  t.match(page.url(), /#\/activity\/failing$/)
  t.equal(await card(page, 'Errors').textContent(), 'Errors100%1 call')
  await assertBecomes(t, () => rows(page).count(), 1)
  await page.getByRole('link', { name: 'failing: show all tools' }).click()
  await assertBecomes(t, () => card(page, 'Calls').textContent(), /^Calls2/)
  await page.getByRole('switch', { name: 'Tools only' }).uncheck()
  await assertBecomes(t, () => rows(page).count(), 2, 'its own lists are left out')
})

t.test('it asks for what is new only, and not while nobody sees it', async t => {
  const { app, page, requests, countPolls, poll } = await openActivity(t)
  await page.clock.install()
  await showCalls(app, page)
  await poll()
  t.match(requests.at(-1), /api\/activity\?after=\d{16}&minutes=15$/)

  const hide = (isHidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} })
      document.dispatchEvent(new Event('visibilitychange'))`)
  await hide(true)
  const asked = countPolls()
  await page.clock.runFor(10 * POLL_MS)
  t.equal(countPolls(), asked, 'hidden')
  await Promise.all([page.waitForResponse(/api\/activity/), hide(false)])
})

t.test('a pause stops all that is shown, and counts what comes', async t => {
  const { app, page, poll } = await openActivity(t)
  await page.clock.install()
  await showCalls(app, page)
  const pause = page.getByRole('button', { name: 'Pause' })
  await pause.click()
  await page.getByText('0 new').waitFor()
  await callAll(app)
  await poll()

  await page.getByText('4 new').waitFor()
  t.equal(await rows(page).count(), 4)
  t.match(await card(page, 'Calls').textContent(), /^Calls4/)
  t.equal(await pause.getAttribute('aria-pressed'), 'true')
  await pause.click()
  await assertBecomes(t, () => rows(page).count(), 8)
})

t.test('each chart has its numbers as a table, and follows the width of the page', async t => {
  const { app, page } = await openActivity(t)
  await showCalls(app, page)

  await assertBecomes(t, () => page.locator('.chart canvas').count(), 2)
  await page.getByRole('img', { name: /^Calls in each 15 seconds, from \d\d:\d\d to \d\d:\d\d\./ }).waitFor()
  await page.getByRole('img', { name: /^Latency of tools, the band from p50 to p95, from / }).waitFor()
  await page.getByText('As a table: Calls per 15 s').click()
  const table = page.getByRole('group', { name: 'Calls per 15 s, table' })
  const counts = (await table.locator('tbody tr').allTextContents()).map(text => text.slice(8))
  t.ok(counts.length >= 59, 'a row for each bar')
  t.ok(
    counts.some(count => count === '31' || count === '30' || count === '01' || count === '20'),
    'calls that were answered, and errors',
  )

  const width = async () => (await page.locator('.chart canvas').first().boundingBox())!.width
  await page.setViewportSize({ width: 360, height: 700 })
  await assertBecomes(t, async () => (await width()) < 360, true)
  t.ok((await width()) > 200)
})

/** Of each chart, the colour of its first series: as the legend has it, and as it is drawn. */
const LEGEND = `[...document.querySelectorAll('.chart')].map(chart => {
  const pen = document.createElement('canvas').getContext('2d')
  pen.strokeStyle = getComputedStyle(chart.querySelector('.swatch')).backgroundColor
  return pen.strokeStyle
})`
/** A pixel of each chart may be drawn in it. */
const DRAWN = `[...document.querySelectorAll('.chart canvas')].map(each => {
  const { data } = each.getContext('2d').getImageData(0, 0, each.width, each.height)
  let sum = 0
  for (let at = 0; at < data.length; at += 4) sum += data[at] * data[at + 3]
  return sum
})`

t.test('charts take the colours of the theme', async t => {
  const { app, page } = await openActivity(t)
  await showCalls(app, page)
  await assertBecomes(t, () => page.locator('.chart canvas').count(), 2)
  const [legend, drawn] = [await page.evaluate(LEGEND), await page.evaluate(DRAWN)]
  await page.getByRole('button', { name: /^Colours/ }).click()
  await page.getByRole('button', { name: /^Colours: light/ }).click()

  await page.getByRole('button', { name: /^Colours: dark/ }).waitFor()
  await assertBecomes(t, async () => isDeepStrictEqual(await page.evaluate(LEGEND), legend), false, 'the legend')
  await assertBecomes(t, async () => isDeepStrictEqual(await page.evaluate(DRAWN), drawn), false, 'what is drawn')
})

t.test('a server that does not answer is said to be, until it does', async t => {
  const { page } = await openGallery(t, { tools }, { expected: [/Failed to load resource/] })
  await page.clock.install()
  await page.route('**/api/activity*', route => route.fulfill({ status: 503 }))
  await show(page, 'activity')
  await page.getByRole('alert').getByText('The server answered 503.').waitFor()
  await page.unroute('**/api/activity*')
  await page.clock.runFor(10_000)

  await page.getByRole('alert').waitFor({ state: 'detached' })
})

t.test('a server without calls says so', async t => {
  const { page } = await openActivity(t)
  await show(page, 'activity')

  await page.getByText('Nothing called yet').waitFor()
  t.match(await card(page, 'Calls').textContent(), /^Calls00 a minute$/)
  t.match(await card(page, 'Latency of tools').textContent(), /–p50 · p95 –$/)
})

t.test('the view is accessible, and fits a phone', async t => {
  const { app, page } = await openConsole(t, { tools }, 'activity')
  await callAll(app)
  await rows(page).nth(3).waitFor()

  await assertAccessible(t, page, 'the activity')
  t.equal(await measureOverflow(page), 0)
})
