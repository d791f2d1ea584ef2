// The streams of sessions by themselves, over connections whose reader lags when the test says so.
import t from 'tap'
import { MemoryEvents } from '../../../packages/memory/src/events.ts'
import { parseEventId, ResumableStream } from '../../../src/legacy/resumable-stream.ts'
import { findRevision } from '../../../src/protocol/revisions/index.ts'
import type { Replay } from '../../../src/state/events.ts'
import type { Session } from '../../../src/state/sessions.ts'
import { FakeWire } from '../../support/legacy/fake-wire.ts'

const sessionOf = (version: string): Session => ({
  id: 'session',
  revision: findRevision(version)!,
  owner: undefined,
  capabilities: {},
  logLevel: undefined,
  subscriptions: undefined,
  seen: { tools: 0, prompts: 0, resources: 0 },
})

function streamOf({ version = '2025-11-25', opens = true, opensIfQuiet = true } = {}) {
  const events = new MemoryEvents()
  t.teardown(() => events.close())
  const wire = new FakeWire()
  let begun = 0
  const stream = new ResumableStream({
    session: sessionOf(version),
    events,
    opensIfQuiet,
    open: () => (opens ? wire : undefined),
    onBegin: () => begun++,
  })
  const replay = (after: number) => events.read({ session: 'session', stream: stream.id }, after) as Replay | undefined
  return { stream, wire, replay, begun: () => begun }
}

const jsonOf = ({ sent }: FakeWire) => sent.map(({ json }) => json)

for (const version of ['2025-11-25', '2025-06-18']) {
  t.test(`${version}: a quiet stream opens with bytes, and only once`, async t => {
    const { stream, wire, begun } = streamOf({ version })

    stream.keepAlive()
    stream.keepAlive()

    t.equal(begun(), 1)
    t.equal(wire.keptAlive, 1)
  })
}

t.test('a stream of a client that does not name SSE stays closed while it is quiet', async t => {
  const { stream, begun } = streamOf({ opensIfQuiet: false })

  stream.keepAlive()
  t.equal(begun(), 0)

  stream.send('a')
  t.equal(begun(), 1)
})

t.test('a stream begins once, with the first message', async t => {
  const { stream, wire, begun } = streamOf()
  t.notOk(stream.isOpen)

  stream.send('a')
  stream.begin()
  stream.send('b')

  t.equal(begun(), 1)
  t.strictSame(wire.primed, [`${stream.id}.0`])
  t.strictSame(wire.sent, [
    { id: `${stream.id}.1`, json: 'a' },
    { id: `${stream.id}.2`, json: 'b' },
  ])
})

t.test('what is sent while nobody is connected is kept, and holds nobody up', async t => {
  const { stream, replay } = streamOf({ opens: false })

  t.equal(stream.send('a'), true)

  t.match(replay(0), { events: [{ seq: 1, json: 'a' }], isFinished: false })
})

t.test('several that belong together are numbered and kept like any others', async t => {
  const { stream, wire, replay } = streamOf()
  stream.send('a')

  stream.sendAll(['b', 'c'])
  stream.send('d')

  t.strictSame(
    wire.sent.map(({ id }) => id),
    [1, 2, 3, 4].map(seq => `${stream.id}.${seq}`),
  )
  t.strictSame(
    replay(0)?.events.map(({ json }) => json),
    ['a', 'b', 'c', 'd'],
  )
})

t.test('what is sent after the end is dropped', async t => {
  const { stream, wire, replay } = streamOf()
  stream.finish('answer')

  t.equal(stream.send('late'), false)
  stream.finish('second answer')

  t.strictSame(jsonOf(wire), ['answer'])
  t.match(replay(0), { events: { length: 1 }, isFinished: true })
})

t.test('a stream that ends without an answer is finished for who comes back', async t => {
  const { stream, replay } = streamOf()
  stream.send('a')

  stream.finish(undefined)

  t.match(replay(1), { events: [], isFinished: true })
})

t.test('a new connection ends the old one, and is primed with where it goes on', async t => {
  const { stream, wire, replay } = streamOf()
  for (const json of ['a', 'b', 'c']) stream.send(json)
  const second = new FakeWire()

  stream.attach(second, replay(1))
  stream.send('d')

  t.ok(wire.isClosed)
  t.strictSame(second.primed, [`${stream.id}.1`])
  t.strictSame(jsonOf(second), ['b', 'c', 'd'])
})

t.test('who waited for a reader that lagged is told when another connection takes over', async t => {
  const { stream, wire } = streamOf()
  wire.lags = true
  t.equal(stream.send('a'), false)
  let told = 0
  stream.onDrain(() => told++)

  stream.attach(new FakeWire())

  t.equal(told, 1)
})

t.test('where the new reader lags too they are told when it has caught up', async t => {
  const { stream, replay } = streamOf()
  stream.send('a')
  let told = 0
  stream.onDrain(() => told++)
  const second = new FakeWire()
  second.lags = true

  stream.attach(second, replay(0))
  t.equal(told, 0)
  second.drain()

  t.equal(told, 1)
})

t.test('all that share a stream are told, each time', async t => {
  const { stream, wire } = streamOf()
  stream.send('a')
  const told: string[] = []
  stream.onDrain(() => told.push('one'))
  stream.onDrain(() => told.push('two'))

  wire.drain()
  wire.drain()

  t.strictSame(told, ['one', 'two', 'one', 'two'])
})

t.test(
  'closing the connection leaves the stream; in revisions whose clients do not come back it does nothing',
  async t => {
    const newest = streamOf()
    const older = streamOf({ version: '2025-06-18' })

    for (const { stream } of [newest, older]) {
      stream.disconnect()
      stream.send('a')
    }

    t.ok(newest.wire.isClosed)
    t.strictSame([jsonOf(newest.wire), jsonOf(older.wire)], [[], ['a']])
    t.match(newest.replay(0), { events: { length: 1 } })
  },
)

t.test('an event id names the stream and the place', async t => {
  t.strictSame(parseEventId('a-b_C.12'), { stream: 'a-b_C', seq: 12 })
  for (const odd of [
    '',
    'a',
    'a.',
    '.1',
    'a.b',
    'a.-1',
    'a.1.2',
    'a.1 ',
    `${'a'.repeat(65)}.1`,
    'a.1234567890123456',
  ]) {
    t.equal(parseEventId(odd), undefined)
  }
})
