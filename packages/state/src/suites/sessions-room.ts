// For stores that end sessions themselves: which session has to go, and how others learn of it.
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionStore } from 'toolrack/state'
import type { Suite } from './check.ts'
import { LONG, listenTo, type MakeSessions, OPENING, openAll, SHORT } from './sessions.ts'
import { eventually } from './wait.ts'

const areThere = (sessions: SessionStore, ids: readonly string[]) => Promise.all(ids.map(async id => sessions.has(id)))

export function roomSuite(t: Suite, name: string, make: MakeSessions): void {
  t.test(`${name}: an unused session expires, and is reported once`, async t => {
    const sessions = await make(t, SHORT)
    const expired = listenTo(sessions)
    const [id] = await openAll(sessions, 1)

    const isTold = sessions.onExpired !== undefined
    await eventually(async () => (isTold ? expired.length > 0 : !(await sessions.has(id!))), 'it has expired')
    await sleep(SHORT.ttlMs)

    const told = isTold ? [id] : []
    t.strictSame(expired, told)
    t.equal(await sessions.has(id!), false)
    t.equal(await sessions.find(id!), undefined)
    t.strictSame(expired, told)
  })

  t.test(`${name}: past the bound, the session unused for longest makes room, and is reported`, async t => {
    const sessions = await make(t, { ...LONG, maxSessions: 3 })
    const expired = listenTo(sessions)
    const ids = await openAll(sessions, 3)

    const [fourth] = await openAll(sessions, 1)
    const told = sessions.onExpired === undefined ? [] : [ids[0]]
    await eventually(() => expired.length === told.length, 'it is reported')

    t.strictSame(expired, told)
    t.strictSame(await areThere(sessions, [...ids, fourth!]), [false, true, true, true])
  })

  t.test(`${name}: an ended session makes room, so no other has to`, async t => {
    const sessions = await make(t, { ...LONG, maxSessions: 3 })
    const expired = listenTo(sessions)
    const ids = await openAll(sessions, 3)

    await sessions.end(ids[1]!)
    const [fourth] = await openAll(sessions, 1)

    t.strictSame(await areThere(sessions, [...ids, fourth!]), [true, false, true, true])
    t.strictSame(expired, [])
  })

  t.test(`${name}: a session that is busy makes no room, though it was used least`, async t => {
    const sessions = await make(t, { ...LONG, maxSessions: 3 })
    const [busy, idle, other] = await openAll(sessions, 3)
    sessions.protectFromEviction?.(id => id === busy)

    const [fourth] = await openAll(sessions, 1)

    t.strictSame(await areThere(sessions, [busy!, idle!, other!, fourth!]), [true, false, true, true])
  })

  t.test(`${name}: where every session is busy a new one is refused, and none of them ends`, async t => {
    const sessions = await make(t, { ...LONG, maxSessions: 2 })
    const expired = listenTo(sessions)
    const busy = await openAll(sessions, 2)
    let isBusy = true
    sessions.protectFromEviction?.(id => isBusy && busy.includes(id))

    await t.rejects(async () => sessions.open(OPENING), { code: 50300, status: 503, retryAfterS: Number })
    t.strictSame(await areThere(sessions, busy), [true, true])
    t.strictSame(expired, [])
    isBusy = false

    t.ok(await sessions.has((await sessions.open(OPENING)).id))
  })
}
