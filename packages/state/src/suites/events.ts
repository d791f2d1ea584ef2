// Rules of every EventStore. A client that comes back to a stream finds all events after the last
// one that it knows.
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventBounds, EventStore, StreamKey } from 'toolrack/state'
import type { Ending, Suite } from './check.ts'

/** @returns an empty store, which closes with the test */
export type MakeEvents = (t: Ending, bounds?: EventBounds) => EventStore | Promise<EventStore>

/** Number of events that are kept of one stream. */
const MOST = 100
const MOST_SIZE = 8 * 1024 * 1024

const key = (stream: string, session = 'mine'): StreamKey => ({ session, stream })

async function store(t: Ending, make: MakeEvents, bounds?: EventBounds) {
  const events = await make(t, bounds)
  const last = new Map<string, number>()
  const append = async (stream: string, count: number, size = 1) => {
    for (let n = 0; n < count; n++) {
      const seq = (last.get(stream) ?? 0) + 1
      last.set(stream, seq)
      await events.append(key(stream), { seq, json: 'x'.repeat(size) })
    }
  }
  const read = async (stream: string, after = 0, session?: string) => events.read(key(stream, session), after)
  const seqs = async (stream: string, after?: number) => (await read(stream, after))?.events.map(({ seq }) => seq)
  return { events, append, read, seqs }
}

