// Results of every kind, by mouse, by keyboard, and for who cannot see them.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { assertAccessible } from '../support/browser/axe.ts'
import { assertBecomes } from '../support/browser/becomes.ts'
import { openGallery, show } from '../support/browser/gallery.ts'
import { ALL_KINDS, FILE, ORDER, PICTURE, PRICES } from '../support/browser/sample-results.ts'
import { measureOverflow, takeScreenshots } from '../support/browser/screenshots.ts'

t.test('each kind of content is shown as what it is', async t => {
  const { page } = await openGallery(t)
  await show(page, 'result', ALL_KINDS)
  const result = page.locator('.result')

  await result.getByText('A text').waitFor()
  t.strictSame(await result.locator('table').first().locator('th').allTextContents(), ['sku', 'price', 'isInStock'])
  t.equal(await result.locator('table').first().locator('tbody tr').count(), PRICES.length)
  for (const name of ['picture', 'sound']) await result.getByLabel(name).or(result.getByAltText(name)).first().waitFor()
  await assertBecomes(t, () => page.evaluate('[...document.images].map(each => each.naturalWidth)'), [48, 60])
  const link = result.getByRole('link', { name: 'https://example.org/manual?page=1' })
  t.equal(await link.getAttribute('rel'), 'noopener noreferrer')
  await result.getByText('"hologram"').waitFor()
  await result.locator('.extras summary', { hasText: '_meta' }).click()
  await result.getByText('example.org/cost').waitFor()
})

t.test('a file is downloaded as it came, under a name of its own', async t => {
  const { page } = await openGallery(t)
  await show(page, 'result', { content: [FILE, PICTURE] })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download may.csv' }).click(),
  ])

  t.equal(download.suggestedFilename(), 'may.csv')
  t.equal(readFileSync(await download.path(), 'utf8'), FILE.resource.text)
})

t.test('the rows of a table are ordered by a column', async t => {
  const { page } = await openGallery(t)
  await show(page, 'result', { content: [], structuredContent: { rows: [{ n: 10 }, { n: 9 }, { n: 100 }] } })
  await page.getByRole('columnheader').getByRole('button', { name: 'n' }).click()

  await assertBecomes(t, () => page.locator('tbody td').allTextContents(), ['9', '10', '100'])
})

t.test('a tool error is marked as one, and read out', async t => {
  const { page } = await openGallery(t)
  await show(page, 'result', { content: [{ type: 'text', text: 'No such SKU' }], isError: true })

  await page.getByRole('alert').getByText('The tool failed.').waitFor()
  await page.getByText('No such SKU').waitFor()
})

t.test('text that only repeats the structured result is folded', async t => {
  const { page } = await openGallery(t)
  await show(page, 'result', { content: [{ type: 'text', text: JSON.stringify(ORDER) }], structuredContent: ORDER })

  t.equal(await page.locator('.value-tree').count(), 1)
  await page.getByText('The same as text').click()
  await page.getByText(JSON.stringify(ORDER)).waitFor()
})

t.test('a tree opens and closes by keyboard, and shows many children in steps', async t => {
  const { page } = await openGallery(t)
  await show(page, 'result', {
    content: [],
    structuredContent: { ids: Array.from({ length: 250 }, (_, id) => id), ORDER },
  })
  await page.getByRole('button', { name: 'Show 100 more of 150' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Show 50 more of 50' }).waitFor()

  const colour = page.getByText('"red"')
  t.equal(await colour.count(), 0)
  for (const name of ['lines:', '0: ', 'options:']) {
    await page.locator('summary', { hasText: name }).last().focus()
    await page.keyboard.press('Enter')
  }
  await colour.waitFor()
})

t.test('a result is shown as table, tree or text', async t => {
  const { page } = await openGallery(t)
  await show(page, 'result', { content: [{ type: 'text', text: JSON.stringify(PRICES) }] })
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  t.equal(await button('Table').getAttribute('aria-pressed'), 'true')
  await button('Text').click()
  t.equal(await page.locator('pre').textContent(), JSON.stringify(PRICES))
  await button('Tree').click()
  await page.getByText('2 items').waitFor()
})

t.test('long text and long tables are shown in steps', async t => {
  const { page } = await openGallery(t)
  const rows = Array.from({ length: 150 }, (_, id) => ({ id }))
  await show(page, 'result', { content: [{ type: 'text', text: 'x'.repeat(30_000) }], structuredContent: { rows } })
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByRole('button', { name: 'Show 100 more' }).click()

  await assertBecomes(t, async () => (await page.locator('pre').textContent())?.length, 30_000)
  await assertBecomes(t, () => page.locator('tbody tr').count(), 150)
})

t.test('results are accessible, and fit a phone', async t => {
  const { page } = await openGallery(t)
  await show(page, 'result', ALL_KINDS)
  await page.getByText('A text').waitFor()

  await assertAccessible(t, page, 'a result')
  t.equal(await measureOverflow(page), 0)
  await takeScreenshots(page, 'results')
})

t.test("colours are the system's until the user chooses", async t => {
  const { page } = await openGallery(t, {}, { colorScheme: 'dark' })
  await show(page, 'result', { content: [] })
  const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')

  t.equal(await ground(), 'rgb(18, 21, 27)')
  await page.getByLabel('Colours').selectOption('light')
  await assertBecomes(t, ground, 'rgb(255, 255, 255)')
  await page.getByLabel('Colours').selectOption('system')
  await assertBecomes(t, ground, 'rgb(18, 21, 27)')
})
