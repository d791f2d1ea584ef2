import t from 'tap'
import { revisionOf } from '../../src/protocol/revisions/index.ts'
import type { Session } from '../../src/session.ts'
import { memorySessions, type SessionBounds } from '../../src/state/memory/sessions.ts'
import type { Opening } from '../../src/state/sessions.ts'

const OPENING: Opening = {
  revision: revisionOf('2025-11-25')!,
  owner: undefined,
  capabilities: {},
  seen: { tools: 0, prompts: 0, resources: 0 },
}

function store(bounds: Partial<SessionBounds> = {}) {
  const clock = { nowMs: 0 }
  const sessions = memorySessions({ ttlMs: 10_000, now: () => clock.nowMs, ...bounds })
  const expired: string[] = []
  sessions.onExpired(({ id }) => expired.push(id))
  t.teardown(() => sessions.close())
  return { sessions, clock, expired, open: () => sessions.open(OPENING) as Session }
}

t.test('a session is found by its id, with what it began with', async t => {
  const { sessions, open } = store()

  const session = open()

  t.equal(sessions.find(session.id), session)
  t.match(session, { ...OPENING, logLevel: undefined, subscriptions: undefined })
})

t.test('an id is 192 random bits', async t => {
  const { open } = store()

  const ids = Array.from({ length: 100 }, () => open().id)

  t.equal(new Set(ids).size, 100)
  t.ok(ids.every(id => Buffer.from(id, 'base64url').length === 24))
})

t.test('an unknown session is not found', async t => {
  const { sessions } = store()

  t.equal(sessions.find('unknown'), undefined)
  t.equal(sessions.has('unknown'), false)
})

t.test('a session that is ended is not found, and nobody is told that it expired', async t => {
  const { sessions, open, expired } = store()
  const { id } = open()

  sessions.end(id)

  t.equal(sessions.find(id), undefined)
  t.strictSame(expired, [])
})

t.test('a session expires when nobody has used it for its idle life', async t => {
  const { sessions, open, clock, expired } = store()
  const { id } = open()

  clock.nowMs = 9999
  t.equal(sessions.has(id), true)
  clock.nowMs = 10_000
  t.equal(sessions.has(id), false)

  t.equal(sessions.find(id), undefined)
  t.strictSame(expired, [id])
})

t.test('finding a session begins its idle life anew', async t => {
  const { sessions, open, clock } = store()
  const { id } = open()

  for (clock.nowMs = 9000; clock.nowMs < 60_000; clock.nowMs += 9000) t.ok(sessions.find(id))
})

t.test('asking whether it is there does not', async t => {
  const { sessions, open, clock } = store()
  const { id } = open()

  clock.nowMs = 9000
  sessions.has(id)
  clock.nowMs = 10_000

  t.equal(sessions.find(id), undefined)
})

t.test('a busy session lives no shorter than its idle life less a second', async t => {
  const { sessions, open, clock } = store()
  const { id } = open()

  clock.nowMs = 900
  sessions.find(id)
  clock.nowMs = 9999

  t.ok(sessions.find(id))
})

t.test('past the bound the session unused for longest goes, and is told', async t => {
  const { sessions, open, clock, expired } = store({ maxSessions: 3 })
  const [first, second, third] = [open(), open(), open()]
  clock.nowMs = 2000
  sessions.find(first!.id)

  const fourth = open()

  t.strictSame(expired, [second!.id])
  t.ok([first, third, fourth].every(session => sessions.has(session!.id)))
})

t.test('a session that is busy does not make room, though it was used least', async t => {
  const { sessions, open, expired } = store({ maxSessions: 3 })
  const [busy, idle] = [open(), open(), open()]
  sessions.spare(id => id === busy!.id)

  open()

  t.strictSame(expired, [idle!.id])
  t.ok(sessions.has(busy!.id))
})

t.test('where every session is busy a new one is refused, and none of them ends', async t => {
  const { sessions, open, expired } = store({ maxSessions: 2 })
  const busy = [open(), open()].map(({ id }) => id)
  sessions.spare(id => busy.includes(id))

  t.throws(open, { code: 50300, status: 503 })

  t.strictSame(expired, [])
  t.ok(busy.every(each => sessions.has(each)))
})

t.test('expired sessions are swept away without anybody asking', async t => {
  const { sessions, open, clock, expired } = store({ ttlMs: 20 })
  const old = open()
  clock.nowMs = 15
  const young = open()

  clock.nowMs = 25
  for (let turn = 0; turn < 100 && expired.length === 0; turn++) await new Promise(resolve => setTimeout(resolve, 10))

  t.strictSame(expired, [old.id])
  t.ok(sessions.has(young.id))
})

t.test('an empty store keeps no timer', async t => {
  const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length
  const before = timers()
  const { open, clock, expired } = store({ ttlMs: 20 })
  open()

  clock.nowMs = 100
  for (let turn = 0; turn < 100 && expired.length === 0; turn++) await new Promise(resolve => setTimeout(resolve, 10))

  t.ok(timers() <= before)
})
