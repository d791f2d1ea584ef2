// Results of every kind, by mouse, by keyboard, and for who cannot see them.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { assertAccessible } from '../../../../../test/support/browser/axe.ts'
import { assertBecomes } from '../../../../../test/support/browser/becomes.ts'
import { press } from '../../../../../test/support/browser/console.ts'
import { openGallery, show } from '../../../../../test/support/browser/gallery.ts'
import { ALL_KINDS, FILE, ORDER, PICTURE, PRICES } from '../../../../../test/support/browser/sample-results.ts'
import { measureOverflow, takeScreenshots } from '../../../../../test/support/browser/screenshots.ts'

t.setTimeout(600_000)

const toText = (value: unknown) => ({ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) })

/** Of the first table, without the numbers of the rows. */
const readColumn = (page: Page, column: number) => page.locator(`tbody td:nth-child(${column + 1})`).allTextContents()

const nextPage = (page: Page) => press(page, 'Next page')

t.test('each kind of content is shown as what it is', async t => {
  const { page } = await openGallery(t)
  await show(page, 'result', ALL_KINDS)
  const result = page.locator('.result')
  const part = (number: number) => result.getByRole('region', { name: `Part ${number} of 9` })

  const rows = part(1).getByRole('group', { name: 'Rows' })
  t.strictSame(await rows.getByRole('columnheader').allTextContents(), ['Row', 'sku', 'price', 'isInStock'])
  t.equal(await rows.locator('tbody tr').count(), PRICES.length)
  t.equal(await part(2).locator('pre').textContent(), 'A text\nof two lines, with [ESC][1mANSI[ESC][0m')
  await part(3).getByRole('group', { name: 'Rows' }).getByText('ABC-1234').waitFor()
  await part(3).getByText('Fast').waitFor()
  for (const name of ['picture', 'sound']) await result.getByLabel(name).or(result.getByAltText(name)).first().waitFor()
  await assertBecomes(t, () => page.evaluate('[...document.images].map(each => each.naturalWidth)'), [48, 60])
  await part(7).getByText('file:///reports/may.csv').waitFor()
  const link = part(8).getByRole('link', { name: 'https://example.org/manual?page=1' })
  t.equal(await link.getAttribute('rel'), 'noopener noreferrer')
  await part(9).getByText('"hologram"').waitFor()
  await result.locator('.extras summary', { hasText: '_meta' }).click()
  await result.getByText('example.org/cost').waitFor()
})

t.test('a file is downloaded as it came, under a name of its own', async t => {
  const { page } = await openGallery(t)
  await show(page, 'result', { content: [FILE, PICTURE] })
  const save = async (click: () => Promise<void>) => {
    const [download] = await Promise.all([page.waitForEvent('download'), click()])
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) }
  }

  const file = await save(() => press(page, 'Download this part'))
  t.equal(file.name, 'may.csv')
  t.equal(file.bytes.toString(), FILE.resource.text)
  const picture = await save(() => press(page, 'Download picture.png'))
  t.equal(picture.name, 'picture.png')
  t.equal(picture.bytes.toString('base64'), PICTURE.data)
})

t.test('the rows of a table are ordered by a column, and back', async t => {
  const { page } = await openGallery(t)
  await show(page, 'result', { content: [], structuredContent: { rows: [{ n: 10 }, { n: 9 }, { n: 100 }] } })
  const head = page.getByRole('columnheader', { name: 'n', exact: true })
  const orders = [
    ['descending', ['100', '10', '9']],
    ['ascending', ['9', '10', '100']],
    [null, ['10', '9', '100']],
  ] as const
  for (const [sort, values] of orders) {
    await head.getByRole('button').click()
    await assertBecomes(t, () => readColumn(page, 1), values)
    t.equal(await head.getAttribute('aria-sort'), sort)
  }
})

t.test('rows are filtered, and made into CSV in the order in which they are shown', async t => {
  const { page } = await openGallery(t)
  await show(page, 'result', { content: [], structuredContent: { prices: [...PRICES, { sku: 'ABC-2', price: 7 }] } })
  await page.getByRole('searchbox', { name: 'Filter rows' }).fill('abc')
  // Descending, then ascending.
  for (let pressed = 0; pressed < 2; pressed++) await press(page, 'price')
  await assertBecomes(t, () => readColumn(page, 1), ['ABC-2', 'ABC-1234'])
  t.equal(await page.locator('.pager').textContent(), '1–2 of 2')
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'CSV')])

  t.equal(download.suggestedFilename(), 'result.csv')
  t.match(readFileSync(await download.path(), 'utf8'), /sku,price,isInStock\r?\nABC-2,7,\r?\nABC-1234,9.5,true/)
})

