// What a server holds of its sessions while they are at work, and lets go of when they are not.
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { HttpSseStream } from '../../../packages/http-sse/src/sse-stream.ts'
import { MemoryEvents } from '../../../packages/memory/src/events.ts'
import { MemorySessions } from '../../../packages/memory/src/sessions.ts'
import { SessionHandle } from '../../../src/legacy/open.ts'
import { SessionRegistry } from '../../../src/legacy/session-registry.ts'
import { findRevision } from '../../../src/protocol/revisions/index.ts'
import { ChangeEmitter } from '../../../src/registry/changes.ts'
import { Cancellation } from '../../../src/request/cancellation.ts'
import type { ReplicaMessage } from '../../../src/state/replicas.ts'
import type { Session } from '../../../src/state/sessions.ts'

const TTL_MS = 9000

function rack(t: Test) {
  const clock = { nowMs: 0 }
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const changes = new ChangeEmitter()
  const store = new MemorySessions({ ttlMs: TTL_MS, now: () => clock.nowMs })
  const said: ReplicaMessage[] = []
  let hearPeer: (word: ReplicaMessage, isOwn: boolean) => void = () => {}
  const replicas = {
    publish: (word: ReplicaMessage) => void said.push(word),
    subscribe: (hear: typeof hearPeer) => void (hearPeer = hear),
  }
  const sessions = new SessionRegistry({
    replicas,
    sessions: store,
    events: new MemoryEvents(),
    changes,
    ttlMs: TTL_MS,
    mayRead: () => true,
  })
  t.teardown(() => sessions.shutDown())
  const open = () =>
    sessions.open({ revision: findRevision('2025-11-25')!, owner: undefined, capabilities: {} }) as Session
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += TTL_MS / 3) {
      clock.nowMs += TTL_MS / 3
      mock.timers.tick(TTL_MS / 3)
      await new Promise(setImmediate)
    }
  }
  return { sessions, changes, open, pass, said, hear: (word: ReplicaMessage, isOwn = false) => hearPeer(word, isOwn) }
}

function reader() {
  const sent: string[] = []
  const wire = {
    caller: undefined,
    isClosed: false,
    lags: false,
    send: (json: string) => sent.push(json) > 0 && !wire.lags,
    sendAll: (events: readonly { json: string }[]) => {
      sent.push(...events.map(({ json }) => json))
      return !wire.lags
    },
    prime() {},
    keepAlive() {},
    onDrain: (listener: () => void) => (wire.drain = listener),
    drain: () => {},
    end: () => {
      wire.isClosed = true
    },
  }
  return { sent, wire, stream: new HttpSseStream(wire) }
}

t.test('a session at rest has no part here', async t => {
  const { sessions, open } = rack(t)
  t.equal(sessions.get(open()), undefined)
})

t.test('who listens has a part, until the stream is left', async t => {
  const { sessions, open } = rack(t)
  const session = open()
  const { stream, wire } = reader()

  const stop = sessions.addStream(session, stream)
  t.ok(sessions.get(session))
  wire.end()
  stop()

  t.equal(sessions.get(session), undefined)
})

t.test('a connection that is noticed to be gone late does not take the stream from its successor', async t => {
  const { sessions, open, changes } = rack(t)
  const session = open()
  const { stream, sent } = reader()

  const stop = sessions.addStream(session, stream)
  sessions.addStream(session, stream)
  stop()
  changes.publish({ kind: 'tools' })

  t.equal(sent.length, 1)
})

t.test('a reader that lags is told the newest state once it has caught up', async t => {
  const { sessions, open, changes } = rack(t)
  const { stream, wire, sent } = reader()
  sessions.addStream(open(), stream)

  wire.lags = true
  for (let turn = 0; turn < 50; turn++) changes.publish({ kind: 'tools' })
  t.equal(sent.length, 1)
  wire.lags = false
  wire.drain()

  t.equal(sent.length, 2)
})

t.test('a session whose last watched resource is left has no part here', async t => {
  const { sessions, open } = rack(t)
  const session = open()
  const handle = new SessionHandle(sessions, session)

  handle.subscribe('memo://a')
  t.ok(sessions.get(session))
  handle.unsubscribe('memo://a')

  t.equal(sessions.get(session), undefined)
})

t.test('who listens does not expire', async t => {
  const { sessions, open, pass } = rack(t)
  const session = open()
  const { stream, wire } = reader()
  sessions.addStream(session, stream)

  await pass(TTL_MS * 4)

  t.ok(sessions.get(session))
  t.notOk(wire.isClosed)
})

t.test('who only watches resources expires, and leaves nothing', async t => {
  const { sessions, open, pass } = rack(t)
  const session = open()
  new SessionHandle(sessions, session).subscribe('memo://a')

  await pass(TTL_MS * 2)

  t.equal(sessions.store.find(session.id), undefined)
  t.equal(sessions.get(session), undefined)
})

t.test('a part that is made when its session has ended is let go', async t => {
  const { sessions, open, pass } = rack(t)
  const [watching, listening] = [open(), open()]
  await Promise.all([sessions.close(watching), sessions.close(listening)])
  const { stream, wire } = reader()

  new SessionHandle(sessions, watching).subscribe('memo://a')
  sessions.addStream(listening, stream)
  await pass(TTL_MS)

  t.equal(sessions.get(watching), undefined)
  t.equal(sessions.get(listening), undefined)
  t.ok(wire.isClosed)
})

t.test('the end of a session stops its requests and its streams', async t => {
  const { sessions, open } = rack(t)
  const session = open()
  const { stream, wire } = reader()
  const cancellation = new Cancellation()
  sessions.addStream(session, stream)
  sessions.getOrCreate(session).runningRequests.set(1, cancellation)

  await sessions.close(session)

  t.equal(cancellation.reason, 'cancelled')
  t.ok(wire.isClosed)
  t.equal(sessions.get(session), undefined)
})

t.test('a resource that nobody watches is nobody told of', async t => {
  const { sessions, open, changes } = rack(t)
  const { stream, sent } = reader()
  sessions.addStream(open(), stream)

  changes.publish({ kind: 'updated', uri: 'memo://a' })

  t.strictSame(sent, [])
})

t.test('a stream that opens is told to the other replicas', async t => {
  const { sessions, open, said } = rack(t)
  const session = open()

  sessions.addStream(session, reader().stream)

  t.strictSame(said, [{ kind: 'reads', session: session.id }])
})

t.test('when another replica reads, notifications stop here at once, until a stream opens here', async t => {
  const { sessions, open, changes, hear } = rack(t)
  const session = open()
  const [older, newer] = [reader(), reader()]
  sessions.addStream(session, older.stream)
  new SessionHandle(sessions, session).subscribe('memo://a')

  hear({ kind: 'reads', session: session.id })
  changes.publish({ kind: 'tools' })
  changes.publish({ kind: 'updated', uri: 'memo://a' })
  sessions.notify(session.id, () => 'of a task')
  t.strictSame(older.sent, [])
  sessions.addStream(session, newer.stream)

  t.equal(newer.sent.length, 2, 'what the other may not have sent')
  t.strictSame(older.sent, [])
})

t.test('of two replicas that read at once, the one heard last sends what came between', async t => {
  const { sessions, open, changes, hear } = rack(t)
  const session = open()
  const { stream, sent } = reader()
  sessions.addStream(session, stream)

  hear({ kind: 'reads', session: session.id })
  changes.publish({ kind: 'tools' })
  t.strictSame(sent, [])
  hear({ kind: 'reads', session: session.id }, true)

  t.equal(sent.length, 1)
})
