// What the console makes of text, values, names and links of a tool. The views are tested in test/browser.
import t from 'tap'
import {
  formatSize,
  fromBase64,
  isAudio,
  isPicture,
  nameByType,
  toFileName,
  toWebUrl,
} from '../../../console/src/results/files.ts'
import { nextOrder, type Order, sortRows } from '../../../console/src/results/sort.ts'
import { findTable, parseJson, readCell, toJson } from '../../../console/src/results/values.ts'
import { toSegments, toVisible } from '../../../console/src/results/visible-text.ts'

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
  t.strictSame([formatSize(1), formatSize(1536), formatSize(3 * 2 ** 20)], ['1 bytes', '1.5 KiB', '3.0 MiB'])
})

t.test('a list of flat objects is a table, also within an object', async t => {
  t.match(findTable([{ a: 1 }, { b: null }]), { name: undefined, columns: ['a', 'b'] })
  t.match(findTable({ total: 1, rows: [{ a: 1 }] }), { name: 'rows', columns: ['a'] })
  for (const value of [[], [1], [{}], [{ a: {} }], { a: 1 }, null, 'text']) t.equal(findTable(value), undefined)
  const wide = Object.fromEntries(Array.from({ length: 31 }, (_, index) => [index, index]))
  t.equal(findTable([wide]), undefined)
})

t.test('a cell is an own property', async t => {
  t.equal(readCell({}, 'constructor'), '')
  t.equal(readCell(JSON.parse('{"__proto__":"x"}'), '__proto__'), 'x')
  t.equal(readCell({ a: null }, 'a'), 'null')
})

t.test('JSON text is read, and nesting that is too deep for text is said to be', async t => {
  t.strictSame(parseJson(' [1]'), [1])
  for (const text of ['7', '"a"', '{not json', 'text']) t.equal(parseJson(text), undefined)
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level++) deep = [deep]
  t.match(toJson(deep), /nested too deep/)
})

t.test('rows are ordered by a column, and back', async t => {
  const rows = [{ n: 10, s: 'b10' }, { n: 9, s: 'b9' }, { s: 'a' }]
  const read = (row: { n?: number; s: string }, column: string) => row[column as 'n']
  const by = (order?: Order) => sortRows(rows, order, read).map(({ s }) => s)
  t.strictSame(by(), ['b10', 'b9', 'a'])
  t.strictSame(by({ column: 'n', isDescending: false }), ['b9', 'b10', 'a'])
  t.strictSame(by({ column: 'n', isDescending: true }), ['b10', 'b9', 'a'], 'what has no value is last')
  t.strictSame(by({ column: 's', isDescending: false }), ['a', 'b9', 'b10'])

  const ascending = nextOrder(undefined, 'n')
  const descending = nextOrder(ascending, 'n')
  t.strictSame(
    [ascending, descending],
    [
      { column: 'n', isDescending: false },
      { column: 'n', isDescending: true },
    ],
  )
  t.equal(nextOrder(descending, 'n'), undefined)
})
