import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { SessionBounds, SessionStore } from '../../../src/state/sessions.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { toSuite } from '../../../test/support/suite.ts'
import type { Ending } from '../../state/src/suites/check.ts'
import { LONG, OPENING, openAll, sessionsSuite } from '../../state/src/suites/sessions.ts'
import { RedisSessions } from '../src/sessions.ts'
import { linkTo, newPrefix, operator, withRedis } from './links.ts'

withRedis(t, 'sessions on Redis', (t, server) => {
  // They mostly wait, and each has keys of its own.
  t.jobs = 4
  const make = async (t: Ending, bounds: SessionBounds, prefix?: string) =>
    new RedisSessions((await linkTo(server, t, prefix)).link, bounds)
  const areThere = (sessions: SessionStore, ids: readonly string[]) =>
    Promise.all(ids.map(async id => sessions.has(id)))

  sessionsSuite(toSuite(t), 'sessions on Redis', make)

  t.test(
    'sessions on Redis: a session that is opened on one replica is found, changed and ended on another',
    async t => {
      const prefix = newPrefix()
      const [first, second] = [await make(t, LONG, prefix), await make(t, LONG, prefix)]
      const { id } = await first.open({ ...OPENING, owner: 'issuer subject' })

      const found = (await second.find(id))!
      found.logLevel = 'error'
      await second.save(found)

      t.match(await first.find(id), { owner: 'issuer subject', logLevel: 'error' })
      await second.end(id)
      t.equal(await first.find(id), undefined)
    },
  )

  t.test('sessions on Redis: past the bound the one unused for longest goes, whichever was opened first', async t => {
    const sessions = await make(t, { ...LONG, maxSessions: 3 })
    const [first, second, third] = await openAll(sessions, 3)
    await sessions.find(first!)

    const [fourth] = await openAll(sessions, 1)

    t.strictSame(await areThere(sessions, [first!, second!, third!, fourth!]), [true, false, true, true])
  })

  t.test('sessions on Redis: what was ended or has expired makes room, and no other has to', async t => {
    const prefix = newPrefix()
    const sessions = await make(t, { ...LONG, maxSessions: 3 }, prefix)
    const brief = await make(t, { ttlMs: 50, maxSessions: 3 }, prefix)
    const [ended, left] = await openAll(sessions, 2)
    const [expired] = await openAll(brief, 1)
    await sessions.end(ended!)
    await eventually(async () => !(await sessions.has(expired!)), 'it expires')

    const others = await openAll(sessions, 2)

    t.strictSame(await areThere(sessions, [left!, ...others]), [true, true, true])
  })

  t.test('sessions on Redis: what was ended or has expired is no longer counted', async t => {
    const prefix = newPrefix()
    const sessions = await make(t, LONG, prefix)
    const brief = await make(t, { ttlMs: 50 }, prefix)
    const [ended] = await openAll(sessions, 1)
    const [expired] = await openAll(brief, 1)
    await sessions.end(ended!)
    await eventually(async () => !(await sessions.has(expired!)), 'it expires')

    const left = await openAll(sessions, 1)

    t.strictSame(await operator(server, t).zrange(`${prefix}:sessions`, '0', '-1'), left)
  })

  t.test('sessions on Redis: one that is used past the end that was first set for it still counts', async t => {
    const ttlMs = 1000
    const sessions = await make(t, { ttlMs, maxSessions: 2 })
    const [used] = await openAll(sessions, 1)
    for (let turn = 0; turn < 6; turn++) {
      await sleep(ttlMs / 4)
      await sessions.find(used!)
    }

    const openedMs = performance.now()
    const others = await openAll(sessions, 2)

    t.equal((await areThere(sessions, [used!, ...others])).filter(isThere => isThere).length <= 2, true)
    // A machine that stood still for so long has let it expire.
    t.ok((await sessions.has(others[1]!)) || performance.now() - openedMs > 0.8 * ttlMs)
  })

  t.test(
    'sessions on Redis: of many that are opened at once on two replicas no more are kept than the bound',
    async t => {
      const prefix = newPrefix()
      const bounds = { ...LONG, maxSessions: 10 }
      const replicas = [await make(t, bounds, prefix), await make(t, bounds, prefix)]

      await Promise.all(Array.from({ length: 60 }, async (_, n) => replicas[n % 2]!.open(OPENING)))

      const client = operator(server, t)
      t.equal((await client.keys(`${prefix}:session:*`)).length, 10)
      t.equal(await client.zcard(`${prefix}:sessions`), 10)
    },
  )
})
