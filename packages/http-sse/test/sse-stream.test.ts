// The stream of HTTP+SSE by itself, over a connection whose reader lags when the test says so.
import t from 'tap'
import { FakeWire } from '../../../test/support/legacy/fake-wire.ts'
import { HttpSseStream, MAX_KEPT_EVENTS, MAX_KEPT_SIZE, MAX_KEPT_TOTAL, RESENT_MS } from '../src/sse-stream.ts'

t.test('HTTP+SSE: each request is told that the reader caught up, as often as it lagged', async t => {
  const wire = new FakeWire()
  const stream = new HttpSseStream(wire)
  const told: string[] = []
  const [one, two] = ['one', 'two'].map(name => {
    const sink = stream.createSink()
    sink.onDrain(() => told.push(name))
    return sink
  })

  for (let turn = 0; turn < 2; turn++) {
    wire.lags = true
    one!.send('a')
    wire.drain()
  }
  wire.lags = true
  two!.send('b')
  wire.drain()
  wire.drain()

  t.strictSame(told, ['one', 'one', 'two'])
})

t.test('HTTP+SSE: who sends news is told each time', async t => {
  const wire = new FakeWire()
  const stream = new HttpSseStream(wire)
  let told = 0
  stream.onDrain(() => told++)

  wire.drain()
  wire.drain()

  t.equal(told, 2)
})

/** A stream whose client has left, after one that it has read. */
function left(total = { size: 0 }) {
  const wire = new FakeWire()
  const stream = new HttpSseStream(wire, { id: 's', total })
  stream.send('read')
  wire.isClosed = true
  return stream
}

function missedOf(stream: HttpSseStream, afterSeq?: number): unknown[] {
  const wire = new FakeWire()
  stream.attach(wire, afterSeq)
  return wire.sent.map(({ json }) => json)
}

t.test(`HTTP+SSE: of what is missed the last ${MAX_KEPT_EVENTS} are told, in order`, t => {
  const stream = left()

  for (let count = 1; count <= MAX_KEPT_EVENTS + 1; count++) stream.send(`${count}`)

  const missed = missedOf(stream, 1)
  t.equal(missed.length, MAX_KEPT_EVENTS)
  t.strictSame([missed[0], missed.at(-1)], ['2', `${MAX_KEPT_EVENTS + 1}`])
  t.end()
})

t.test('HTTP+SSE: what is kept of one stream, and of all, is bounded in size; one stream keeps its newest', t => {
  const keeping = { size: 0 }
  const stream = left(keeping)
  const half = 'x'.repeat(MAX_KEPT_SIZE / 2)

  for (const json of [half, half, 'small']) stream.send(json)
  t.strictSame(missedOf(stream, 1), [half, 'small'])
  t.equal(keeping.size, half.length + 5)

  const large = left(keeping)
  large.send('y'.repeat(MAX_KEPT_SIZE + 1))
  t.equal(missedOf(large, 1).length, 1)
  keeping.size = 2 * MAX_KEPT_TOTAL
  large.send('z')
  t.strictSame(missedOf(large, 2), [])
  t.end()
})

t.test('HTTP+SSE: what was sent to a reader, and is longer than may be kept, is not kept', t => {
  const total = { size: 0 }
  const stream = new HttpSseStream(new FakeWire(), { total })

  stream.answer('y'.repeat(MAX_KEPT_SIZE))
  t.equal(total.size, MAX_KEPT_SIZE)
  stream.answer('y'.repeat(MAX_KEPT_SIZE + 1))
  t.equal(total.size, 0)
  t.end()
})

t.test('HTTP+SSE: a stream that is forgotten takes nothing of what all may keep', t => {
  const keeping = { size: 0 }
  const stream = left(keeping)
  stream.send('one')

  stream.forget()

  t.equal(keeping.size, 0)
  t.end()
})

t.test('HTTP+SSE: to a connection that was lost unnoticed ends of requests and news are told again, no question', t => {
  const wire = new FakeWire()
  let nowMs = 0
  const stream = new HttpSseStream(wire, { id: 's', now: () => nowMs })
  stream.answer('old answer')
  nowMs += RESENT_MS + 1
  stream.send('question')
  stream.answer('answer')
  stream.sendAll(['news'])

  t.strictSame(missedOf(stream), ['answer', 'news'])
  t.ok(wire.isClosed)
  t.end()
})
