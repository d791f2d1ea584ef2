// Forms where they could go wrong: rows that move, shapes that change, texts that are half written, hostile links.
import type { Page } from 'playwright-core'
import t from 'tap'
import { assertAccessible } from '../../../../../test/support/browser/axe.ts'
import { assertBecomes } from '../../../../../test/support/browser/becomes.ts'
import { openConsole, press } from '../../../../../test/support/browser/console.ts'
import { createEcho, optionalFields, requiredFields } from '../../../../../test/support/browser/fields.ts'

const text = { type: 'string' } as const

const edges = createEcho('edges', {
  type: 'object',
  properties: {
    anything: { type: 'object', additionalProperties: true },
    list: { type: 'array', items: { type: ['string', 'null'] } },
    numbers: { type: 'array', items: { type: 'number' } },
    rows: {
      type: 'array',
      items: { type: 'object', properties: { name: text, size: { type: 'number' } }, required: ['name'] },
    },
    either: { type: ['number', 'string'] },
    shapes: {
      type: 'array',
      items: {
        oneOf: [
          { title: 'Circle', type: 'object', properties: { name: text } },
          { title: 'Square', type: 'object', properties: { name: text } },
        ],
      },
    },
    nested: {
      oneOf: [
        { title: 'Word', type: 'string' },
        {
          title: 'Place',
          oneOf: [
            { title: 'Point', type: 'object', properties: { name: text } },
            { title: 'Line', type: 'object', properties: { name: text } },
          ],
        },
      ],
    },
    pair: { type: 'array', prefixItems: [text, { title: 'end', type: ['string', 'null'] }] },
    day: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
  },
})

const openEdges = (t: Parameters<typeof openConsole>[0]) =>
  openConsole(t, { tools: [edges, optionalFields] }, 'tools/edges')

const openTab = (page: Page, name: string) =>
  page.getByRole('tablist', { name: 'Arguments as' }).getByRole('tab', { name, exact: true }).click()

async function json(page: Page): Promise<unknown> {
  await openTab(page, 'JSON')
  const text = await page.getByLabel('Arguments as JSON').inputValue()
  await openTab(page, 'Form')
  return JSON.parse(text)
}

async function writeJson(page: Page, value: unknown): Promise<void> {
  await openTab(page, 'JSON')
  await page.getByLabel('Arguments as JSON').fill(typeof value === 'string' ? value : JSON.stringify(value))
  await openTab(page, 'Form')
}

const choose = (page: Page, group: string, name: string) =>
  page.getByRole('radiogroup', { name: group, exact: true }).getByText(name, { exact: true }).click()

const isChosen = (page: Page, group: string, name: string) =>
  page.getByRole('radiogroup', { name: group, exact: true }).getByRole('radio', { name, exact: true }).isChecked()

