// The security catalogue, test/security/README.md, and the titles of the tests name each other.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { findTests, PAGE, readNumbers, readRows, withTests } from '../../scripts/docs/security-catalogue.ts'

const page = readFileSync(PAGE, 'utf8')
const rows = readRows(page)
const found = findTests()

t.test('every number in the title of a test has a row', async t => {
  const known = new Set(rows.map(({ number }) => number))

  for (const [number, paths] of found) t.ok(known.has(number), `${number} in ${paths.join(', ')}`)
  t.ok(found.size > 100, `${found.size} numbers were found`)
})

t.test('every row has tests, or says why it has none', async t => {
  for (const { number, tests } of rows) {
    if (!found.has(number)) t.match(tests, /^no (?:test|number) .+/, number)
  }
})

t.test('every number has one row, and the rows of a letter count up from 1', async t => {
  const numbers = rows.map(({ number }) => number)

  t.equal(new Set(numbers).size, numbers.length)
  for (const letter of 'ABCDEFGHOP') {
    const ofLetter = numbers.filter(number => number.startsWith(letter))
    t.strictSame(
      ofLetter,
      ofLetter.map((_, index) => `${letter}${index + 1}`),
    )
  }
})

t.test('a row links the files whose titles have its number; npm run docs writes the links', async t => {
  t.equal(page, withTests(page, found))
})

t.test('numbers are read from titles of every form', async t => {
  const cases: [source: string, numbers: string[]][] = [
    ["t.test('F1, F2: x')", ['F1', 'F2']],
    ['t.test("B1, B3 to B5: x")', ['B1', 'B3', 'B4', 'B5']],
    ['t.test(`A42: $' + '{RUNS} bodies`)', ['A42']],
    ['t.test(`$' + "{row}: x`); const all = [['D9', 'a Map']]", ['D9']],
    ["const all = [['D9', 'a Map']]", []],
    ["t.test('a title without a number: A1 and so on')", []],
  ]

  for (const [source, numbers] of cases) t.strictSame(readNumbers(source), numbers, source)
})
