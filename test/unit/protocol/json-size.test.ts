// What a task holds is reckoned in bytes, of the heap or of Redis, whichever are more.
import t from 'tap'
import { countJsonBytes } from '../../../src/protocol/json-size.ts'
import { heap } from '../../support/heap.ts'

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

t.test('a text counts as many bytes as it has in UTF-8', async t => {
  for (const text of ['x'.repeat(1000), 'é'.repeat(1000), '漢'.repeat(1000), '😀'.repeat(500)])
    t.ok(countJsonBytes({ text }) >= Buffer.byteLength(JSON.stringify({ text })), text.slice(0, 1))
})

t.test('one wide character has the whole text count two bytes each, as it takes of the heap', async t => {
  t.ok(countJsonBytes({ text: `${'x'.repeat(100_000)}漢` }) >= 200_000)
  t.ok(countJsonBytes({ text: `${'x'.repeat(100_000)}é` }) < 101_000)
})

const shapes: Record<string, string> = {
  'empty objects': JSON.stringify(times(10_000, () => ({}))),
  'empty lists': JSON.stringify(times(10_000, () => [])),
  'objects of one member': JSON.stringify(times(5000, n => ({ a: n }))),
  'members of other names each': JSON.stringify(Object.fromEntries(times(10_000, n => [`name-${n}`, n]))),
  'objects of other names each': JSON.stringify(times(5000, n => ({ [`name-${n}`]: 1 }))),
  numbers: JSON.stringify(times(10_000, n => n)),
  fractions: JSON.stringify(times(10_000, n => n + 0.5)),
  'short texts': JSON.stringify(times(10_000, n => `t${n}`)),
  'a long text': JSON.stringify(['x'.repeat(100_000)]),
  'a long text of wide characters': JSON.stringify(['漢'.repeat(50_000)]),
  nested: JSON.stringify(times(150, () => JSON.parse('['.repeat(60) + ']'.repeat(60)))),
}

for (const [name, json] of Object.entries(shapes)) {
  t.test(`${name} take no more of the heap than is reckoned`, async t => {
    const copies = 40
    const before = await heap()
    const kept = times(copies, n => JSON.parse(`{"n":${n},"value":${json}}`))

    const each = ((await heap()) - before) / copies

    t.ok(
      each <= 1.1 * countJsonBytes(kept[0]),
      `${Math.round(each)} bytes, and reckoned are ${countJsonBytes(kept[0])}`,
    )
  })
}
