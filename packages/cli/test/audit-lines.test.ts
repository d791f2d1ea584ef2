// The lines of an audit file: their very bytes, however they come, and none without a bound.
import { Readable } from 'node:stream'
import t from 'tap'
import { readLines } from '../src/audit-lines.ts'

async function read(...chunks: readonly (string | Buffer)[]) {
  const all = []
  for await (const lines of readLines(Readable.from(chunks.map(chunk => Buffer.from(chunk))))) all.push(...lines)
  return all.map(({ bytes, isWhole }) => [bytes?.toString('latin1'), isWhole])
}

t.test('lines are whole whatever the chunks are, and the end of a file may be none', async t => {
  t.strictSame(await read('a\nb', 'c', '\n\n', 'd'), [
    ['a', true],
    ['bc', true],
    ['', true],
    ['d', false],
  ])
  t.strictSame(await read(Buffer.from([0xff, 0x0d]), '\n'), [['\u00ff\r', true]], 'bytes stay as they are')
  t.strictSame(await read(), [])
})

t.test('a line that is too long for a record is not kept, and the next one is', async t => {
  const long = 'x'.repeat(3 * 1024 * 1024)
  t.strictSame(await read(long, long, `\nnext\n`), [
    [undefined, true],
    ['next', true],
  ])
})
