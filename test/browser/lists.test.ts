// Lists that change, resources and prompts, in a real browser.
import t from 'tap'
import { assertBecomes } from '../support/browser/becomes.ts'
import { chooseRevision, hasStatus, openConsole, press, serveConsole } from '../support/browser/console.ts'
import { RACK } from '../support/browser/rack.ts'
import { freePort } from '../support/free-port.ts'
import { source, tempFolder } from '../support/tools-folder.ts'

for (const revision of ['2026-07-28', '2025-11-25']) {
  t.test(`${revision}: a tool file that is saved is in the list within a second`, async t => {
    const folder = tempFolder(t, { 'a.ts': source('a') })
    const { page } = await openConsole(t, { toolsDir: folder.path, watchTools: true })
    await chooseRevision(page, revision)
    await page.getByRole('link', { name: 'a', exact: true }).waitFor()
    await page.locator('[data-follows="true"]').waitFor({ state: 'attached' })
    const before = Date.now()
    const listed = page.getByRole('link', { name: 'b', exact: true }).waitFor()
    // Notices go after a while.
    const noticed = page.getByText('tools: added b').waitFor()
    folder.write({ 'b.ts': source('b') })

    await Promise.all([listed.then(() => t.comment(`after ${Date.now() - before} ms`)), noticed])
    t.pass('and a notice says so')
  })

  t.test(`${revision}: a server that starts again is found again`, async t => {
    const port = await freePort()
    const expected = [/ERR_/, /Failed to load/]
    const { page, app } = await openConsole(t, { ...RACK, port }, 'tools', { expected })
    await chooseRevision(page, revision)
    // Else it would not know of any that are gone.
    await page.getByText(`${RACK.tools.length} tools`, { exact: true }).waitFor()
    await app.close()
    await hasStatus(page, 'Reconnecting')
    const [echo] = RACK.tools

    await Promise.all([
      // Notices go after a while.
      page.getByText(/tools: removed/).waitFor(),
      hasStatus(page, `Connected, ${revision}`),
      serveConsole(t, { tools: [echo!], port }),
    ])
    t.equal(await page.locator('.list > li').count(), 1)
  })
}

t.test('a resource, and a template with suggestions', async t => {
  const { page, origin } = await openConsole(t, RACK, 'resources')
  await page.getByRole('link', { name: 'notes://1' }).click()
  await page.getByText('Buy more pegs.').waitFor()

  await page.goto(`${origin}/console/#/resources/${encodeURIComponent('cities://{name}')}`)
  await page.getByLabel('name').fill('Be')
  const suggested = page.locator('datalist option')
  const suggestions = () => suggested.evaluateAll(all => all.map(each => (each as unknown as Suggestion).value))
  // Those for what was there before come first.
  await assertBecomes(t, suggestions, ['Bern'])
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
  await page.getByRole('status').filter({ hasText: / of / }).waitFor()
  await page.locator('.messages > li').first().waitFor()

  t.ok((await page.locator('.messages > li').allInnerTexts()).every(text => text.includes('prompts/list')))
})

interface Suggestion {
  readonly value: string
}
