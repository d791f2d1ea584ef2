// What the console makes of text, values, names and links of a tool. The views are tested in test/browser.
import t from 'tap'
import { toSegments, toVisible } from '../../app/src/parts/visible-text.ts'
import { toCsv } from '../../app/src/results/csv.ts'
import { ExactNumber, parseExact } from '../../app/src/results/exact.ts'
import {
  fromBase64,
  isAudio,
  isPicture,
  nameByType,
  toFileName,
  toLinkTarget,
  toWebUrl,
} from '../../app/src/results/files.ts'
import { formatBytes, formatCount, formatDuration, formatLong, formatNumber } from '../../app/src/results/format.ts'
import { isMarkdown } from '../../app/src/results/is-markdown.ts'
import { parseInline, parseMarkdown } from '../../app/src/results/markdown-lexer.ts'
import { listViews, toPart, toParts } from '../../app/src/results/parts.ts'
import { createFilter, formatCell, toColumnsAndRows, toRows } from '../../app/src/results/rows.ts'
import { findShape } from '../../app/src/results/shape.ts'
import { nextOrder, type Order, sortRows } from '../../app/src/results/sort.ts'
import { describe, formatFigure, parseJson, toJson } from '../../app/src/results/values.ts'

t.test('what cannot be seen becomes a mark', async t => {
  for (const [text, visible] of [
    ['\x1b[31m', '[ESC][31m'],
    ['a\0\x7f\x9b', 'a[NUL][DEL][U+009B]'],
    ['\u202etxt.exe', '[U+202E]txt.exe'],
    ['pay\u200bpal\ufeff', 'pay[U+200B]pal[U+FEFF]'],
    ['\u{e0041}', '[U+E0041]'],
    ['\ud800', '[U+D800]'],
    ['over\rwritten', 'over[CR]written'],
    ['a\ufe0f\ufe01\ufe02', 'a\ufe0f[U+FE01][U+FE02]'],
    ['a\u200db', 'a[U+200D]b'],
  ] as const) {
    t.equal(toVisible(text), visible)
  }
})

t.test('text that can be seen stays as it is', async t => {
  for (const text of ['', 'line\n\ttab\r\n', 'naïve 漢字 עברית', '👩‍💻 ❤️ 👍🏽‍ 🏳️‍🌈']) t.equal(toVisible(text), text)
})

t.test('segments tell marks from text', async t => {
  t.strictSame(toSegments('a\0b'), [
    { text: 'a', isMark: false },
    { text: '[NUL]', isMark: true },
    { text: 'b', isMark: false },
  ])
})

t.test('only whole URLs of the web can be followed', async t => {
  t.equal(toWebUrl('https://example.org/a?b=1'), 'https://example.org/a?b=1')
  t.equal(toWebUrl('https://аррӏе.example/'), 'https://xn--80ak6aa92e.example/')
  const refused = [
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:http://a/1',
    '//example.org',
    '/path',
    'https://',
    'https://bank.example@evil.example/',
    `https://example.org/${'a'.repeat(2_000)}`,
  ]
  for (const uri of refused) t.equal(toWebUrl(uri), undefined, uri)
})

