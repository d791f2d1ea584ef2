// Forms made from schemas, in a real browser: each kind of field, the JSON beside them, and what is sent.
import type { Page } from 'playwright-core'
import t from 'tap'
import { assertAccessible } from '../../../../../test/support/browser/axe.ts'
import { assertBecomes } from '../../../../../test/support/browser/becomes.ts'
import { openConsole, press } from '../../../../../test/support/browser/console.ts'
import {
  createEcho,
  large,
  optionalFields,
  recursive,
  requiredFields,
} from '../../../../../test/support/browser/fields.ts'
import { takeScreenshots } from '../../../../../test/support/browser/screenshots.ts'

const isCall = (body: string | null) => body?.includes('"tools/call"') === true

/** What the server is sent. */
async function call(page: Page, button = 'Call'): Promise<unknown> {
  const sent = page.waitForRequest(request => isCall(request.postData()))
  await press(page, button)
  return JSON.parse((await sent).postData()!).params.arguments
}

/** What the JSON says, with the form in sight again. */
async function json(page: Page): Promise<unknown> {
  await openTab(page, 'JSON')
  const text = await page.getByLabel('Arguments as JSON').inputValue()
  await openTab(page, 'Form')
  return JSON.parse(text)
}

const openTab = (page: Page, name: string) =>
  page.getByRole('tablist', { name: 'Arguments as' }).getByRole('tab', { name, exact: true }).click()

async function writeJson(page: Page, value: unknown): Promise<void> {
  await openTab(page, 'JSON')
  await page.getByLabel('Arguments as JSON').fill(typeof value === 'string' ? value : JSON.stringify(value))
  await openTab(page, 'Form')
}

const input = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const choose = (page: Page, group: string, name: string) =>
  page.getByRole('radiogroup', { name: group, exact: true }).getByText(name, { exact: true }).click()

const readFocus = (page: Page) => page.evaluate('document.activeElement.id')

const openOptional = (t: Parameters<typeof openConsole>[0]) =>
  openConsole(t, { tools: [optionalFields] }, 'tools/optional')

t.test('an untouched form sends nothing that nobody chose', async t => {
  const { page } = await openOptional(t)

  t.strictSame(await json(page), {})
  t.strictSame(await call(page), {}, 'and it is valid')
})

t.test('each field sends what it says', async t => {
  const { page } = await openOptional(t)
  await input(page, 'subject').fill('Two\nlines')
  await input(page, 'csv').fill('city,visits\nRome,3\nOslo,4')
  await page.getByText('3 lines, 25 B').waitFor()
  await input(page, 'site').fill('https://example.org')
  await page.getByRole('spinbutton', { name: 'limit' }).fill('7')
  await page.getByRole('spinbutton', { name: 'price' }).pressSequentially('12.05')
  await choose(page, 'onlyPaid', 'false')
  await choose(page, 'region', 'south')
  await choose(page, 'size', 'large')
  await choose(page, 'action', 'Keep both')
  await page.getByLabel('country').selectOption('Country 3')
  await page.getByLabel('code', { exact: true }).fill('C9999')
  await page.getByRole('checkbox', { name: 'sms' }).check()
  await page.getByRole('checkbox', { name: 'mail' }).check()
  await page.getByLabel('Search topics').fill('Topic 39')
  await page.getByRole('checkbox', { name: 'Topic 39' }).check()
  await page.getByLabel('month').fill('2026-11-01')
  await page.getByLabel('at', { exact: true }).fill('2026-11-26T14:30')
  await page.getByLabel('Time zone of at').selectOption('UTC')
  await page.getByText('Sends 2026-11-26T14:30:00Z').waitFor()
  await press(page, 'Add filter')
  await page.getByRole('spinbutton', { name: 'min' }).fill('100')
  await press(page, 'Add pair')
  await page.getByLabel('from').fill('1')
  await page.getByLabel('to', { exact: true }).fill('b')
  await press(page, 'Add headers')
  await page.getByLabel('Name 1').fill('X-Team')
  await page.getByLabel('Value of X-Team').fill('shop')
  await input(page, 'extra').fill('{ "ratio": [16, 9] }')

  t.strictSame(await call(page), {
    subject: 'Two\nlines',
    csv: 'city,visits\nRome,3\nOslo,4',
    site: 'https://example.org',
    limit: 7,
    price: 12.05,
    onlyPaid: false,
    region: 'south',
    size: 3,
    action: 'b',
    country: 'Country 3',
    code: 'C9999',
    channels: ['mail', 'sms'],
    topics: ['Topic 39'],
    month: '2026-11-01',
    at: '2026-11-26T14:30:00Z',
    filter: { kind: 'simple', min: 100 },
    pair: [1, 'b'],
    headers: { 'X-Team': 'shop' },
    extra: { ratio: [16, 9] },
  })
})

