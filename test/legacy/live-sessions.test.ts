// What a server holds of its sessions while they are at work, and lets go of when they are not.
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { Cancellation } from '../../src/cancellation.ts'
import { LiveSessions } from '../../src/legacy/live-sessions.ts'
import { PlainStream } from '../../src/legacy/plain-stream.ts'
import { SessionHandle } from '../../src/legacy/session-handle.ts'
import { revisionOf } from '../../src/protocol/revisions/index.ts'
import { Changes } from '../../src/registry/changes.ts'
import type { Session } from '../../src/session.ts'
import { memoryEvents } from '../../src/state/memory/events.ts'
import { memorySessions } from '../../src/state/memory/sessions.ts'
import { noPeers } from '../../src/state/peers.ts'

const TTL_MS = 9000

function rack(t: Test) {
  const clock = { nowMs: 0 }
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const changes = new Changes()
  const store = memorySessions({ ttlMs: TTL_MS, now: () => clock.nowMs })
  const sessions = new LiveSessions({
    peers: noPeers,
    sessions: store,
    events: memoryEvents(),
    changes,
    ttlMs: TTL_MS,
    mayRead: () => true,
  })
  t.teardown(() => sessions.shutDown())
  const open = () =>
    sessions.open({ revision: revisionOf('2025-11-25')!, owner: undefined, capabilities: {} }) as Session
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += TTL_MS / 3) {
      clock.nowMs += TTL_MS / 3
      mock.timers.tick(TTL_MS / 3)
      await new Promise(setImmediate)
    }
  }
  return { sessions, changes, open, pass }
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
    onDrain: (listener: () => void) => (wire.drain = listener),
    drain: () => {},
    end: () => {
      wire.isClosed = true
    },
  }
  return { sent, wire, stream: new PlainStream(wire) }
}

t.test('a session at rest has no part here', async t => {
  const { sessions, open } = rack(t)
  t.equal(sessions.at(open()), undefined)
})

t.test('who listens has a part, until the stream is left', async t => {
  const { sessions, open } = rack(t)
  const session = open()
  const { stream, wire } = reader()

  const stop = sessions.listen(session, stream)
  t.ok(sessions.at(session))
  wire.end()
  stop()

  t.equal(sessions.at(session), undefined)
})

t.test('a connection that is noticed to be gone late does not take the stream from its successor', async t => {
  const { sessions, open, changes } = rack(t)
  const session = open()
  const { stream, sent } = reader()

  const stop = sessions.listen(session, stream)
  sessions.listen(session, stream)
  stop()
  changes.publish({ kind: 'tools' })

  t.equal(sent.length, 1)
})

t.test('a reader that lags is told the newest state once it has caught up', async t => {
  const { sessions, open, changes } = rack(t)
  const { stream, wire, sent } = reader()
  sessions.listen(open(), stream)

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
  t.ok(sessions.at(session))
  handle.unsubscribe('memo://a')

  t.equal(sessions.at(session), undefined)
})

t.test('who listens does not expire', async t => {
  const { sessions, open, pass } = rack(t)
  const session = open()
  const { stream, wire } = reader()
  sessions.listen(session, stream)

  await pass(TTL_MS * 4)

  t.ok(sessions.at(session))
  t.notOk(wire.isClosed)
})

t.test('who only watches resources expires, and leaves nothing', async t => {
  const { sessions, open, pass } = rack(t)
  const session = open()
  new SessionHandle(sessions, session).subscribe('memo://a')

  await pass(TTL_MS * 2)

  t.equal(sessions.store.find(session.id), undefined)
  t.equal(sessions.at(session), undefined)
})

t.test('a part that is made when its session has ended is let go', async t => {
  const { sessions, open, pass } = rack(t)
  const [watching, listening] = [open(), open()]
  await Promise.all([sessions.close(watching), sessions.close(listening)])
  const { stream, wire } = reader()

  new SessionHandle(sessions, watching).subscribe('memo://a')
  sessions.listen(listening, stream)
  await pass(TTL_MS)

  t.equal(sessions.at(watching), undefined)
  t.equal(sessions.at(listening), undefined)
  t.ok(wire.isClosed)
})

t.test('the end of a session stops its requests and its streams', async t => {
  const { sessions, open } = rack(t)
  const session = open()
  const { stream, wire } = reader()
  const cancellation = new Cancellation()
  sessions.listen(session, stream)
  sessions.of(session).running.set(1, cancellation)

  await sessions.close(session)

  t.equal(cancellation.reason, 'cancelled')
  t.ok(wire.isClosed)
  t.equal(sessions.at(session), undefined)
})

t.test('a resource that nobody watches is nobody told of', async t => {
  const { sessions, open, changes } = rack(t)
  const { stream, sent } = reader()
  sessions.listen(open(), stream)

  changes.publish({ kind: 'updated', uri: 'memo://a' })

  t.strictSame(sent, [])
})
