// Rows of a result as a table: which results are rows, and how they fit the terminal.
import { stripVTControlCharacters } from 'node:util'
import t from 'tap'
import { parseWritten } from '../../plain-http/src/written-json.ts'
import { formatRows } from '../src/client/rows.ts'

const draw = (value: unknown, width = 80) => formatRows(value, width, text => `\u001b[1m${text}\u001b[22m`)
const plain = (value: unknown, width = 80) => stripVTControlCharacters(draw(value, width) ?? 'no table')

t.test('a list of flat objects; numbers end at the right', async t => {
  const rows = [
    { sku: 'ABC-1', price: 9.5, note: null },
    { sku: '日本', price: 120, isNew: true },
  ]

  t.equal(plain(rows), 'sku    price  note  isNew\nABC-1    9.5\n日本     120        true')
})

t.test('columns with rows, and what stands beside them', async t => {
  const page = {
    columns: [
      { name: 'answer', type: 'integer' },
      { name: 'word', type: 'text' },
    ],
    rows: [
      [42, 'a'],
      [7, null],
    ],
    rowCount: 2,
    nextCursor: 'x',
  }

  t.equal(plain(page), 'answer  word\n    42  a\n     7\n\nrowCount: 2\nnextCursor: x')
})

t.test('an object with one list of rows; anything else is no table', async t => {
  t.equal(plain({ total: 1, orders: [{ id: 3 }] }), 'id\n 3\n\ntotal: 1')
  for (const value of [
    3,
    [],
    [1, 2],
    [{ deep: { id: 1 } }],
    { id: 1 },
    { a: [{ id: 1 }], b: [{ id: 2 }] },
    { a: [{ id: 1 }], beside: { deep: 1 } },
    { columns: ['a'], rows: [[1, 2]] },
  ]) {
    t.equal(draw(value), undefined, JSON.stringify(value))
  }
})

t.test('numbers are as they are written', async t => {
  const rows = parseWritten('[{"n":1.0},{"n":12345678901234567890}]')

  t.equal(plain(rows), ['n', '1.0', '12345678901234567890'].map(each => each.padStart(20)).join('\n'))
})

t.test('a wide table is cut to the terminal, and says so; one that cannot fit is none', async t => {
  const table = plain([{ id: 1, text: 'x'.repeat(100) }], 40)

  t.equal(table, `id  text\n 1  ${'x'.repeat(35)}…\n\nWhat ends with … is cut to fit; --json prints all`)
  t.equal(draw([Object.fromEntries('abcdefghij'.split('').map(name => [name, 'x'.repeat(9)]))], 40), undefined)
})

t.test('control characters do nothing', async t => {
  t.equal(plain([{ 'a\u001b[2J': 'b\u0007\nc' }]), 'a\\x1b[2J\nb\\x07 c')
})

t.test('a hundred rows, and how many are left out', async t => {
  const table = plain(Array.from({ length: 130 }, (_, id) => ({ id })))

  t.match(table, /\n99\n\n30 of 130 rows are left out; --json prints all$/)
})