t.test('a link to another tool fills that one, and leaves the open one alone', async t => {
  const { page } = await openEdges(t)
  const args = Buffer.from('{"subject":"from the link"}').toString('base64url')
  await page.evaluate(`location.hash = '#/tools/optional?args=${args}'`)
  await page.getByRole('heading', { name: 'optional', level: 2 }).waitFor()
  await assertBecomes(t, () => page.getByLabel('subject', { exact: true }).inputValue(), 'from the link')
  t.match(page.url(), /#\/tools\/optional$/)
  await page.evaluate(`location.hash = '#/tools/edges'`)
  await page.getByRole('heading', { name: 'edges', level: 2 }).waitFor()
  t.strictSame(await json(page), {})
})

t.test('hostile links fill nothing, or what can be mended; none calls', async t => {
  const { page } = await openEdges(t)
  const requests: unknown[] = []
  page.on('request', request => request.postData()?.includes('"tools/call"') && requests.push(1))
  const open = (args: string) => page.evaluate(`location.hash = '#/tools/edges?args=${args}'`)
  const encode = (text: string | Buffer) => Buffer.from(text).toString('base64url')
  for (const args of ['%00', 'A', encode(Buffer.from([0xff, 0xfe])), encode(`{"day":"${'x'.repeat(9_000)}"}`)]) {
    await open(args)
    t.strictSame(await json(page), {}, args.slice(0, 20))
  }
  await open(encode('{"day": <img src=x onerror=alert(1)>'))
  await page.getByText('The form shows what the JSON said before').waitFor()
  t.ok(await page.getByRole('button', { name: 'Call', exact: true }).isDisabled())
  await open(encode('{"__proto__": {"day": "2026-11-01"}, "constructor": 1, "\\ud800": 2}'))
  await page.getByText('The form shows what the JSON said before').waitFor({ state: 'detached' })
  await page.getByLabel('Value of __proto__').waitFor()
  t.equal(await page.getByLabel('day', { exact: true }).inputValue(), '')
  t.equal(await page.getByText('The form of this schema cannot be shown').count(), 0)
  t.strictSame(requests, [])
})

t.test('null in a list, in a map and in a tuple is null', async t => {
  const { page } = await openEdges(t)
  await press(page, 'Add list')
  await page.getByLabel('list 1').fill('a')
  await page.locator('[id="arg/list"]').getByRole('button', { name: 'null', exact: true }).click()
  t.strictSame(await json(page), { list: [null] })
  await writeJson(page, { list: [null, 'b'], anything: { a: null }, pair: ['x', null] })
  t.strictSame(await json(page), { list: [null, 'b'], anything: { a: null }, pair: ['x', null] })
  await page.getByLabel('Value of a').fill('null')
  await page.getByLabel('list 2').fill('c')
  t.strictSame(await json(page), { list: [null, 'c'], anything: { a: null }, pair: ['x', null] })
  await page.getByLabel('Name 1').fill('b')
  t.strictSame(await json(page), { list: [null, 'c'], anything: { b: null }, pair: ['x', null] })
})

t.test('a list with its middle row removed keeps the others, and what is half written in them', async t => {
  const { page } = await openEdges(t)
  await writeJson(page, {
    rows: [
      { name: 'a', size: 1 },
      { name: 'b', size: 2 },
      { name: 'c', size: 2 },
    ],
  })
  const names = () =>
    page
      .getByRole('textbox', { name: 'name' })
      .evaluateAll(all => all.map(each => (each as unknown as { value: string }).value))
  await page.getByRole('spinbutton', { name: 'size' }).nth(1).fill('2.0')
  await press(page, 'Remove item 2')
  t.strictSame(await names(), ['a', 'c'])
  t.equal(await page.getByRole('spinbutton', { name: 'size' }).nth(1).inputValue(), '2', 'not 2.0 of the other')
  await press(page, 'Move item 2 up')
  t.strictSame(await names(), ['c', 'a'])
  await press(page, 'Add a row')
  await page.keyboard.type('new')
  t.strictSame(await json(page), { rows: [{ name: 'c', size: 2 }, { name: 'a', size: 1 }, { name: 'new' }] })
})

t.test('the shapes of rows move with them; a new row has none', async t => {
  const { page } = await openEdges(t)
  await press(page, 'Add shapes')
  await press(page, 'Add a shape')
  await press(page, 'Add a shape')
  t.notOk(await isChosen(page, 'shapes 1', 'Circle'), 'a first shape that looks chosen could not be')
  await choose(page, 'shapes 1', 'Circle')
  await choose(page, 'shapes 2', 'Square')
  await press(page, 'Remove item 1')
  t.ok(await isChosen(page, 'shapes 1', 'Square'))
  await press(page, 'Clear')
  await press(page, 'Add shapes')
  await press(page, 'Add a shape')
  t.notOk(await isChosen(page, 'shapes 1', 'Square'), 'what was chosen before is forgotten')
})

t.test('a union in a union: each remembers its own choice', async t => {
  const { page } = await openEdges(t)
  await choose(page, 'nested', 'Place')
  await page.getByRole('radio', { name: 'Line' }).locator('..').click()
  t.ok(await page.getByRole('radio', { name: 'Place' }).isChecked())
  t.ok(await page.getByRole('radio', { name: 'Line' }).isChecked())
  await page.getByLabel('name').fill('x')
  t.strictSame(await json(page), { nested: { name: 'x' } })
})

t.test('a map of objects that the schema refers to has their fields, by any name', async t => {
  const maps = createEcho('maps', {
    type: 'object',
    properties: {
      people: { type: 'object', additionalProperties: { $ref: '#/$defs/person' } },
      parts: { type: 'object', patternProperties: { '^o_': { $ref: '#/$defs/person' } }, additionalProperties: false },
    },
    $defs: { person: { type: 'object', properties: { town: text }, required: ['town'] } },
  })
  const { page } = await openConsole(t, { tools: [maps] }, 'tools/maps')
  await press(page, 'Add people')
  await page.getByLabel('Name 1').pressSequentially('ada')
  await page.getByRole('textbox', { name: 'town' }).fill('London')
  t.strictSame(await json(page), { people: { ada: { town: 'London' } } })
  await press(page, 'Clear')
  await press(page, 'Add parts')
  await page.getByLabel('Name 1').pressSequentially('o_1')
  await page.getByRole('textbox', { name: 'town' }).fill('Bern')
  t.strictSame(await json(page), { parts: { o_1: { town: 'Bern' } } })
})

t.test('a map of files: each row has its file', async t => {
  const files = createEcho('files', {
    type: 'object',
    properties: { parts: { type: 'object', additionalProperties: { type: 'string', contentEncoding: 'base64' } } },
  })
  const { page } = await openConsole(t, { tools: [files] }, 'tools/files')
  await press(page, 'Add parts')
  await page.getByLabel('Name 1').fill('a')
  const input = page.getByLabel('Choose a file for Value of a')
  await input.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') })
  await press(page, 'Remove a.txt')
  await input.setInputFiles({ name: 'b.txt', mimeType: 'text/plain', buffer: Buffer.from('b') })
  await page.getByRole('button', { name: 'Remove b.txt' }).waitFor()
  t.strictSame(await json(page), { parts: { a: 'Yg==' } })
})

t.test('a new row that may be null waits for what is chosen', async t => {
  const place = (kind: string) => ({ type: 'object', properties: { kind: { const: kind } }, required: ['kind'] })
  const rows = createEcho('rows', {
    type: 'object',
    properties: { stops: { type: 'array', items: { anyOf: [place('a'), place('b'), { type: 'null' }] } } },
  })
  const { page } = await openConsole(t, { tools: [rows] }, 'tools/rows')
  await press(page, 'Add stops')
  t.strictSame(await json(page), { stops: [] })
  await press(page, 'Add a stop')
  await choose(page, 'stops 1', 'b')
  await press(page, 'Add a stop')
  await page.locator('[id="arg/stops"]').getByRole('button', { name: 'null', exact: true }).last().click()
  t.strictSame(await json(page), { stops: [{ kind: 'b' }, null] })
})

t.test('texts stay as they are typed: lines in a row, letters of an address', async t => {
  const texts = createEcho('texts', {
    type: 'object',
    properties: { lines: { type: 'array', items: text }, mail: { type: 'string', format: 'idn-email' } },
  })
  const { page } = await openConsole(t, { tools: [texts] }, 'tools/texts')
  await writeJson(page, { lines: ['a\nb'] })
  await page.getByLabel('lines 1').press('Control+End')
  await page.keyboard.type('c')
  await page.getByLabel('mail').pressSequentially('ada@bücher.example')
  t.strictSame(await json(page), { lines: ['a\nbc'], mail: 'ada@bücher.example' })
})

t.test('half a date does not go unsent: the call waits for the rest', async t => {
  const { page } = await openEdges(t)
  const requests: unknown[] = []
  page.on('request', request => request.postData()?.includes('"tools/call"') && requests.push(1))
  const day = page.getByLabel('day', { exact: true })
  await day.focus()
  await page.keyboard.type('11')
  await press(page, 'Call')
  await assertBecomes(t, () => page.evaluate('document.activeElement.id'), 'arg/day')
  t.strictSame(requests, [])
  await day.fill('2026-11-26')
  await press(page, 'Call')
  await assertBecomes(t, async () => requests.length, 1)
})

t.test('by keyboard alone: the focus goes on where its place is gone', async t => {
  const { page } = await openConsole(t, { tools: [optionalFields] }, 'tools/optional')
  const focused = () => page.evaluate('document.activeElement.id || document.activeElement.tagName')
  await page.getByLabel('subject', { exact: true }).focus()
  await page.keyboard.press('Control+j')
  const written = page.getByLabel('Arguments as JSON')
  await assertBecomes(t, () => written.evaluate(each => each.matches(':focus')), true)
  await page.keyboard.press('Control+j')
  await assertBecomes(t, focused, 'arg/subject')
  await page.getByLabel('Choose a file for attachment').setInputFiles({
    name: 'a.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('a'),
  })
  await page.getByRole('button', { name: 'Remove a.txt' }).press('Enter')
  await assertBecomes(t, focused, 'arg/attachment')
})

t.test('a number is typed where text fits, too', async t => {
  const { page } = await openEdges(t)
  await choose(page, 'either', 'number')
  const field = page.getByRole('spinbutton', { name: 'either' })
  await field.pressSequentially('-1.5')
  t.strictSame(await json(page), { either: -1.5 })
  await field.fill('1.')
  await press(page, 'Call')
  await page.getByText('1 field does not fit: either').waitFor()
  await writeJson(page, { either: '1.' })
  t.ok(await isChosen(page, 'either', 'text'), 'the JSON has said that it is a text')
})

t.test('names of entries: numbers, the same, and none', async t => {
  const { page } = await openEdges(t)
  await press(page, 'Add anything')
  await page.getByLabel('Name 1').fill('a')
  await press(page, 'Add an entry')
  await page.keyboard.type('12')
  t.equal(await page.getByLabel('Name 2').inputValue(), '12')
  await page.getByLabel('Value of 12').fill('5')
  t.strictSame(await json(page), { anything: { a: '', 12: 5 } })
  await press(page, 'Add an entry')
  await page.keyboard.type('a')
  t.equal(await page.getByLabel('Name 3').getAttribute('aria-invalid'), 'true', 'the name is taken')
  await page.keyboard.type('b')
  await page.getByLabel('Value of ab').fill('true')
  await press(page, 'Remove 12')
  t.strictSame(await json(page), { anything: { a: '', ab: true } })
})

t.test('dates that the fields of a browser cannot show are shown as text', async t => {
  const { page } = await openEdges(t)
  await writeJson(page, { day: '2026-13-01', at: '2026-11-26T14:30:00.123456Z' })
  t.equal(await page.getByLabel('day', { exact: true }).inputValue(), '2026-13-01')
  t.equal(await page.getByLabel('at', { exact: true }).inputValue(), '2026-11-26T14:30:00.123456Z')
  await writeJson(page, { at: '2026-11-26T14:30:00-00:00' })
  t.equal(await page.getByLabel('Time zone of at').inputValue(), '-00:00')
})

t.test('a required map waits until somebody leaves it empty', async t => {
  const remove = createEcho('remove', {
    type: 'object',
    properties: { conditions: { type: 'object', additionalProperties: text } },
    required: ['conditions'],
  })
  const { page } = await openConsole(t, { tools: [remove] }, 'tools/remove')
  await press(page, 'Call')
  await page.getByText('Add an entry, or leave it empty').waitFor()
  await press(page, 'Leave empty')
  t.strictSame(await json(page), { conditions: {} })
  await page.getByText('Add an entry, or leave it empty').waitFor({ state: 'detached' })
})

t.test('a schema that the browser cannot judge is called, and the foot says so', async t => {
  const doubled = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `d${index}`,
      { anyOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  )
  const schema = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    $defs: { ...doubled, d40: { type: 'integer' } },
  }
  const { page } = await openConsole(t, { tools: [createEcho('doubled', schema)] }, 'tools/doubled')
  t.equal(await page.getByText('Not checked here').count(), 0)
  await writeJson(page, { a: 'x' })
  await page.getByText('Not checked here').waitFor()
})

