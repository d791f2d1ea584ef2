// The page around the views: without a mouse, for screen readers, on a phone; and pictures for people.
import t from 'tap'
import { defineTool } from '../../src/index.ts'
import { assertAccessible } from '../support/browser/axe.ts'
import { assertBecomes } from '../support/browser/becomes.ts'
import { inCall, openConsole, press } from '../support/browser/console.ts'
import { RACK } from '../support/browser/rack.ts'
import { measureOverflow, takeScreenshots } from '../support/browser/screenshots.ts'

/** Each with its heading. */
const VIEWS = {
  tools: 'Tools',
  'tools/echo': 'echo',
  resources: 'Resources',
  prompts: 'Prompts',
  'prompts/review': 'review',
  tasks: 'Tasks',
  activity: 'Activity',
  messages: 'Messages',
  connect: 'Connect',
}

t.test('every view is accessible, and fits a phone', async t => {
  const { page, origin } = await openConsole(t, RACK)
  // The views are looked at with what they show, not while it comes.
  await page.locator('.sidebar .count').nth(2).waitFor()
  for (const [view, name] of Object.entries(VIEWS)) {
    await page.goto(`${origin}/console/#/${view}`)
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

    await assertAccessible(t, page, view)
    t.equal(await measureOverflow(page), 0, view)
    await takeScreenshots(page, `console-${view.replace('/', '-')}`)
  }
})

t.test('names and texts without a space to break at fit a phone', async t => {
  const long = defineTool({
    name: 'x'.repeat(128),
    title: 'T'.repeat(300),
    description: `${'d'.repeat(500)} \u05e9\u05dc\u05d5\u05dd`,
    inputSchema: {
      type: 'object',
      properties: { ['k'.repeat(200)]: { type: 'string', description: 'a'.repeat(500) } },
    },
    handler: () => 'r'.repeat(500),
  })
  const { page, origin } = await openConsole(t, { tools: [long] })
  await page.getByRole('link', { name: long.name }).waitFor()
  t.equal(await measureOverflow(page), 0, 'in the list')

  await page.goto(`${origin}/console/#/tools/${long.name}`)
  await press(page, 'Call')
  await inCall(page, 'Done')

  t.equal(await measureOverflow(page), 0, 'with its result')
})

t.test('a question and a result are accessible', async t => {
  const { page, origin } = await openConsole(t, RACK, 'tools/greet')
  await press(page, 'Call')
  await page.getByRole('dialog').waitFor()
  await assertAccessible(t, page, 'a question')
  await takeScreenshots(page, 'console-question')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').getByLabel('town').waitFor()
  await page.keyboard.press('Escape')
  await inCall(page, 'No name: cancel')

  await page.goto(`${origin}/console/#/tools/list_orders`)
  await press(page, 'Call')
  await inCall(page, 'Done')
  await assertAccessible(t, page, 'a result')
  await takeScreenshots(page, 'console-result')
})

t.test('a tool is found and called without a mouse', async t => {
  const { page } = await openConsole(t, RACK, 'tools')
  await page.getByRole('link', { name: 'echo' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('as a table')
  await page.getByText('1 of 7').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'list_orders', level: 1 }).waitFor()
  const focused = () => page.evaluate('document.activeElement.matches("h1") && document.activeElement.textContent')
  await assertBecomes(t, focused, 'list_orders', 'the heading has the focus')
  for (let tabs = 0; tabs < 3; tabs++) await page.keyboard.press('Tab')

  await page.keyboard.press('Control+Enter')

  await inCall(page, 'Done')
})

t.test('the first stop of Tab leads to the content', async t => {
  const { page } = await openConsole(t, RACK, 'tools')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')

  await assertBecomes(t, () => page.evaluate('document.activeElement.id'), 'main')
})