t.test('a download has a name that every system takes', async t => {
  for (const [name, clean] of [
    ['file:///reports/may.csv', 'may.csv'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\temp\\a.txt', 'a.txt'],
    ['\u202efdp.exe', '_fdp.exe'],
    ['a:b|c?.txt', 'a_b_c_.txt'],
    ['..', 'download'],
    ['', 'download'],
  ] as const) {
    t.equal(toFileName(name), clean)
  }
  t.equal(toFileName(`${'a'.repeat(300)}.png`).length, 100)
  t.equal(nameByType('picture', 'image/svg+xml'), 'picture.svg')
  t.equal(nameByType('sound', 'audio/x"y'), 'sound')
})

t.test('types that are shown are known ones', async t => {
  t.ok(isPicture('IMAGE/PNG; charset=x'))
  t.ok(isAudio('audio/wav'))
  for (const type of ['text/html', 'text/html;image/png', 'image/x-unknown', undefined, 7]) t.notOk(isPicture(type))
  for (const type of ['audio/"x', 'video/mp4', undefined]) t.notOk(isAudio(type))
})

t.test('bytes come from base64 only', async t => {
  t.strictSame(fromBase64('aGk='), new Uint8Array([104, 105]))
  t.equal(fromBase64('<script>'), undefined)
  t.equal(fromBase64(7), undefined)
})

t.test('a link of a text leads to the web or to a mail program', async t => {
  t.strictSame(toLinkTarget('https://example.org/a'), { href: 'https://example.org/a', place: 'example.org' })
  t.strictSame(toLinkTarget('mailto:ada@example.org'), { href: 'mailto:ada@example.org', place: 'ada@example.org' })
  t.match(
    toLinkTarget('https://аррӏе.example/'),
    { place: 'xn--80ak6aa92e.example' },
    'the host is not what it looks like',
  )
  for (const uri of ['javascript:alert(1)', 'data:text/html,x', '#/tools/x', '/path', 'mailto:a?body=x y'])
    t.equal(toLinkTarget(uri), undefined, uri)
})

t.test('numbers have their units, and thousands are separated', async t => {
  t.strictSame([1, 999, 1_400, 12_000, 999_960, 3_400_000].map(formatBytes), [
    '1 B',
    '999 B',
    '1.4 KB',
    '12 KB',
    '1 MB',
    '3.4 MB',
  ])
  t.strictSame([0, 0.4, 18, 999, 2_400, 65_000].map(formatDuration), [
    '0 ms',
    '0.4 ms',
    '18 ms',
    '999 ms',
    '2.4 s',
    '1 min 5 s',
  ])
  t.strictSame([0, 4, 900, 3_600, 3_900].map(formatLong), ['0 s', '4 s', '15 min', '1 h', '1 h 5 min'])
  t.equal(formatNumber(400_013), '400,013')
  t.strictSame([formatCount(1, 'item'), formatCount(2, 'property', 'properties')], ['1 item', '2 properties'])
})

t.test('a number that JavaScript would round keeps its digits', async t => {
  const value = parseExact('{"id":12345678901234567890,"price":1.5,"far":1e400,"list":[1]}') as Record<string, unknown>
  t.equal(String(value['id']), '12345678901234567890')
  t.type(value['id'], ExactNumber)
  t.equal(String(value['far']), '1e400')
  t.strictSame([value['price'], value['list']], [1.5, [1]])
  t.match(toJson(value), /"id": 12345678901234567890/)
})

t.test('a list of objects is a table, if most of their members are values', async t => {
  t.match(
    toRows([{ a: 1 }, { b: null }])?.columns.map(({ name }) => name),
    ['a', 'b'],
  )
  t.ok(toRows([{ a: 1, b: 'x', c: [1] }]), 'one of three is nested')
  for (const value of [[], [1], [{}], [{ a: {} }], { a: 1 }, null, 'text', [[1]]]) t.equal(toRows(value), undefined)
  const wide = Object.fromEntries(Array.from({ length: 41 }, (_, index) => [index, index]))
  t.equal(toRows([wide]), undefined)
})

t.test('columns with rows are a table, with the types of the server', async t => {
  const table = toColumnsAndRows({
    columns: [{ name: 'id', type: 'int8' }, 'name'].slice(0, 1),
    rows: [[7], { id: 8 }],
  })
  t.match(table?.columns, [{ name: 'id', type: 'int8', isNumber: true }])
  t.strictSame(
    table?.rows.map(row => table.read(row, 0)),
    [7, 8],
  )
  t.ok(toColumnsAndRows({ columns: ['a', 'b'], rows: [] }))
  for (const value of [
    { columns: [], rows: [] },
    { columns: [7], rows: [] },
    { columns: ['a'], rows: [7] },
    { columns: ['a'], rows: [[1, 'has no column']] },
    { rows: [] },
  ])
    t.equal(toColumnsAndRows(value), undefined)
})

t.test('a cell is an own property; numbers with fractions line up', async t => {
  const table = toRows([JSON.parse('{"__proto__":"x","n":1.5}'), { n: 20 }, { n: 1234.25 }])!
  t.strictSame(table.read(table.rows[0], 0), 'x')
  t.strictSame(table.read(table.rows[1], 0), undefined)
  t.strictSame(
    table.rows.map(row => formatCell(table.read(row, 1), table.columns[1]!)),
    ['1.50', '20.00', '1,234.25'],
  )
  t.equal(formatCell(2026, { decimals: undefined }), '2026', 'whole numbers may be years or ids')
})

t.test('rows are found by words in any cell', async t => {
  const find = createFilter(
    toRows([
      { id: 7, name: 'Ada' },
      { id: 8, name: 'Noah' },
    ])!,
  )
  t.strictSame(find('ADA 7'), [{ id: 7, name: 'Ada' }])
  t.strictSame(find('ada 8'), [])
  t.equal(find(' ').length, 2)
})

t.test('CSV: quotes, and no cell that a spreadsheet would run', async t => {
  const rows = toRows([
    { '=name': '=HYPERLINK("http://evil.example")', n: -7, s: 'a "b", c', z: null, d: -1.5 },
    { '=name': '+1', n: 1, s: '@x', z: true, d: 2 },
    { '=name': '\t=1', n: 2, s: '-1+2', z: 'line\nbreak', d: 0 },
    { '=name': ' =1', n: 2, s: '\u202e', z: "it's", d: 0 },
  ])!
  t.equal(
    toCsv(rows, rows.rows),
    [
      '\ufeff"\'=name",n,s,z,d',
      '"\'=HYPERLINK(""http://evil.example"")",-7,"a ""b"", c",,-1.5',
      '"\'+1",1,"\'@x",true,2',
      '"\'\t=1",2,"\'-1+2","line\nbreak",0',
      '"\' =1",2,\u202e,"it\'s",0',
      '',
    ].join('\r\n'),
  )
})

t.test('what a value is best shown as', async t => {
  const kinds = [
    [[{ a: 1 }], 'rows'],
    [{ columns: ['a'], rows: [[1]] }, 'rows'],
    [{ month: '2026-11', total: 6744, rows: [{ a: 1 }], _links: { self: 'x' } }, 'figures'],
    [{ columns: ['a'], rows: [[1]], nextCursor: 'x' }, 'figures'],
    [{ rows: [{ a: 1 }] }, 'figures'],
    [{ count: 5 }, 'figure'],
    [{ result: 'a\nlonger text' }, 'text'],
    [{ a: [{ x: 1 }], b: [{ y: 1 }] }, 'tree'],
    [{ a: 1, b: 2 }, 'tree'],
    [{}, 'tree'],
    [[1, 2], 'tree'],
    [null, 'tree'],
  ] as const
  for (const [value, kind] of kinds) t.equal(findShape(value).kind, kind, JSON.stringify(value))
  t.strictSame(
    [formatFigure('total', 6744), formatFigure('year', 2026), formatFigure('orderId', 88_412)],
    ['6,744', '2026', '88412'],
  )
})

t.test('a closed item of the tree says its first values', async t => {
  t.equal(describe({ sku: 'LT-0310', product: 'Desk lamp', units: 22 }), 'LT-0310, Desk lamp')
  t.equal(describe({ a: {} }), '1 property')
  t.equal(describe([1, 2]), '2 items')
})

t.test('a text that only repeats the structured value is a copy', async t => {
  const structuredContent = { a: 1, b: 2 }
  const text = (value: string) => ({ type: 'text', text: value })
  const { shown, copies } = toParts({ structuredContent, content: [text('{"a":1,"b":2}'), text('other')] })
  t.strictSame(
    shown.map(({ part }) => part.kind),
    ['value', 'text'],
  )
  t.equal(copies.length, 1)
  t.equal(toParts({ structuredContent: { result: 'long\ntext' }, content: [text('long\ntext')] }).copies.length, 1)
})

t.test('each part has its views, the best first', async t => {
  const views = (content: unknown) => listViews(toPart(content)).map(([view]) => view)
  t.strictSame(views({ type: 'text', text: '# A\n\n- b' }), ['formatted', 'text'])
  t.strictSame(views({ type: 'text', text: 'plain' }), [])
  t.strictSame(views({ type: 'text', text: '[{"a":1}]' }), ['table', 'tree', 'text'])
  t.strictSame(views({ type: 'image', mimeType: 'image/png', data: '' }), ['fit', 'full'])
  t.strictSame(views({ type: 'hologram' }), ['tree', 'text'])
})

t.test('Markdown is told from other text', async t => {
  for (const text of [
    '# Title',
    'a\n- b',
    '1. x',
    '```\ncode',
    '> quote',
    'a **b** c',
    '[a](https://b)',
    'use `x`',
    '|a|b|\n|-|-|',
  ])
    t.ok(isMarkdown(text), text)
  for (const text of ['plain', 'a * b * c', '#hashtag', 'x_y_z', 'a|b', '-5', 'ls -la', "it's **"])
    t.notOk(isMarkdown(text), text)
})

t.test('Markdown that would take long stays text', async t => {
  const hostile = {
    quotes: '> '.repeat(5_000),
    lists: Array.from({ length: 400 }, (_, level) => `${' '.repeat(level * 2)}- a`).join('\n'),
    numbers: '1. '.repeat(3_000),
    emphasis: '*a _'.repeat(20_000),
    underscores: '_a__'.repeat(20_000),
    size: 'a '.repeat(60_000),
  }
  for (const [name, text] of Object.entries(hostile)) t.equal(parseMarkdown(text), undefined, name)
  t.equal(parseInline('*a _'.repeat(20_000)), undefined)
  t.ok(parseMarkdown('[a]('.repeat(2_000)))
})

t.test('headings of Markdown begin at the first level and leave none out', async t => {
  const readDepths = (text: string) =>
    parseMarkdown(text)!.flatMap(token => (token.type === 'heading' ? [token['depth']] : []))
  t.strictSame(readDepths('#### deep\n\ntext'), [1])
  t.strictSame(readDepths('# a\n\n### b\n\n##### c\n\n### d\n\n# e'), [1, 2, 3, 2, 1])
  t.strictSame(readDepths('## a\n\n# b\n\n## c'), [1, 1, 2])
})

t.test('JSON text is read, and nesting that is too deep for text is said to be', async t => {
  t.strictSame(parseJson(' [1]'), [1])
  for (const text of ['7', '"a"', '{not json', 'text']) t.equal(parseJson(text), undefined)
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level++) deep = [deep]
  t.match(toJson(deep), /nested too deep/)
})

t.test('rows are ordered by a column: down, up, and back', async t => {
  const rows = [{ n: 10, s: 'b10' }, { n: 9, s: 'b9' }, { s: 'a' }]
  const read = (row: { n?: number; s: string }, column: string) => row[column as 'n']
  const by = (order?: Order) => sortRows(rows, order, read).map(({ s }) => s)
  t.strictSame(by(), ['b10', 'b9', 'a'])
  t.strictSame(by({ column: 'n', isDescending: false }), ['b9', 'b10', 'a'])
  t.strictSame(by({ column: 'n', isDescending: true }), ['b10', 'b9', 'a'], 'what has no value is last')
  t.strictSame(by({ column: 's', isDescending: false }), ['a', 'b9', 'b10'])

  const descending = nextOrder(undefined, 'n')
  const ascending = nextOrder(descending, 'n')
  t.strictSame(
    [descending, ascending],
    [
      { column: 'n', isDescending: true },
      { column: 'n', isDescending: false },
    ],
  )
  t.equal(nextOrder(ascending, 'n'), undefined)
})
