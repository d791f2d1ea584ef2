import t from 'tap'
import type { Replay } from '../../../src/state/events.ts'
import { STREAM_TTL_MS } from '../../../src/state/events.ts'
import { toSuite } from '../../../test/support/suite.ts'
import { eventsSuite } from '../../state/src/suites/events.ts'
import { type MemoryEventBounds, MemoryEvents } from '../src/events.ts'

eventsSuite(toSuite(t), 'events in memory', (t, bounds) => {
  const events = new MemoryEvents(bounds)
  t.teardown(() => events.close())
  return events
})

const key = (stream: string) => ({ session: 'mine', stream })

function store(bounds: MemoryEventBounds = {}) {
  const clock = { nowMs: 0 }
  const events = new MemoryEvents({ now: () => clock.nowMs, ...bounds })
  t.teardown(() => events.close())
  const append = (stream: string, count: number, size = 1) => {
    const from = (read(stream)?.lastSeq ?? 0) + 1
    for (let seq = from; seq < from + count; seq++) events.append(key(stream), { seq, json: 'x'.repeat(size) })
  }
  const read = (stream: string) => events.read(key(stream), 0) as Replay | undefined
  const seqs = (stream: string) => read(stream)?.events.map(({ seq }) => seq)
  return { events, clock, append, read, seqs }
}

t.test('events in memory: of one stream no more is kept than the bound of all, but always the newest', async t => {
  const { append, seqs } = store({ maxSize: 100 })

  append('a', 5, 30)
  t.strictSame(seqs('a'), [3, 4, 5])
  append('a', 1, 1000)
  t.strictSame(seqs('a'), [6])
})

t.test('events in memory: past the bound of all streams the one unused for longest goes', async t => {
  const { append, read } = store({ maxStreams: 2 })
  append('a', 1)
  append('b', 1)
  append('a', 1)

  append('c', 1)

  t.ok(read('a'))
  t.equal(read('b'), undefined)
  t.ok(read('c'))
})

t.test('events in memory: what goes makes room: the size is that of what is kept', async t => {
  const { append, read } = store({ maxSize: 100, maxStreams: 3 })

  for (let turn = 0; turn < 50; turn++) append(`s${turn}`, 3, 10)

  t.ok(['s47', 's48', 's49'].every(stream => read(stream)?.events.length === 3))
  t.equal(read('s46'), undefined)
})

t.test('events in memory: a stream that nothing was sent to for a quarter of an hour is forgotten', async t => {
  const { append, read, clock } = store()
  append('a', 1)
  clock.nowMs = STREAM_TTL_MS / 2
  append('b', 1)

  clock.nowMs = STREAM_TTL_MS

  t.equal(STREAM_TTL_MS, 15 * 60 * 1000)
  t.equal(read('a'), undefined)
  t.ok(read('b'))
})
