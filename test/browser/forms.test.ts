// Forms made from schemas, in a real browser: each kind of field, and the JSON beside them.
import type { Page } from 'playwright-core'
import t from 'tap'
import { assertBecomes } from '../support/browser/becomes.ts'
import { inCall, openConsole, press } from '../support/browser/console.ts'
import { echo, RACK } from '../support/browser/rack.ts'

/** What the server is sent. */
async function call(page: Page): Promise<unknown> {
  const sent = page.waitForRequest(request => request.postData()?.includes('"tools/call"') === true)
  await press(page, 'Call')
  await inCall(page, 'Done')
  return JSON.parse((await sent).postData()!).params.arguments
}

const json = async (page: Page) => JSON.parse(await page.getByLabel('JSON', { exact: true }).inputValue())

t.test('a form sends what each of its fields says', async t => {
  const { page } = await openConsole(t, RACK, 'tools/echo')
  await page.getByLabel('sku').fill('ABC-1234')
  await assertBecomes(t, () => json(page), { sku: 'ABC-1234', amount: 1, isGift: false }, 'with the defaults')

  await page.getByLabel('amount').fill('3')
  await page.getByLabel('share').fill('0.5')
  await page.getByLabel('isGift').check()
  await page.getByLabel('size').selectOption({ label: 'large' })
  await page.getByLabel('day').fill('2026-07-28')
  await page.getByLabel('town').fill('Bern')
  await page.locator('.form-union select').first().selectOption({ label: 'Invoice' })
  await page.getByLabel('days').fill('30')
  await page.locator('[id="arg_labels__add"]').click()
  await page.getByLabel('Name', { exact: true }).fill('colour')
  await page.getByLabel('Value').fill('red')
  const filled = {
    sku: 'ABC-1234',
    amount: 3,
    share: 0.5,
    isGift: true,
    size: 'large',
    day: '2026-07-28',
    address: { town: 'Bern' },
    payment: { kind: 'invoice', days: 30 },
    labels: { colour: 'red' },
  }

  t.strictSame(await call(page), filled)
  t.strictSame(await json(page), filled)
})

t.test('items of an array are added, moved and removed', async t => {
  const { page } = await openConsole(t, RACK, 'tools/echo')
  const add = page.locator('[id="arg_tags__add"]')
  const tags = async () => (await json(page)).tags
  for (const [index, text] of ['a', 'b', 'c'].entries()) {
    await add.click()
    await page.locator(`[id="arg_tags_${index}"]`).fill(text)
  }
  await assertBecomes(t, tags, ['a', 'b', 'c'])
  await page.locator('[id="arg_tags_2__moveUp"]').click()
  await assertBecomes(t, tags, ['a', 'c', 'b'])

  await page.locator('[id="arg_tags_0__remove"]').click()

  await assertBecomes(t, tags, ['c', 'b'])
})

t.test('the JSON fills in the form, and says what is no JSON', async t => {
  const { page } = await openConsole(t, RACK, 'tools/echo')
  const editor = page.getByLabel('JSON', { exact: true })
  await editor.fill('{ "sku": "XYZ", "tags": ["a"], "payment": { "kind": "invoice", "days": 3 } }')

  await assertBecomes(t, () => page.getByLabel('sku').inputValue(), 'XYZ')
  await assertBecomes(t, () => page.locator('[id="arg_tags_0"]').inputValue(), 'a')
  await assertBecomes(t, () => page.getByLabel('days').inputValue(), '3')
  const written = { sku: 'XYZ', tags: ['a'], payment: { kind: 'invoice', days: 3 } }
  t.strictSame(await json(page), written, 'the text stays as it was written')
  t.strictSame(await call(page), written, 'and is what is sent')
  await inCall(page, 'Done')

  await editor.fill('{ "sku": ')
  await page.getByText('This is not JSON').waitFor()
  t.ok(await page.getByRole('button', { name: 'Call', exact: true }).isDisabled())
})

t.test('errors stand at their fields; the call can be made all the same', async t => {
  const { page } = await openConsole(t, RACK, 'tools/echo')
  await page.getByLabel('sku').fill('X')
  await page.getByLabel('town').fill('')
  await page.getByLabel('street').fill('Kramgasse')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('alert').filter({ hasText: 'do not fit the schema' }).waitFor()

  const readField = (label: string) =>
    page
      .locator('.form-field-invalid', { has: page.getByLabel(label) })
      .last()
      .textContent()
  t.match(await readField('sku'), /short/)
  t.match(await readField('town'), /required/)
  const invalid = (label: string) => page.getByLabel(label).getAttribute('aria-invalid')
  t.strictSame([await invalid('sku'), await invalid('town'), await invalid('amount')], ['true', 'true', 'false'])
  const describedBy = (await page.getByLabel('sku').getAttribute('aria-describedby'))!.split(' ')
  t.ok(describedBy.includes('arg_sku__error'), 'the reason is read with the field')
  await press(page, 'Call anyway')

  await inCall(page, 'Tool error')
  await page.getByLabel('sku').fill('ABC')
  await page.getByLabel('town').fill('Bern')
  await press(page, 'Call')
  await inCall(page, 'Done')
  t.equal(await invalid('sku'), 'false')
})

t.test('a schema that a form shows in part only is written as JSON', async t => {
  const anything = {
    ...echo,
    name: 'anything',
    inputSchema: { type: 'object' as const, properties: { value: {}, pair: { type: ['string', 'integer'] } } },
  }
  const { page } = await openConsole(t, { tools: [anything] }, 'tools/anything')
  await page.getByLabel('JSON', { exact: true }).fill('{ "value": { "a": [1] }, "pair": 7 }')

  t.strictSame(await call(page), { value: { a: [1] }, pair: 7 })
})
