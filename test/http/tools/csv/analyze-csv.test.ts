import t, { type Test } from 'tap'
import { callTool } from '../../../support/app.ts'
import { dataFile, errorOf, serve } from '../../../support/tools/shipped.ts'

async function analyze(t: Test, args: object) {
  return callTool(await serve(t, 'analyze_csv'), 'analyze_csv', args)
}

const number = (name: string, [count, sum, average, min, max]: number[]) => ({
  name,
  type: 'number',
  count,
  sum,
  average,
  min,
  max,
})

t.test('analyze_csv: the example of its description', async t => {
  const result = await analyze(t, { csv: 'city,visits\nRome,3\nOslo,4', operations: ['sum'] })

  t.strictSame(result.structuredContent, {
    rows: 2,
    columns: [
      { name: 'city', type: 'text', count: 2 },
      { name: 'visits', type: 'number', count: 2, sum: 7 },
    ],
  })
})

t.test('analyze_csv: all operations where none is named, from a file', async t => {
  const filepath = dataFile(t, 'a,b\n1,-1.5\n2,\n6,4e1\n')

  const result = await analyze(t, { filepath })

  t.strictSame(result.structuredContent, {
    rows: 3,
    columns: [number('a', [3, 9, 3, 1, 6]), number('b', [2, 38.5, 19.25, -1.5, 40])],
  })
})

t.test('analyze_csv: only the columns that were named, in that order', async t => {
  const result = await analyze(t, { csv: 'a,b,c\n1,2,3', columns: ['c', 'a'], operations: ['max'] })

  t.strictSame(
    result.structuredContent.columns.map(({ name, max }: { name: string; max: number }) => [name, max]),
    [
      ['c', 3],
      ['a', 1],
    ],
  )
})

const SAME = { rows: 2, columns: [number('a', [2, 4, 2, 1, 3]), number('b c', [2, 6, 3, 2, 4])] }
const WRITTEN: Record<string, string> = {
  commas: 'a,b c\n1,2\n3,4\n',
  semicolons: 'a;b c\n1;2\n3;4',
  tabs: 'a\tb c\n1\t2\n3\t4',
  bars: 'a|b c\n1|2\n3|4',
  'a byte order mark': '\ufeffa,b c\n1,2\n3,4',
  'a byte order mark and quotes': '\ufeff"a";"b c"\n"1";"2"\n3;4',
  'CRLF lines': 'a,b c\r\n1,2\r\n3,4\r\n',
  'CR lines': 'a,b c\r1,2\r3,4\r',
  'blank lines': '\n\na,b c\n\n1,2\n\n\n3,4\n\n',
  'blanks around values': ' a , "b c" \n 1 , 2\n3 ,\t4 ',
  'signs and exponents': 'a,b c\n+1.,.2e1\n3,4E0',
}

for (const [what, csv] of Object.entries(WRITTEN)) {
  t.test(`analyze_csv: reads CSV with ${what}`, async t => {
    const result = await analyze(t, { csv })

    t.strictSame(result.structuredContent, SAME)
  })
}

t.test('analyze_csv: delimiters, quotes and line ends within quotes are data', async t => {
  const result = await analyze(t, { csv: '"a;b;c;d",e\n"say ""hi"",\nthen go",1\n";",2' })

  t.match(result.structuredContent, {
    rows: 2,
    columns: [
      { name: 'a;b;c;d', type: 'text', count: 2 },
      { name: 'e', sum: 3 },
    ],
  })
})

t.test('analyze_csv: empty fields between tabs stay fields', async t => {
  const result = await analyze(t, { csv: 'a\tb\tc\n1\t\t3\n\t\t4' })

  t.match(result.structuredContent, { rows: 2, columns: [{ count: 1 }, { type: 'empty', count: 0 }, { sum: 7 }] })
})

t.test('analyze_csv: what is not a number in decimal is text, and only counted', async t => {
  const words = ['NaN', 'Infinity', '0x10', '1e999', '"1,000"', '=1+1', '1_0', '--1', '١']

  const result = await analyze(t, {
    csv: `text,mixed\n${words.map((word, row) => `${word},${row || 'n/a'}`).join('\n')}`,
  })

  t.strictSame(result.structuredContent.columns, [
    { name: 'text', type: 'text', count: words.length },
    { name: 'mixed', type: 'mixed', count: words.length },
  ])
})

t.test('analyze_csv: a sum does not gather rounding errors', async t => {
  const result = await analyze(t, { csv: `a,b\n${'0.1,1e16\n0.1,1\n0.1,-1e16\n'.repeat(10)}` })

  t.match(result.structuredContent.columns, [
    { sum: 3, average: 0.1 },
    { sum: 10, min: -1e16 },
  ])
})

t.test('analyze_csv: a sum beyond all numbers is an error that names the column', async t => {
  const result = await analyze(t, { csv: 'a,big\n1,1e308\n1,1e308' })

  t.match(errorOf(result), /The sum of column "big" is beyond/)
})

t.test('analyze_csv: repeated, empty and dangerous names are kept apart', async t => {
  const result = await analyze(t, { csv: 'a,a,,a (2),__proto__,constructor\n1,2,3,4,5,6', operations: ['sum'] })

  t.strictSame(
    result.structuredContent.columns.map(({ name, sum }: { name: string; sum: number }) => [name, sum]),
    [
      ['a', 1],
      ['a (2)', 2],
      ['column 3', 3],
      ['a (2) (2)', 4],
      ['__proto__', 5],
      ['constructor', 6],
    ],
  )
  t.equal(({} as Record<string, unknown>)['sum'], undefined)
})

t.test('analyze_csv: a header alone is a table without rows', async t => {
  const result = await analyze(t, { csv: 'a,b' })

  t.match(result.structuredContent, { rows: 0, columns: [{ name: 'a', type: 'empty', count: 0 }, { name: 'b' }] })
})