t.test('by keyboard alone: fields, segments, switch, call', async t => {
  const { page } = await openConsole(t, { tools: [requiredFields] }, 'tools/required')
  const focused = () => page.evaluate('document.activeElement.id || document.activeElement.textContent')
  await page.locator('[id="arg/publish"]').focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await assertBecomes(t, focused, 'arg/month')
  t.match(await json(page), { publish: true })
})

for (const [name, options] of [
  ['at 320 px', { viewport: { width: 320, height: 640 } }],
  ['at 200 %', { viewport: { width: 720, height: 450 } }],
] as const)
  t.test(`a filled form fits ${name}, and every target has 24 px`, async t => {
    const { page } = await openEdges(t)
    await writeJson(page, {
      anything: { a: 1, b: { c: 2 } },
      list: ['a', null],
      rows: [{ name: 'a' }, { name: 'b' }],
      either: 1,
      shapes: [{ name: 'x' }],
      pair: ['x', null],
      at: '2026-11-26T14:30:00Z',
    })
    await page.setViewportSize(options.viewport)
    t.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, 'nothing is beside the page')
    const small =
      await page.evaluate(`[...document.querySelectorAll('.pane-form :is(button, select, input, textarea, label:has(input))')]
      .map(each => ({ name: each.getAttribute('aria-label') ?? each.textContent ?? each.id, box: each.getBoundingClientRect(), of: each.closest('label') }))
      .filter(({ box, of }) => box.width > 1 && of === null && (box.width < 24 || box.height < 24))
      .map(({ name, box }) => name + ' ' + box.width + '×' + box.height)`)
    t.strictSame(small, [])
    const wide = await page.evaluate(
      `(() => { const pane = document.querySelector('.pane-form .pane-scroll') ?? document.querySelector('.pane-form'); return pane.scrollWidth - pane.clientWidth })()`,
    )
    t.equal(wide, 0, 'no field is wider than the pane')
    await assertAccessible(t, page, name)
  })

t.test('with forced colours the chosen segment is outlined', async t => {
  const { page } = await openEdges(t)
  await page.emulateMedia({ forcedColors: 'active' })
  const styles = await page.evaluate(`[...document.querySelectorAll('.pane-form .segmented > label')]
    .map(each => [each.querySelector('input').checked, getComputedStyle(each).outlineStyle])`)
  for (const [isOn, outline] of styles as [boolean, string][]) t.equal(outline, isOn ? 'solid' : 'none')
})
