import t from 'tap'
import type { Session } from '../../../src/state/sessions.ts'
import { toSuite } from '../../../test/support/suite.ts'
import { type MakeSessions, OPENING, sessionsSuite } from '../../state/src/suites/sessions.ts'
import { roomSuite } from '../../state/src/suites/sessions-room.ts'
import { type MemorySessionBounds, MemorySessions } from '../src/sessions.ts'

const make: MakeSessions = (t, bounds) => {
  const sessions = new MemorySessions(bounds)
  t.teardown(() => sessions.close())
  return sessions
}

sessionsSuite(toSuite(t), 'sessions in memory', make)
roomSuite(toSuite(t), 'sessions in memory', make)

function store(bounds: Partial<MemorySessionBounds> = {}) {
  const clock = { nowMs: 0 }
  const sessions = new MemorySessions({ ttlMs: 10_000, now: () => clock.nowMs, ...bounds })
  const expired: string[] = []
  sessions.onExpired(({ id }) => expired.push(id))
  t.teardown(() => sessions.close())
  return { sessions, clock, expired, open: () => sessions.open(OPENING) as Session }
}

t.test('sessions in memory: a session expires when nobody has used it for its idle life', async t => {
  const { sessions, open, clock, expired } = store()
  const { id } = open()

  clock.nowMs = 9999
  t.equal(sessions.has(id), true)
  clock.nowMs = 10_000
  t.equal(sessions.has(id), false)

  t.equal(sessions.find(id), undefined)
  t.strictSame(expired, [id])
})

t.test('sessions in memory: finding a session begins its idle life anew', async t => {
  const { sessions, open, clock } = store()
  const { id } = open()

  for (clock.nowMs = 9000; clock.nowMs < 60_000; clock.nowMs += 9000) t.ok(sessions.find(id))
})

t.test('sessions in memory: asking whether it is there does not', async t => {
  const { sessions, open, clock } = store()
  const { id } = open()

  clock.nowMs = 9000
  sessions.has(id)
  clock.nowMs = 10_000

  t.equal(sessions.find(id), undefined)
})

t.test('sessions in memory: a busy session lives no shorter than its idle life less a second', async t => {
  const { sessions, open, clock } = store()
  const { id } = open()

  clock.nowMs = 900
  sessions.find(id)
  clock.nowMs = 9999

  t.ok(sessions.find(id))
})

t.test('sessions in memory: past the bound the session unused for longest goes, and is told', async t => {
  const { sessions, open, clock, expired } = store({ maxSessions: 3 })
  const [first, second, third] = [open(), open(), open()]
  clock.nowMs = 2000
  sessions.find(first!.id)

  const fourth = open()

  t.strictSame(expired, [second!.id])
  t.ok([first, third, fourth].every(session => sessions.has(session!.id)))
})

t.test('sessions in memory: expired sessions are swept away without anybody asking', async t => {
  const { sessions, open, clock, expired } = store({ ttlMs: 20 })
  const old = open()
  clock.nowMs = 15
  const young = open()

  clock.nowMs = 25
  for (let turn = 0; turn < 100 && expired.length === 0; turn++) await new Promise(resolve => setTimeout(resolve, 10))

  t.strictSame(expired, [old.id])
  t.ok(sessions.has(young.id))
})

t.test('sessions in memory: an empty store keeps no timer', async t => {
  const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length
  const before = timers()
  const { open, clock, expired } = store({ ttlMs: 20 })
  open()

  clock.nowMs = 100
  for (let turn = 0; turn < 100 && expired.length === 0; turn++) await new Promise(resolve => setTimeout(resolve, 10))

  t.ok(timers() <= before)
})