t.test('a value is left out again, and null is a value of its own', async t => {
  const { page } = await openOptional(t)
  await input(page, 'subject').fill('a')
  await input(page, 'parent').fill('b')
  await press(page, 'Add tags')
  await choose(page, 'region', 'south')
  await assertBecomes(t, () => json(page), { subject: 'a', region: 'south', tags: [], parent: 'b' })

  await press(page, 'Leave subject out')
  await press(page, 'Leave tags out')
  await choose(page, 'region', 'Not set')
  await press(page, 'null')
  t.strictSame(await json(page), { parent: null })
  t.strictSame(await call(page), { parent: null })

  await press(page, 'null')
  t.strictSame(await json(page), {})
})

t.test('items of a list are added, moved and removed; a new one is sent once it is written', async t => {
  const { page } = await openOptional(t)
  await press(page, 'Add tags')
  t.strictSame(await json(page), { tags: [] })
  for (const [index, tag] of ['a', 'b', 'c'].entries()) {
    await press(page, 'Add a tag')
    await page.getByLabel(`tags ${index + 1}`).fill(tag)
  }
  await press(page, 'Move c up')
  await press(page, 'Remove a')

  t.strictSame(await json(page), { tags: ['c', 'b'] })
  await press(page, 'Add rows')
  await press(page, 'Add a row')
  await page.getByRole('spinbutton', { name: 'id' }).fill('3')
  t.strictSame(await json(page), { tags: ['c', 'b'], rows: [{ id: 3 }] })
})

t.test('of several shapes the chosen one shows; a text that two share stays', async t => {
  const { page } = await openOptional(t)
  await choose(page, 'kind', 'mail')
  await input(page, 'text').fill('November is ready.')
  await choose(page, 'kind', 'sms')
  t.strictSame(await json(page), { send: { kind: 'sms', text: 'November is ready.' } })
  await input(page, 'number').fill('030')
  await press(page, 'Call')
  await page.getByRole('alert').filter({ hasText: '1 field does not fit: send.number' }).waitFor()

  await choose(page, 'kind', 'Not set')
  await choose(page, 'when', 'Last n days')
  await page.getByRole('spinbutton', { name: 'days' }).fill('7')
  await choose(page, 'either', 'text')
  await page.getByLabel('either', { exact: true }).last().fill('7')
  t.strictSame(await json(page), { when: { days: 7 }, either: '7' }, 'a text stays a text')
})

t.test('a file is sent as base64', async t => {
  const { page } = await openOptional(t)
  const chooser = page.waitForEvent('filechooser')
  await press(page, 'Choose')
  await (await chooser).setFiles({ name: 'hello.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') })
  await page.getByText('hello.txt').waitFor()
  t.match(await page.locator('.file').textContent(), /hello\.txt\s*5 B · text\/plain/)
  t.strictSame(await json(page), { attachment: 'aGVsbG8=' })
  await press(page, 'Remove Content')
  t.strictSame(await json(page), {})
})

t.test('the form and the JSON follow each other; invalid JSON keeps the form', async t => {
  const { page } = await openOptional(t)
  await writeJson(page, '{ "subject": "a", "tags": ["x"], "send": { "kind": "sms", "number": "1" }, "unknown": 1 }')
  t.equal(await input(page, 'subject').inputValue(), 'a')
  t.equal(await page.getByLabel('tags 1').inputValue(), 'x')
  t.equal(await input(page, 'number').inputValue(), '1')
  t.equal(await page.getByLabel('Name 1').inputValue(), 'unknown')
  t.equal(await page.getByLabel('Value of unknown').inputValue(), '1')

  await writeJson(page, '{ "subject": "b", ')
  t.ok(await page.getByRole('button', { name: 'Call', exact: true }).isDisabled())
  t.equal(await input(page, 'subject').inputValue(), 'a', 'the form is as it was')
  await page.getByText('The form shows what the JSON said before').waitFor()
  await input(page, 'subject').fill('c')
  t.match(await json(page), { subject: 'c', unknown: 1 })
})

