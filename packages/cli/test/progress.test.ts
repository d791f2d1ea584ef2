// The line of progress: it never wraps, since a line that wraps could not be cleared.
import t from 'tap'
import { type Progress, ProgressLine } from '../src/client/progress.ts'
import type { Io } from '../src/io.ts'
import { formatTable } from '../src/table.ts'

const COLUMNS = 40

/** On a terminal of 40 columns. @returns what was written last */
function show(message: string, reached: Progress = { progress: 1, total: 2 }): string {
  const written: string[] = []
  const stderr = { isTTY: true as const, columns: COLUMNS, write: (text: string) => written.push(text) > 0 }
  new ProgressLine({ stderr } as unknown as Io).update({ ...reached, message })
  return written.at(-1)!.replace('\r\u001b[2K', '')
}

/** Of characters that take two columns. */
const countWide = (text: string) => text.match(/[\u3000-\u9fff]/g)?.length ?? 0

t.test('a line of wide characters is cut at the width of the terminal', async t => {
  const line = show('日本語'.repeat(30))

  t.ok(line.length + countWide(line) < COLUMNS, line)
  t.ok(line.length + countWide(line) >= COLUMNS - 2, line)
})

t.test('a short line stays whole', async t => {
  t.equal(show('half'), '██████████░░░░░░░░░░ 50% half')
})

t.test('a message alone has no number before it', async t => {
  t.equal(show('task working', {}), 'task working')
})

t.test('columns of a table fit wide characters and colours', async t => {
  const table = formatTable([
    ['日本', 'a'],
    ['\u001b[1mbold\u001b[22m', 'b'],
    ['x', 'c'],
  ])

  t.equal(table, '日本  a\n\u001b[1mbold\u001b[22m  b\nx     c')
})
