// Sessions of former processes count towards the bound of sessions like any other.
import t, { type Test } from 'tap'
import { MemoryEvents } from '../../../packages/memory/src/events.ts'
import { MemorySessions } from '../../../packages/memory/src/sessions.ts'
import { Seal } from '../../../src/auth/seal.ts'
import { SessionRegistry } from '../../../src/legacy/session-registry.ts'
import { SessionTickets } from '../../../src/legacy/session-tickets.ts'
import { findRevision } from '../../../src/protocol/revisions/index.ts'
import { ChangeEmitter } from '../../../src/registry/changes.ts'
import { noReplicas } from '../../../src/state/replicas.ts'
import type { Session } from '../../../src/state/sessions.ts'

const TTL_MS = 60_000
const MAX = 3
const opening = { revision: findRevision('2025-11-25')!, owner: undefined, capabilities: {} }

function start(t: Test) {
  const store = new MemorySessions({ ttlMs: TTL_MS, maxSessions: MAX })
  const sessions = new SessionRegistry({
    replicas: noReplicas,
    sessions: store,
    events: new MemoryEvents(),
    changes: new ChangeEmitter(),
    ttlMs: TTL_MS,
    tickets: new SessionTickets({ seal: new Seal('x'.repeat(32)), ttlMs: TTL_MS }),
    mayRead: () => true,
  })
  t.teardown(() => {
    sessions.shutDown()
    store.close()
  })
  return { sessions, store, open: () => sessions.open(opening) as Session }
}

t.test('the one unused for longest goes, and may come again', async t => {
  const former = start(t)
  const ids = [1, 2, 3, 4].map(() => former.open().id)
  const { sessions, store } = start(t)

  for (const id of ids) t.equal((sessions.find(id, undefined) as Session).id, id)

  t.equal(store.count(), MAX)
  t.notOk(store.has(ids[0]!))
  t.ok(sessions.find(ids[0]!, undefined))
  t.equal(store.count(), MAX)
})

t.test('if every session is at work, a former one is refused with 503, and no other ends for it', async t => {
  const { id } = start(t).open()
  const { sessions, store, open } = start(t)
  for (let count = 0; count < MAX; count++) sessions.getOrCreate(open()).runningRequests.set(1, undefined as never)

  t.throws(() => sessions.find(id, undefined), { message: /too many sessions are active/ })
  t.equal(store.count(), MAX)
})

t.test('a session of this process that was evicted does not come again', async t => {
  const { sessions, open } = start(t)
  const { id } = open()
  for (let count = 0; count < MAX; count++) open()

  t.equal(sessions.find(id, undefined), undefined)
})