t.test('what JSON would round is refused, in the text and in a field', async t => {
  const { page } = await openOptional(t)
  for (const [text, fault] of [
    ['{ "price": 12345678901234567890 }', /Line 1, column 12: 12345678901234567890 would be sent as/],
    ['{ "price": 1e400 }', /1e400 is too large/],
    ['{ "price": 1, "price": 2 }', /"price" stands twice/],
    ['{ "extra": [1, 2 }', /Not JSON at line 1, column 18/],
  ] as const) {
    await openTab(page, 'JSON')
    await page.getByLabel('Arguments as JSON').fill(text)
    await page.getByRole('alert').filter({ hasText: fault }).waitFor()
    t.ok(await page.getByRole('button', { name: 'Call', exact: true }).isDisabled(), text)
  }
  await page.getByLabel('Arguments as JSON').fill('{}')
  await openTab(page, 'Form')
  await page.getByRole('spinbutton', { name: 'price' }).fill('12345678901234567890')
  await press(page, 'Call')
  await page.getByText('12345678901234567890 would be sent as 12345678901234567000').waitFor()
})

t.test('what does not fit stands at its field; nothing is sent, or all the same', async t => {
  const { page } = await openConsole(t, { tools: [requiredFields] }, 'tools/required')
  t.strictSame(await json(page), { version: 2, page: {} }, 'required constants are sent and not shown')
  const requests: unknown[] = []
  page.on('request', request => isCall(request.postData()) && requests.push(request.postData()))
  t.equal(await page.locator('[aria-invalid="true"]').count(), 0, 'no faults before the first call')
  await page.getByRole('tabpanel', { name: 'Form' }).press('Control+Enter')
  const summary = page.getByRole('alert').filter({ hasText: 'do not fit' })
  await summary.waitFor()
  t.match(await summary.textContent(), '6 fields do not fit: publish, order, month, tags, page.after and 1 more')
  t.strictSame(requests, [])
  await assertBecomes(t, () => readFocus(page), 'arg/publish', 'the first one has the focus')
  const month = page.getByLabel('month')
  const error = (await month.getAttribute('aria-describedby'))!.split(' ').at(-1)!
  t.equal(await page.locator(`[id="${error}"]`).textContent(), 'Choose a date')
  await summary.getByRole('button', { name: 'month' }).click()
  await assertBecomes(t, () => readFocus(page), 'arg/month', 'a fault is a link to its field')

  await month.fill('2026-11-01')
  await page.getByText('Choose a date').waitFor({ state: 'detached' })
  t.strictSame(await call(page, 'Call anyway'), { version: 2, month: '2026-11-01', page: {} })

  await press(page, 'Leave off')
  await choose(page, 'order', 'oldest')
  await press(page, 'Leave empty')
  await input(page, 'after').fill('x')
  await press(page, 'null')
  t.strictSame(await call(page), {
    version: 2,
    publish: false,
    order: 'oldest',
    month: '2026-11-01',
    tags: [],
    page: { after: 'x' },
    nickname: null,
  })
})

t.test('Example, Clear, and a link that fills a form and never calls', async t => {
  const { page, origin } = await openOptional(t)
  await press(page, 'Example')
  t.strictSame(await json(page), { subject: 'From the description' })
  await press(page, 'Clear')
  t.strictSame(await json(page), {})

  const requests: unknown[] = []
  page.on('request', request => isCall(request.postData()) && requests.push(1))
  const args = Buffer.from('{"subject":"Zürich 🙂","limit":3}').toString('base64url')
  await page.goto(`${origin}/console/#/tools/optional?args=${args}`)
  await assertBecomes(t, () => input(page, 'subject').inputValue(), 'Zürich 🙂')
  t.strictSame(await json(page), { subject: 'Zürich 🙂', limit: 3 })
  t.strictSame(requests, [])
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await press(page, 'Copy a link to these arguments')
  await assertBecomes(
    t,
    () => page.evaluate('navigator.clipboard.readText()'),
    /\/console\/#\/tools\/optional\?args=[\w-]+$/,
  )
  await page.reload()
  await assertBecomes(t, () => input(page, 'subject').inputValue(), 'Zürich 🙂', 'a reload keeps what is written')
})

t.test('Ctrl+J changes between form and JSON', async t => {
  const { page } = await openOptional(t)
  // Unlike a click, a key does not wait for what it acts on.
  await input(page, 'subject').waitFor()
  await page.keyboard.press('Control+j')
  await page.getByLabel('Arguments as JSON').waitFor()
  await page.keyboard.press('Control+j')
  await input(page, 'subject').waitFor()
})

