// Lists that change, resources and prompts, in a real browser.
import t from 'tap'
import { chooseRevision, openConsole, press, serveConsole } from '../support/browser/console.ts'
import { RACK } from '../support/browser/rack.ts'
import { source, tempFolder } from '../support/tools-folder.ts'

for (const revision of ['2026-07-28', '2025-11-25']) {
  t.test(`${revision}: a tool file that is saved is in the list within a second`, async t => {
    const folder = tempFolder(t, { 'a.ts': source('a') })
    const { page } = await openConsole(t, { toolsDir: folder.path, watchTools: true })
    await chooseRevision(page, revision)
    await page.getByRole('link', { name: 'a', exact: true }).waitFor()
    await page.locator('[data-follows="true"]').waitFor({ state: 'attached' })
    const before = Date.now()
    folder.write({ 'b.ts': source('b') })

    await page.getByRole('link', { name: 'b', exact: true }).waitFor()

    t.comment(`after ${Date.now() - before} ms`)
    await page.getByText('tools: added b').waitFor()
    t.pass('and a notice says so')
  })

  t.test(`${revision}: a server that starts again is found again`, async t => {
    const { page, app, port } = await openConsole(t, RACK, 'tools', { expected: [/ERR_/, /Failed to load/] })
    await chooseRevision(page, revision)
    await app.close()
    await page.getByRole('status').filter({ hasText: 'Reconnecting' }).waitFor()
    const [echo] = RACK.tools

    await serveConsole(t, { tools: [echo!], port })

    await page
      .getByRole('status')
      .filter({ hasText: `Connected, ${revision}` })
      .waitFor()
    await page.getByText(/tools: removed/).waitFor()
    t.equal(await page.locator('.list > li').count(), 1)
  })
}

t.test('a resource, and a template with suggestions', async t => {
  const { page, origin } = await openConsole(t, RACK, 'resources')
  await page.getByRole('link', { name: 'notes://1' }).click()
  await page.getByText('Buy more pegs.').waitFor()

  await page.goto(`${origin}/console/#/resources/${encodeURIComponent('cities://{name}')}`)
  await page.getByLabel('name').fill('Be')
  await page.locator('datalist option[value="Bern"]').waitFor({ state: 'attached' })
  t.equal(await page.locator('datalist option').count(), 1)
  await page.getByLabel('name').fill('Bern')
  await press(page, 'Read')

  await page.getByRole('region', { name: 'Contents' }).getByText('cities://Bern').first().waitFor()
})

t.test('a prompt with suggestions, and its messages', async t => {
  const { page } = await openConsole(t, RACK, 'prompts')
  await page.getByRole('link', { name: 'review' }).click()
  await page.locator('datalist option[value="TypeScript"]').waitFor({ state: 'attached' })
  await page.getByLabel('language').fill('Rust')
  await press(page, 'Get messages')

  await page.getByText('Review this Rust code.').waitFor()
  t.pass('they are shown')
})

t.test('every message of the page can be read and searched', async t => {
  const { page } = await openConsole(t, RACK, 'messages')
  await page.getByRole('searchbox').fill('prompts/list')
  await page.locator('.messages > li').first().waitFor()

  t.ok((await page.locator('.messages > li').allInnerTexts()).every(text => text.includes('prompts/list')))
})