t.test('a tool error is marked as one, and read out', async t => {
  const { page } = await openGallery(t)
  await show(page, 'result', { content: [toText('No such SKU')], isError: true })
  await page.getByRole('alert').getByText('No such SKU').waitFor()
  await page.getByText('The tool says so itself').waitFor()

  await show(page, 'result', { content: [], isError: true })
  await page.getByRole('alert').getByText('The tool failed, and says nothing about it.').waitFor()
})

t.test('text that only repeats the structured result is folded', async t => {
  const { page } = await openGallery(t)
  await show(page, 'result', { content: [toText(ORDER)], structuredContent: ORDER })

  t.equal(await page.locator('.result .part').count(), 1)
  const copy = page.locator('.extras pre')
  t.notOk(await copy.isVisible())
  await page.getByText('The same as text').click()
  t.strictSame(JSON.parse((await copy.textContent()) ?? ''), ORDER)
  t.ok(await copy.isVisible())
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
  // Two levels are open at first.
  t.equal(await colour.count(), 0)
  const summary = (name: string) => page.locator('summary', { hasText: new RegExp(`^${name}`) }).last()
  for (const name of ['0', 'options']) {
    await summary(name).focus()
    await page.keyboard.press('Enter')
  }
  await colour.waitFor()
  await summary('options').press('ArrowLeft')
  await colour.waitFor({ state: 'detached' })
})

t.test('a result is shown as table, tree or text', async t => {
  const { page } = await openGallery(t)
  await show(page, 'result', { content: [toText(PRICES)] })
  const views = page.getByRole('radiogroup', { name: 'View' })
  const choose = (name: string) => views.getByText(name, { exact: true }).click()

  t.ok(await views.getByRole('radio', { name: 'Table' }).isChecked())
  await choose('Text')
  t.equal((await page.locator('.lines li').allTextContents()).join('').replaceAll(/\s/g, ''), JSON.stringify(PRICES))
  await choose('Tree')
  await page.locator('.tree').getByText('"XYZ-9"').waitFor()
  await page.keyboard.press('ArrowLeft')
  await page.getByRole('group', { name: 'Rows' }).waitFor()
})

t.test('long text and long tables are shown in steps', async t => {
  const { page } = await openGallery(t)
  const rows = Array.from({ length: 150 }, (_, id) => ({ id }))
  const text = Array.from({ length: 1_200 }, (_, line) => `line ${line}`).join('\n')
  await show(page, 'result', { content: [toText(text)], structuredContent: { rows } })
  const lines = page.locator('.lines li')
  t.equal(await lines.count(), 500)
  for (const more of [500, 200]) await press(page, `${more} more`)
  await assertBecomes(t, () => lines.count(), 1_200)
  t.equal(await lines.last().textContent(), 'line 1199')
  t.equal(await page.getByRole('button', { name: 'Download all' }).count(), 0, 'it is all there')

  const ids = () => readColumn(page, 1)
  t.equal((await ids()).length, 50)
  for (const from of [50, 100]) {
    await nextPage(page)
    await assertBecomes(t, async () => (await ids())[0], String(from))
  }
  t.ok(await page.getByRole('button', { name: 'Next page' }).isDisabled())
})

t.test('a hundred thousand rows: the first fifty, pages, order and filter', async t => {
  const { page } = await openGallery(t)
  const rows = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `row ${id}` }))
  await show(page, 'result', { content: [], structuredContent: { rows } })
  const pager = page.locator('.pager')
  const names = async () => (await readColumn(page, 2)).filter((_, at, all) => at === 0 || at === all.length - 1)
  await assertBecomes(t, names, ['row 0', 'row 49'])
  t.equal(await pager.textContent(), '1–50 of 100,000')
  t.equal(await page.locator('tbody tr').count(), 50)

  await nextPage(page)
  await assertBecomes(t, names, ['row 50', 'row 99'])
  await press(page, 'id')
  await assertBecomes(t, names, ['row 99999', 'row 99950'])
  t.equal(await pager.textContent(), '1–50 of 100,000')
  await page.getByRole('searchbox', { name: 'Filter rows' }).fill('9999')
  await assertBecomes(t, () => pager.textContent(), '1–19 of 19')
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
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  const dark = await ground()

  await press(page, 'Colours: as the system')
  await assertBecomes(t, () => page.evaluate('document.documentElement.dataset.theme'), 'light')
  const light = await ground()
  t.not(light, dark)
  await press(page, 'Colours: light')
  await assertBecomes(t, ground, dark)
  await press(page, 'Colours: dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await assertBecomes(t, ground, light, 'it follows the system again')
})
