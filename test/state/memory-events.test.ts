import t from 'tap'
import type { Replay } from '../../src/state/events.ts'
import { type EventBounds, KEPT_MS, MAX_EVENTS, memoryEvents } from '../../src/state/memory/events.ts'

const key = (stream: string, session = 'mine') => ({ session, stream })

function store(bounds: EventBounds = {}) {
  const clock = { nowMs: 0 }
  const events = memoryEvents({ now: () => clock.nowMs, ...bounds })
  t.teardown(() => events.close())
  const append = (stream: string, count: number, size = 1) => {
    const from = (read(stream)?.lastSeq ?? 0) + 1
    for (let seq = from; seq < from + count; seq++) events.append(key(stream), { seq, json: 'x'.repeat(size) })
  }
  const read = (stream: string, after = 0, session?: string) =>
    events.read(key(stream, session), after) as Replay | undefined
  const seqs = (stream: string, after?: number) => read(stream, after)?.events.map(({ seq }) => seq)
  return { events, clock, append, read, seqs }
}

t.test('what is kept of a stream is read behind a given event, in order', async t => {
  const { append, read, seqs } = store()

  append('a', 5)

  t.strictSame(seqs('a'), [1, 2, 3, 4, 5])
  t.strictSame(seqs('a', 3), [4, 5])
  t.strictSame(seqs('a', 99), [])
  t.match(read('a', 3), { lastSeq: 5, isFinished: false })
})

t.test('an unknown stream is not found', async t => {
  t.equal(store().read('a'), undefined)
})

t.test('a stream of another session is not found', async t => {
  const { append, read } = store()

  append('a', 5)

  t.equal(read('a', 0, 'yours'), undefined)
})

t.test('one stream holds nothing of another', async t => {
  const { append, seqs } = store()

  append('a', 2)
  append('b', 3)

  t.strictSame(seqs('a'), [1, 2])
  t.strictSame(seqs('b'), [1, 2, 3])
})

t.test('a stream that is finished says so', async t => {
  const { events, append, read } = store()
  append('a', 2)

  events.finish(key('a'))

  t.match(read('a', 2), { events: [], lastSeq: 2, isFinished: true })
})

t.test('of one stream the newest hundred are kept', async t => {
  const { append, seqs } = store()

  append('a', 250)

  t.equal(MAX_EVENTS, 100)
  t.strictSame(
    seqs('a'),
    Array.from({ length: 100 }, (_, index) => 151 + index),
  )
})

t.test('of one stream no more is kept than the bound of all, but always the newest', async t => {
  const { append, seqs } = store({ maxSize: 100 })

  append('a', 5, 30)
  t.strictSame(seqs('a'), [3, 4, 5])
  append('a', 1, 1000)
  t.strictSame(seqs('a'), [6])
})

t.test('past the bound of all streams the one unused for longest goes', async t => {
  const { append, read } = store({ maxStreams: 2 })
  append('a', 1)
  append('b', 1)
  append('a', 1)

  append('c', 1)

  t.ok(read('a'))
  t.equal(read('b'), undefined)
  t.ok(read('c'))
})

t.test('past the size of all streams those unused for longest go', async t => {
  const { append, read } = store({ maxSize: 100 })
  append('a', 1, 40)
  append('b', 1, 40)

  append('c', 1, 90)

  t.equal(read('a'), undefined)
  t.equal(read('b'), undefined)
  t.ok(read('c'))
})

t.test('what goes makes room: the size is that of what is kept', async t => {
  const { append, read } = store({ maxSize: 100, maxStreams: 3 })

  for (let turn = 0; turn < 50; turn++) append(`s${turn}`, 3, 10)

  t.ok(['s47', 's48', 's49'].every(stream => read(stream)?.events.length === 3))
  t.equal(read('s46'), undefined)
})

t.test('a stream that nothing was sent to for a quarter of an hour is forgotten', async t => {
  const { append, read, clock } = store()
  append('a', 1)
  clock.nowMs = KEPT_MS / 2
  append('b', 1)

  clock.nowMs = KEPT_MS

  t.equal(KEPT_MS, 15 * 60 * 1000)
  t.equal(read('a'), undefined)
  t.ok(read('b'))
})
