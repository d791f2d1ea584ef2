// What a task holds is reckoned in bytes, of the heap or of Redis, whichever are more.
import t from 'tap'
import { countJsonBytes } from '../../../src/protocol/json-size.ts'

t.test('a text counts as many bytes as it has in UTF-8', async t => {
  for (const text of ['x'.repeat(1000), 'é'.repeat(1000), '漢'.repeat(1000), '😀'.repeat(500)])
    t.ok(countJsonBytes({ text }) >= Buffer.byteLength(JSON.stringify({ text })), text.slice(0, 1))
})

t.test('one wide character has the whole text count two bytes each, as it takes of the heap', async t => {
  t.ok(countJsonBytes({ text: `${'x'.repeat(100_000)}漢` }) >= 200_000)
  t.ok(countJsonBytes({ text: `${'x'.repeat(100_000)}é` }) < 101_000)
})
