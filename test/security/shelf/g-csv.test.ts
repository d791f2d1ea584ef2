// CSV that is made to exhaust a reader, or to run in a spreadsheet.
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { callTool } from '../../support/app.ts'
import { dataFile, errorOf, openBelow, serve } from '../../support/tools/shipped.ts'

const HOSTILE: [string, () => Buffer, RegExp][] = [
  ['1,000,000 columns', () => Buffer.from('a,'.repeat(1_000_000)), /more than 1000 columns|larger than 1000000 bytes/],
  ['a field of 49 MB', () => Buffer.concat([Buffer.from('a\n'), Buffer.alloc(49_000_000, 'x')]), /larger than 1000000/],
  [
    'a quoted field of 49 MB',
    () => Buffer.concat([Buffer.from('a\n"'), Buffer.alloc(49_000_000, 'x')]),
    /larger than 1000000/,
  ],
  ['an unbalanced quote', () => Buffer.from(`a,b\n1,"2\n${'3,4\n'.repeat(1000)}`), /line 2 is never closed/],
]

for (const [what, content, expected] of HOSTILE) {
  t.test(`G7: a file of ${what} is given up at its bound`, { timeout: 120_000 }, async t => {
    const filepath = dataFile(t, content())
    const app = await serve(t, 'analyze_csv')
    const before = process.memoryUsage().rss

    const result = await callTool(app, 'analyze_csv', { filepath })

    t.match(errorOf(result), expected)
    t.ok(process.memoryUsage().rss - before < 150_000_000, 'not held in memory')
    t.strictSame(openBelow(process.env['FILES_DIR']!), [])
  })
}

t.test('G7: a field of 100 MB is refused unread', async t => {
  const filepath = dataFile(t, 'a\n"x')
  truncateSync(join(process.env['FILES_DIR']!, filepath), 100_000_000)

  const result = await callTool(await serve(t, 'analyze_csv'), 'analyze_csv', { filepath })

  t.match(errorOf(result), /larger than 50 MB/)
})

t.test('G7: a cell that a spreadsheet would run is text: counted, and never given out', async t => {
  const cells = ["=cmd|' /C calc'!A0", '+1+cmd', '-2+3', '@SUM(1)', '\t=1+1']
  const csv = `a\n${cells.map(cell => `"${cell}"`).join('\n')}`

  const result = await callTool(await serve(t, 'analyze_csv'), 'analyze_csv', { csv })

  t.strictSame(result.structuredContent, { rows: 5, columns: [{ name: 'a', type: 'text', count: 5 }] })
})

t.test('G7: no tool gives out CSV that a spreadsheet could run: what is told of columns is JSON', async t => {
  const csv = `"=cmd|' /C calc'!A0",b\n1,2`

  const result = await callTool(await serve(t, 'analyze_csv'), 'analyze_csv', { csv })

  t.strictSame(JSON.parse(result.content[0].text), result.structuredContent)
  t.equal(result.structuredContent.columns[0].name, "=cmd|' /C calc'!A0")
})
