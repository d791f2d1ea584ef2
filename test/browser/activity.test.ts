// The recent calls and the charts, fed by a real server. The clock of the page is the test's.
import { isDeepStrictEqual } from 'node:util'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { defineTool, ToolError } from '../../src/index.ts'
import { type App, callTool } from '../support/app.ts'
import { assertAccessible } from '../support/browser/axe.ts'
import { assertBecomes } from '../support/browser/becomes.ts'
import { openGallery, show } from '../support/browser/gallery.ts'
import { measureOverflow, takeScreenshots } from '../support/browser/screenshots.ts'

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

const rows = '.calls tbody tr'
/** More than the effects of a change wait for, ms, and less than a poll. */
const EFFECTS_MS = 100

async function callAll(app: App): Promise<void> {
  for (let count = 0; count < 3; count++) await callTool(app, 'get_price')
  await callTool(app, 'failing')
}

/** Makes four calls, and shows them. */
async function showCalls(app: App, page: Page): Promise<void> {
  await callAll(app)
  await show(page, 'activity')
  await page.locator(rows).nth(3).waitFor()
}

t.test('calls appear as they come, the newest first', async t => {
  const { app, page, poll } = await openActivity(t)
  await page.clock.install()
  await showCalls(app, page)
  const first = page.locator(rows).first()
  t.match(await first.textContent(), /failing.*tools\/call.*tool error/)

  await callTool(app, 'get_price')
  await poll()
  await page.locator(rows).nth(4).waitFor()

  t.match(await first.textContent(), /get_price.*tools\/call.*ok.*ms.*bytes/)
  t.match(await page.locator('.tools-summary tbody').textContent(), /get_price40.*failing11/)
})

t.test('calls are filtered by text and by outcome', async t => {
  const { app, page } = await openActivity(t)
  await showCalls(app, page)

  await page.getByLabel('Filter').fill('PRICE')
  await page.getByText('3 of 4 calls').waitFor()
  t.equal(await page.locator(rows).count(), 3)
  await page.getByLabel('Outcome').selectOption('errors')
  await page.getByText('No call matches.').waitFor()
  await page.getByLabel('Filter').fill('')
  await page.getByText('1 of 4 calls').waitFor()
})

t.test('calls are ordered by a column, by keyboard too', async t => {
  const { app, page } = await openActivity(t)
  await showCalls(app, page)
  const header = page.getByRole('columnheader', { name: 'Call', exact: true })
  await header.getByRole('button').press('Enter')

  await assertBecomes(t, () => header.getAttribute('aria-sort'), 'ascending')
  t.match(await page.locator(rows).first().textContent(), /failing/)
  await header.getByRole('button').press('Enter')
  await assertBecomes(t, () => header.getAttribute('aria-sort'), 'descending')
  t.match(await page.locator(rows).last().textContent(), /failing/)
})

t.test('it asks for what is new only, and not while it is paused or nobody sees it', async t => {
  const { app, page, requests, countPolls, poll } = await openActivity(t)
  await page.clock.install()
  await showCalls(app, page)
  await poll()
  t.match(requests.at(-1), /api\/activity\?after=\d{16}$/)

  const hide = (isHidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} })
      document.dispatchEvent(new Event('visibilitychange'))`)
  await hide(true)
  const asked = countPolls()
  await page.clock.runFor(10 * POLL_MS)
  t.equal(countPolls(), asked, 'hidden')
  await Promise.all([page.waitForResponse(/api\/activity/), hide(false)])

  await page.getByRole('button', { name: 'Pause' }).click()
  // The polls end in an effect of the change, which waits for a frame of the test's clock.
  await page.clock.runFor(EFFECTS_MS)
  const before = countPolls()
  await page.clock.runFor(10 * POLL_MS)
  t.equal(countPolls(), before, 'paused')
  await Promise.all([page.waitForResponse(/api\/activity/), page.getByRole('button', { name: 'Pause' }).click()])
})

t.test('each chart has its numbers as text and as a table, and follows the width of the page', async t => {
  const { app, page } = await openActivity(t)
  await showCalls(app, page)

  await assertBecomes(t, () => page.locator('.chart canvas').count(), 4)
  const calls = page.getByRole('img', { name: /^Calls in 5 s, now: calls \d+, errors \d+\./ })
  await calls.waitFor()
  await page.getByText('Memory as a table').click()
  t.match(await page.getByRole('region', { name: 'Memory, table' }).textContent(), /\d MiB/)

  const width = async () => (await page.locator('.chart canvas').first().boundingBox())!.width
  await page.setViewportSize({ width: 360, height: 700 })
  await page.waitForFunction('document.querySelector(".chart canvas").clientWidth < 360')
  t.ok((await width()) > 200)
})

t.test("a tool's button shows its latency alone", async t => {
  const { app, page } = await openActivity(t)
  await callAll(app)
  await show(page, 'activity')
  await page.getByRole('button', { name: 'failing' }).click()

  await page.getByRole('img', { name: /^Latency of failing/ }).waitFor()
  t.equal(await page.getByRole('button', { name: 'failing' }).getAttribute('aria-pressed'), 'true')
})

/** Of each chart, the colour of its last series, which is drawn last: as the legend has it, and as it is drawn. */
const LEGEND = `[...document.querySelectorAll('.chart')].map(chart => {
  const pen = document.createElement('canvas').getContext('2d')
  pen.strokeStyle = getComputedStyle([...chart.querySelectorAll('.swatch')].at(-1)).backgroundColor
  return pen.strokeStyle
})`
const DRAWN = `[...document.querySelectorAll('.chart canvas')].map(each => each.getContext('2d').strokeStyle)`

t.test('charts take the colours of the theme', async t => {
  const { app, page } = await openActivity(t)
  await showCalls(app, page)
  const light = (await page.evaluate(LEGEND)) as string[]
  t.equal(light.length, 4)
  await assertBecomes(t, () => page.evaluate(DRAWN), light)
  await page.getByLabel('Colours').selectOption('dark')
  await assertBecomes(t, async () => isDeepStrictEqual(await page.evaluate(LEGEND), light), false, 'others in the dark')

  await assertBecomes(t, () => page.evaluate(DRAWN), await page.evaluate(LEGEND))
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

t.test('the view is accessible, and fits a phone', async t => {
  const { app, page } = await openActivity(t)
  await showCalls(app, page)

  await assertAccessible(t, page, 'the activity')
  t.equal(await measureOverflow(page), 0)
  await takeScreenshots(page, 'activity')
})
