// The page around the views: without a mouse, for screen readers, on a phone; and pictures for people.
import t from 'tap'
import { defineTool } from '../../../../../src/index.ts'
import { assertAccessible } from '../../../../../test/support/browser/axe.ts'
import { assertBecomes } from '../../../../../test/support/browser/becomes.ts'
import { chooseRevision, hasStatus, inCall, openConsole, press } from '../../../../../test/support/browser/console.ts'
import { RACK } from '../../../../../test/support/browser/rack.ts'
import { measureOverflow } from '../../../../../test/support/browser/screenshots.ts'

/** Each with its heading. */
const VIEWS = {
  tools: 'echo',
  'tools/list_orders': 'list_orders',
  resources: 'notes://1',
  prompts: 'review',
  tasks: 'Tasks',
  activity: 'Activity',
  messages: 'Messages',
  connect: 'Connect',
}

t.test('every view is accessible, and fits a phone', async t => {
  const { page, origin } = await openConsole(t, RACK)
  for (const [view, name] of Object.entries(VIEWS)) {
    await page.goto(`${origin}/console/#/${view}`)
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

    await assertAccessible(t, page, view)
    t.equal(await measureOverflow(page), 0, view)
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
  await inCall(page, 'OK')

  t.equal(await measureOverflow(page), 0, 'with its result')
})

t.test('a question and a result are accessible', async t => {
  const { page, origin } = await openConsole(t, RACK, 'tools/greet')
  await press(page, 'Call')
  await page.getByRole('dialog').waitFor()
  await assertAccessible(t, page, 'a question')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').getByLabel('town', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await inCall(page, 'No name: cancel')

  await page.goto(`${origin}/console/#/tools/list_orders`)
  await press(page, 'Call')
  await inCall(page, 'OK')
  await assertAccessible(t, page, 'a result')
})

t.test('a tool is found and called without a mouse', async t => {
  const { page } = await openConsole(t, RACK, 'tools')
  await page.getByRole('link', { name: 'echo' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('as a table')
  await page.getByText('1 of 7').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'list_orders', level: 1 }).waitFor()
  const focused = () => page.evaluate('document.activeElement.closest(".pane-form") !== null')
  await assertBecomes(t, focused, true, 'the form has the focus')
  await page.getByRole('spinbutton', { name: 'count' }).fill('2')

  await page.keyboard.press('Control+Enter')

  await inCall(page, 'OK')
})

t.test('single keys move in the list, go to sections, and can be turned off', async t => {
  const { page } = await openConsole(t, RACK, 'tools')
  await page.getByRole('link', { name: 'echo' }).waitFor()
  await page.keyboard.press('j')
  const focused = () => page.evaluate('document.activeElement.querySelector("code")?.textContent')
  await assertBecomes(t, focused, 'fail')
  await page.keyboard.press('k')
  await assertBecomes(t, focused, 'echo')
  await page.keyboard.press('g')
  await page.keyboard.press('m')
  await page.getByRole('main', { name: 'Messages' }).waitFor()

  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keys' })
  // A click beside everything leaves nothing with the focus.
  await dialog.getByRole('heading', { name: 'Keys', exact: true }).click()
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  t.match(page.url(), /#\/messages$/, 'keys rest while a dialog is there')
  await dialog.getByRole('switch', { name: 'Keys without Ctrl' }).click()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.reload()
  await page.getByRole('main', { name: 'Messages' }).waitFor()
  await page.keyboard.press('?')
  t.equal(await dialog.count(), 0, 'it is remembered')
})

t.test('the borders of panes are moved by keys, and stay where they are', async t => {
  const { page } = await openConsole(t, RACK, 'tools', { viewport: { width: 1440, height: 900 } })
  const border = page.getByRole('separator', { name: 'Width of the list' })
  await border.focus()
  await page.keyboard.press('ArrowRight')
  await assertBecomes(t, () => border.getAttribute('aria-valuenow'), '280')
  await page.reload()
  await assertBecomes(t, () => border.getAttribute('aria-valuenow'), '280')
  await border.focus()
  await page.keyboard.press('Home')
  await assertBecomes(t, () => border.getAttribute('aria-valuenow'), '240')
})

t.test('on a phone one pane is seen, and sections stand below More', async t => {
  const { page } = await openConsole(t, RACK, 'tools', { viewport: { width: 390, height: 844 }, hasTouch: true })
  await page.getByRole('link', { name: 'list_orders' }).click()
  await page.getByRole('spinbutton', { name: 'count' }).fill('2')
  await press(page, 'Call')
  await inCall(page, 'OK')
  await page.getByRole('navigation', { name: 'Parts of the tool' }).getByRole('link', { name: 'Tools' }).click()
  await page.getByRole('searchbox').waitFor()
  await press(page, 'More')
  await page.getByRole('dialog', { name: 'More sections' }).getByRole('link', { name: 'Prompts' }).click()

  await page.getByRole('main', { name: 'Prompts' }).waitFor()
})

t.test('own headers are sent with every request; those of the client and the browser are refused', async t => {
  const { page } = await openConsole(t, RACK, 'tools')
  await page.getByRole('button', { name: /^Connected/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Connection' })
  await press(dialog, 'Add a header')
  const name = dialog.getByLabel('Name of header 1')
  await name.fill('Cookie')
  await dialog.getByText('Browsers do not let a page set this header').waitFor()
  await name.fill('Mcp-Session-Id')
  await dialog.getByText('The client sets this header').waitFor()
  await name.fill('X-Tenant')
  await dialog.getByLabel('Value of header 1').fill('north')
  const sent = page.waitForRequest(/\/mcp$/)
  await press(dialog, 'Reconnect')

  t.equal((await (await sent).allHeaders())['x-tenant'], 'north')
})

t.test('a reload keeps the revision and ends the session that it leaves; the theme is kept, too', async t => {
  const { page, origin } = await openConsole(t, RACK, 'tools')
  await chooseRevision(page, '2025-11-25')
  await page.getByRole('button', { name: 'Colours: as the system' }).click()
  await page.getByRole('button', { name: /^Connected/ }).click()
  const id = await page.getByRole('dialog', { name: 'Connection' }).locator('dd code').nth(1).textContent()
  await page.reload()
  const ping = () =>
    fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': id!,
        'mcp-protocol-version': '2025-11-25',
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    }).then(({ status }) => status)
  await assertBecomes(t, ping, 404, 'the session before has ended')
  await hasStatus(page, 'Connected, 2025-11-25')
  t.equal(await page.evaluate('document.documentElement.dataset.theme'), 'light')
})

t.test('the first stop of Tab leads to the content', async t => {
  const { page } = await openConsole(t, RACK, 'tools')
  await page.getByRole('link', { name: 'echo' }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')

  await assertBecomes(t, () => page.evaluate('document.activeElement.id'), 'main')
})