export function eventsSuite(t: Suite, name: string, make: MakeEvents, { isBounded = true } = {}): void {
  if (isBounded) roomSuite(t, name, make)

  t.test(`${name}: the kept events after a given one are read in order`, async t => {
    const { append, read, seqs } = await store(t, make)

    await append('a', 12)

    t.strictSame(await seqs('a'), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    t.strictSame(await seqs('a', 8), [9, 10, 11, 12])
    t.strictSame(await seqs('a', 12), [])
    t.strictSame(await seqs('a', 99), [])
    t.match(await read('a', 8), { lastSeq: 12, isFinished: false })
    t.match(await read('a', 99), { lastSeq: 12, isFinished: false })
  })

  t.test(`${name}: an event is read as it was appended`, async t => {
    const { events, read } = await store(t, make)
    const jsons = ['{"a":"ü\\n\u2028😀"}', ' ', '', '[1,\n2]', '"\\ud800"', 'null']

    for (const [index, json] of jsons.entries()) await events.append(key('a'), { seq: index + 1, json })

    t.strictSame(
      (await read('a'))?.events.map(({ seq, json }) => ({ seq, json })),
      jsons.map((json, index) => ({ seq: index + 1, json })),
    )
  })

  t.test(`${name}: events appended without waiting keep their order`, async t => {
    const { events, read, seqs } = await store(t, make)

    const told = Array.from({ length: 50 }, async (_, index) => events.append(key('a'), { seq: index + 1, json: '{}' }))
    await Promise.all([...told, events.finish(key('a'))])

    t.strictSame(
      await seqs('a'),
      Array.from({ length: 50 }, (_, index) => index + 1),
    )
    t.match(await read('a'), { lastSeq: 50, isFinished: true })
  })

  t.test(`${name}: an unknown stream is not found, whatever it is called`, async t => {
    const { append, read } = await store(t, make)
    await append('a', 1)

    for (const stream of ['b', '', 'A', '__proto__', 'constructor', '*', 'a:']) t.equal(await read(stream), undefined)
  })

  t.test(`${name}: a stream of another session is not found`, async t => {
    const { append, read } = await store(t, make)

    await append('a', 5)

    for (const session of ['yours', '', 'mine:a', '*', '__proto__']) t.equal(await read('a', 0, session), undefined)
    t.ok(await read('a'))
  })

  t.test(`${name}: one stream holds nothing of another`, async t => {
    const { events, append, read, seqs } = await store(t, make)

    await append('a', 2)
    await append('b', 3)
    await events.append(key('c', 'yours'), { seq: 1, json: '{}' })
    await events.finish(key('b'))

    t.strictSame(await seqs('a'), [1, 2])
    t.strictSame(await seqs('b'), [1, 2, 3])
    t.match(await read('a'), { isFinished: false })
    t.match(await read('c', 0, 'yours'), { lastSeq: 1, isFinished: false })
  })

  t.test(`${name}: a stream that is finished says so, and keeps what it held`, async t => {
    const { events, append, read, seqs } = await store(t, make)
    await append('a', 2)

    await events.finish(key('a'))

    t.match(await read('a', 2), { events: [], lastSeq: 2, isFinished: true })
    t.strictSame(await seqs('a'), [1, 2])
  })

  t.test(`${name}: a stream that has begun exists, although it has no events yet`, async t => {
    const { events, append, read } = await store(t, make)

    await events.begin(key('a'))
    t.match(await read('a'), { events: [], lastSeq: 0, isFinished: false })
    t.equal(await read('a', 0, 'yours'), undefined)
    await append('a', 1)
    await events.begin(key('a'))

    t.match(await read('a'), { events: [{ seq: 1 }], lastSeq: 1, isFinished: false })
  })

  t.test(`${name}: a stream that ends with an answer differs from one of notifications`, async t => {
    const { events, read } = await store(t, make)
    const event = { seq: 1, json: '{}' }

    await events.begin({ ...key('reply'), isReply: true })
    await events.append({ ...key('reply told at once'), isReply: true }, event)
    await events.begin({ ...key('news'), isReply: false })
    await events.append(key('news told at once'), event)

    for (const [stream, isReply] of [
      ['reply', true],
      ['reply told at once', true],
      ['news', false],
      ['news told at once', false],
    ] as const)
      t.equal((await read(stream))?.isReply, isReply, stream)
  })

  t.test(`${name}: events that were read do not change when more are appended`, async t => {
    const { events, append, read } = await store(t, make)
    await append('a', 2)
    const before = (await read('a'))!

    await append('a', 1)
    await events.finish(key('a'))

    t.equal(before.events.length, 2)
    t.match(before, { lastSeq: 2, isFinished: false })
  })

  t.test(`${name}: of one stream the newest hundred are kept`, async t => {
    const { append, read, seqs } = await store(t, make)

    await append('a', 250)

    t.strictSame(
      await seqs('a'),
      Array.from({ length: MOST }, (_, index) => 151 + index),
    )
    t.match(await read('a'), { lastSeq: 250 })
    t.equal((await seqs('a', 240))?.length, 10)
  })

  t.test(`${name}: of one stream 8 MiB are kept, but always the newest`, async t => {
    const { append, seqs } = await store(t, make)

    await append('a', 5, 3 * 1024 * 1024)
    t.strictSame(await seqs('a'), [4, 5])
    await append('a', 1, MOST_SIZE + 1)
    t.strictSame(await seqs('a'), [6])
    await append('a', 1)

    t.strictSame(await seqs('a'), [7])
  })
}

// A store may count more of an event than the size of its text.
function roomSuite(t: Suite, name: string, make: MakeEvents): void {
  t.test(
    `${name}: past the size of all streams the one unused for longest goes, and the newest event stays`,
    async t => {
      const { append, seqs } = await store(t, make, { maxSize: 100_000 })
      // So that each is older than the next, by any clock.
      const use = (stream: string, size?: number) => append(stream, 1, size).then(() => sleep(5))
      for (const stream of ['a', 'b', 'c']) await use(stream, 30_000)
      await use('a')

      await append('d', 1, 30_000)

      t.equal(await seqs('b'), undefined)
      for (const stream of ['a', 'c', 'd']) t.equal((await seqs(stream))?.at(-1), stream === 'a' ? 2 : 1, stream)
      await append('e', 1, 200_000)
      t.strictSame(await seqs('e'), [1])
      for (const stream of ['a', 'c', 'd']) t.equal(await seqs(stream), undefined, stream)
    },
  )
}