t.test('what is added takes the focus, and what is left out gives it back', async t => {
  const { page } = await openOptional(t)
  const focused = () => readFocus(page)
  await press(page, 'Add filter')
  await assertBecomes(t, focused, 'arg/filter/min')
  await press(page, 'Leave filter out')
  await assertBecomes(t, focused, 'arg/filter')
  await press(page, 'Add tags')
  await assertBecomes(t, focused, 'arg/tags/0')
  await input(page, 'subject').fill('a')
  await press(page, 'Leave subject out')
  await assertBecomes(t, focused, 'arg/subject')
})

t.test('a schema that refers to itself opens as far as the user opens it', async t => {
  const { page } = await openConsole(t, { tools: [recursive] }, 'tools/recursive')
  await press(page, 'Add root')
  await press(page, 'Add left')
  await press(page, 'Add left')
  await page.getByLabel('name').nth(2).fill('deep')
  t.strictSame(await call(page), { root: { left: { left: { name: 'deep' } } } })
})

t.test('hostile and odd schemas: the form bears them, and the JSON can do the rest', async t => {
  const doubled = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `d${index}`,
      { anyOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  )
  const tools = [
    createEcho('patterns', { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }),
    createEcho('doubled', {
      type: 'object',
      properties: { a: { $ref: '#/$defs/d0' } },
      $defs: { ...doubled, d40: { type: 'string' } },
    }),
    createEcho('names', {
      type: 'object',
      properties: { constructor: { type: 'string' }, toString: { type: 'string' } },
    }),
    createEcho('booleans', { type: 'object', properties: { a: true, b: false } }),
    createEcho('conditions', {
      type: 'object',
      properties: { kind: { enum: ['a', 'b'] } },
      if: { properties: { kind: { const: 'a' } }, required: ['kind'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { extra: { type: 'string' } }, required: ['extra'] },
    }),
  ]
  const { page, origin } = await openConsole(t, { tools }, 'tools/patterns')
  const go = async (name: string) => {
    await page.goto(`${origin}/console/#/tools/${name}`)
    await page.getByRole('heading', { name, level: 2 }).waitFor()
  }
  await input(page, 'a').fill(`${'a'.repeat(60)}!`)
  await call(page)

  await go('doubled')
  await writeJson(page, { a: 'x' })
  t.strictSame(await call(page), { a: 'x' })

  await go('names')
  await input(page, 'constructor').fill('c')
  await input(page, 'toString').fill('s')
  t.strictSame(await call(page), { constructor: 'c', toString: 's' })

  await go('booleans')
  await page.getByLabel('a', { exact: true }).fill('[1]')
  t.equal(await page.getByLabel('b', { exact: true }).count(), 0)
  t.strictSame(await call(page), { a: [1] })

  await go('conditions')
  await choose(page, 'kind', 'a')
  await press(page, 'Call')
  await page.getByText('1 field does not fit: extra').waitFor()
  await input(page, 'extra').fill('x')
  t.strictSame(await call(page), { kind: 'a', extra: 'x' })
})

t.test('in a form of 300 members a keystroke changes one field', async t => {
  const { page } = await openConsole(t, { tools: [large] }, 'tools/large')
  await press(page, 'Call')
  await page.getByText('1 field does not fit: member299').waitFor()
  await page.evaluate(`{
    const fields = new Set()
    const note = ({ target }) => fields.add((target.closest ? target : target.parentElement).closest('.field'))
    const observer = new MutationObserver(all => all.forEach(note))
    const parts = { subtree: true, childList: true, attributes: true, characterData: true }
    observer.observe(document.querySelector('[aria-label="Fields"]'), parts)
    window.countChanged = () => fields.size
  }`)
  await input(page, 'member299').fill('a')
  await page.getByText('1 of 300 arguments').waitFor()
  t.equal(await page.evaluate('countChanged()'), 1)
})

t.test('the fields are accessible, and pictures of them are taken', async t => {
  const { page } = await openOptional(t)
  await writeJson(page, {
    subject: 'Stand-up',
    price: 'hundred',
    tags: ['online', 'fair'],
    filter: { kind: 'simple', min: 100 },
    send: { kind: 'sms', number: '030', text: '' },
    when: { days: 7 },
    headers: { 'X-Team': 'shop' },
    parent: null,
    channels: ['mail'],
    topics: ['Topic 3'],
    at: '2026-11-26T14:30:00Z',
    attachment: 'aGVsbG8=',
  })
  await press(page, 'Call')
  await page.getByText('2 fields do not fit').waitFor()
  await assertAccessible(t, page, 'a filled form with faults')
  await takeScreenshots(page, 'fields')
  await openTab(page, 'Schema')
  await assertAccessible(t, page, 'the schema')
  await openTab(page, 'JSON')
  await assertAccessible(t, page, 'the JSON')
})
