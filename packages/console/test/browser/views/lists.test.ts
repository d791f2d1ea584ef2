// Lists that change, resources and prompts, in a real browser.
import t from 'tap'
import { defineResource, defineTool } from '../../../../../src/index.ts'
import { assertBecomes } from '../../../../../test/support/browser/becomes.ts'
import {
  chooseRevision,
  hasStatus,
  openConsole,
  press,
  serveConsole,
} from '../../../../../test/support/browser/console.ts'
import { RACK } from '../../../../../test/support/browser/rack.ts'
import { SHOP } from '../../../../../test/support/browser/shop.ts'
import { freePort } from '../../../../../test/support/free-port.ts'
import { source, tempFolder } from '../../../../../test/support/tools-folder.ts'

for (const revision of ['2026-07-28', '2025-11-25']) {
  t.test(`${revision}: a tool file that is saved is in the list within a second`, async t => {
    const folder = tempFolder(t, { 'a.ts': source('a') })
    const { page } = await openConsole(t, { toolsDir: folder.path, watchTools: true })
    await chooseRevision(page, revision)
    await page.getByRole('link', { name: /^a / }).waitFor()
    await page.locator('[data-follows="true"]').waitFor({ state: 'attached' })
    const before = Date.now()
    const listed = page.getByRole('link', { name: /^b / }).waitFor()
    folder.write({ 'b.ts': source('b') })

    await listed
    t.comment(`after ${Date.now() - before} ms`)
    const notice = page.getByRole('status').filter({ hasText: 'Tools changed. 1 added' })
    await notice.getByRole('button', { name: 'Show' }).click()
    await notice.getByRole('definition').filter({ hasText: 'b' }).waitFor()
    await notice.getByRole('button', { name: 'Dismiss' }).click()
    await notice.waitFor({ state: 'detached' })
  })

  t.test(`${revision}: a server that starts again is found again`, async t => {
    const port = await freePort()
    const expected = [/ERR_/, /Failed to load/]
    const { page, app } = await openConsole(t, { ...RACK, port }, 'tools', { expected })
    await chooseRevision(page, revision)
    // Else it would not know of any that are gone.
    await page.getByRole('link', { name: 'mirrored' }).waitFor()
    await app.close()
    const banner = page.getByRole('alert').filter({ hasText: 'The server does not answer.' })
    await banner.getByText(/Next try in \d+ s, the \d+(?:st|nd|rd|th) of 12\./).waitFor()
    t.ok(await page.getByRole('button', { name: 'Call', exact: true }).isDisabled(), 'Call is off')
    const [echo] = RACK.tools

    await serveConsole(t, { tools: [echo!], port })
    // Notices go after a while.
    const noticed = page.getByText(/Tools changed\. \d removed/).waitFor()
    await press(page, 'Try now').catch(() => {})
    await hasStatus(page, `Connected, ${revision}`)
    await noticed
    t.equal(await page.locator('.items > li').count(), 1)
    t.equal(await banner.count(), 0)
  })
}

t.test('a resource, its JSON and its messages; a template with suggestions', async t => {
  const { page, origin } = await openConsole(t, RACK, 'resources')
  const pane = page.getByRole('region', { name: 'notes://1' })
  await pane.getByText('Buy more pegs.').waitFor()
  await pane.getByRole('tab', { name: 'JSON' }).click()
  await pane.getByText('"text/plain"').waitFor()
  await pane.getByRole('tab', { name: /^Messages/ }).click()
  await pane.getByText('resources/read').first().waitFor()

  await page.goto(`${origin}/console/#/resources/${encodeURIComponent('cities://{name}')}`)
  const name = page.getByRole('combobox', { name: 'name' })
  await name.fill('Be')
  const suggestions = () => page.getByRole('option').allTextContents()
  // Those for what was there before come first.
  await assertBecomes(t, suggestions, ['Bern'])
  await name.press('ArrowDown')
  await name.press('Enter')
  t.equal(await name.inputValue(), 'Bern')
  await press(page, 'Read')

  await page.getByRole('tabpanel').getByText('cities://Bern').first().waitFor()
})

t.test('a resource is read again when the server says that it has changed', async t => {
  let text = 'before'
  const changing = defineResource({
    uri: 'a://changing',
    name: 'changing',
    mimeType: 'text/plain',
    handler: () => text,
  })
  for (const revision of ['2026-07-28', '2025-11-25']) {
    text = 'before'
    const { page, app } = await openConsole(t, { resources: [changing] }, 'resources')
    await chooseRevision(page, revision)
    await page.getByText('before').waitFor()
    const watched = page.waitForResponse(/\/mcp$/)
    await page.getByRole('switch', { name: 'Follow changes' }).click()
    await watched
    text = 'after'
    // The server says so once somebody has asked to hear of it.
    const told = setInterval(() => app.toolrack.resourceUpdated('a://changing'), 100)
    t.teardown(() => clearInterval(told))

    await page.getByText('after').waitFor()
    clearInterval(told)
  }
})

t.test('a prompt with suggestions, its messages, and what was sent', async t => {
  const { page } = await openConsole(t, RACK, 'prompts')
  await page.getByRole('heading', { name: 'review', level: 2 }).waitFor()
  await page.getByLabel('language').click()
  await page.getByRole('option', { name: 'TypeScript' }).waitFor()
  await page.getByLabel('language').fill('Rust')
  await page.keyboard.press('Control+Enter')

  const messages = page.getByRole('region', { name: 'Messages' })
  await messages.getByText('Review this Rust code.').waitFor()
  await messages.getByRole('tab', { name: /^Messages/ }).click()
  await messages.getByText('prompts/get').first().waitFor()
  t.match(await messages.getByRole('status').first().textContent(), /OK.*ms.* B/)
})

t.test('the search marks what it finds, goes by Esc, and is there when one comes back', async t => {
  const { page } = await openConsole(t, SHOP)
  const search = page.getByRole('searchbox', { name: 'Search tools' })
  await search.fill('note tit')
  await page.getByText('1 of 12').waitFor()
  t.strictSame(await page.locator('.items mark').allTextContents(), ['note', 'tit', 'note'])
  await page.getByRole('link', { name: 'update_note' }).click()
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByRole('main', { name: 'Activity' }).waitFor()
  await page.goBack()
  await page.getByRole('main', { name: 'Tools' }).waitFor()
  t.equal(await search.inputValue(), 'note tit')

  await search.fill('zzzz')
  await page.getByText('No tool matches “zzzz”').waitFor()
  await page.getByRole('button', { name: 'Clear Esc' }).click()
  t.equal(await search.inputValue(), '')
  await page.getByText('Reads a note').waitFor()
})

t.test('5,000 tools: the list grows as it is read, and all of them are searched', async t => {
  const tools = Array.from({ length: 5_000 }, (_, index) =>
    defineTool({ name: `tool_${index}`, description: `Number ${index}`, handler: () => 'ok' }),
  )
  const { page } = await openConsole(t, { tools })
  await page.getByText('5,000', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'tool_0', exact: false }).first().waitFor()
  t.ok((await page.locator('.item').count()) <= 600)
  const took = await page.evaluate(`(async () => {
    const search = document.querySelector('input[type="search"]')
    const begin = performance.now()
    search.value = 'tool_4321'
    search.dispatchEvent(new Event('input', { bubbles: true }))
    while (document.querySelectorAll('.item').length !== 1) await new Promise(requestAnimationFrame)
    return performance.now() - begin
  })()`)
  t.comment(`5,000 tools searched in ${Math.round(took as number)} ms`)
})
