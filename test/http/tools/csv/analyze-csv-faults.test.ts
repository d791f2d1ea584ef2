import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { callTool } from '../../../support/app.ts'
import { dataFile, errorOf, serve } from '../../../support/tools/shipped.ts'

async function analyze(t: Test, args: object) {
  return callTool(await serve(t, 'analyze_csv'), 'analyze_csv', args)
}

const MISTAKES: [string, object, RegExp][] = [
  ['neither csv nor filepath', {}, /exactly one of csv .* and filepath/],
  ['both csv and filepath', { csv: 'a\n1', filepath: 'a.csv' }, /exactly one of csv .* and filepath/],
  ['an unknown operation', { csv: 'a\n1', operations: ['median'] }, /must be one of "sum", "average"/],
  ['an operation twice', { csv: 'a\n1', operations: ['sum', 'sum'] }, /operations .*duplicate/],
  ['no operation', { csv: 'a\n1', operations: [] }, /operations must NOT have fewer than 1/],
  ['an unknown column', { csv: 'a,b\n1,2', columns: ['toString'] }, /no column "toString"\. There are: "a", "b"\./],
  ['text that is too long', { csv: 'a'.repeat(900_001) }, /csv must NOT have more than 900000 characters/],
  ['an empty text', { csv: '' }, /The CSV is empty\. It needs a header/],
  ['blank lines only', { csv: '\n \r\n\n' }, /The CSV is empty/],
  ['a quote that is not closed', { csv: 'a,b\n1,2\n3,"4\n5,6\n' }, /record that starts at line 3 is never closed/],
  ['a quote within a field', { csv: 'a,b\n1,2\n3,4"5' }, /quote stands in the wrong place at line 3/],
  ['text behind a quote', { csv: 'a,b\n1,"2"x' }, /quote stands in the wrong place at line 2/],
  ['a short record', { csv: 'a,b\n1,2\n3\n' }, /record at line 3 has 1 fields, unlike the header/],
  ['a long record', { csv: 'a,b\n1,2,3\n' }, /record at line 2 has 3 fields, unlike the header/],
  ['NUL', { csv: 'a,b\n\0,2' }, /not text in UTF-8/],
  ['too many columns', { csv: 'a,'.repeat(1000) }, /more than 1000 columns/],
  [
    'what is no header',
    { csv: `a,${'b'.repeat(1001)}\n1,2` },
    /name of column 2 has 1001 characters.*Is the first line/,
  ],
  ['a misspelt argument', { csv: 'a\n1', operation: ['sum'] }, /operation is not a known property/],
]

for (const [what, args, expected] of MISTAKES) {
  t.test(`analyze_csv: ${what} is an error that says what to do`, async t => {
    const result = await analyze(t, args)

    t.match(errorOf(result), expected)
  })
}

t.test('analyze_csv: an error does not quote the data', async t => {
  const result = await analyze(t, { csv: 'a,b\nsecret-one,"secret"two' })

  t.notMatch(errorOf(result), /secret/)
})

const BOUNDS: [string, () => string | Buffer, RegExp][] = [
  ['a million columns', () => 'ab,'.repeat(1_000_000), /starts at line 1 is larger than 1000000 bytes/],
  ['millions of empty columns', () => ','.repeat(20_000_000), /starts at line 1 is larger than 1000000 bytes/],
  ['half a million columns', () => `${','.repeat(500_000)}\n`, /more than 1000 columns/],
  ['one huge field', () => `a\n${'x'.repeat(2_000_000)}`, /starts at line 2 is larger than 1000000 bytes/],
  [
    'a quote open for megabytes',
    () => `a\n"${'x\n'.repeat(1_000_000)}`,
    /starts at line 2 .*Is a quote in it not closed/,
  ],
  ['more than a million rows', () => `a\n${'1\n'.repeat(1_000_001)}`, /more than 1000000 rows/],
  ['UTF-16', () => Buffer.from('\ufeffa,b\n1,2', 'utf16le'), /not text in UTF-8/],
  ['nothing in it', () => '', /The CSV is empty/],
]

for (const [what, content, expected] of BOUNDS) {
  t.test(`analyze_csv: a file with ${what} is refused`, async t => {
    const filepath = dataFile(t, content())

    const result = await analyze(t, { filepath })

    t.match(errorOf(result), expected)
  })
}

t.test('analyze_csv: a file of more than 50 MB is refused unread', async t => {
  const filepath = dataFile(t, '')
  truncateSync(join(process.env['FILES_DIR']!, filepath), 50_000_001)

  const result = await analyze(t, { filepath })

  t.match(errorOf(result), /larger than 50 MB/)
})
