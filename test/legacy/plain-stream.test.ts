// The stream of HTTP+SSE by itself, over a connection whose reader lags when the test says so.
import t from 'tap'
import { PlainStream } from '../../src/legacy/plain-stream.ts'
import { FakeWire } from './fake-wire.ts'

t.test('HTTP+SSE: each request is told that the reader caught up, as often as it lagged', async t => {
  const wire = new FakeWire()
  const stream = new PlainStream(wire)
  const told: string[] = []
  const [one, two] = ['one', 'two'].map(name => {
    const sink = stream.share()
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
  const stream = new PlainStream(wire)
  let told = 0
  stream.onDrain(() => told++)

  wire.drain()
  wire.drain()

  t.equal(told, 2)
})
