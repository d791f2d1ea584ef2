// Rules of every SessionStore: a session is found while it is used, and makes room when it is not.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { NEWEST_LEGACY } from 'toolrack/protocol'
import type { NewSession, Session, SessionBounds, SessionStore } from 'toolrack/state'
import type { Check, Suite } from './check.ts'
import { eventually } from './wait.ts'

/** @returns an empty store, which closes with the test */
export type MakeSessions = (
  t: Check,
  bounds: SessionBounds & { readonly ttlMs: number },
) => SessionStore | Promise<SessionStore>

export const OPENING: NewSession = {
  revision: NEWEST_LEGACY,
  owner: undefined,
  capabilities: {},
  seen: { tools: 0, prompts: 0, resources: 0 },
}

export const LONG = { ttlMs: 60_000 }
export const SHORT = { ttlMs: 150 }

export async function openAll(sessions: SessionStore, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    ids.push((await sessions.open(OPENING)).id)
    // So that each is older than the next, by any clock.
    await sleep(5)
  }
  return ids
}

export function listenTo(sessions: SessionStore): string[] {
  const expired: string[] = []
  sessions.onExpired?.(({ id }) => expired.push(id))
  return expired
}

export function sessionsSuite(t: Suite, name: string, make: MakeSessions): void {
  t.test(`${name}: a session is found by its id, with what it began with`, async t => {
    const sessions = await make(t, LONG)
    const opening: NewSession = {
      ...OPENING,
      owner: 'issuer subject',
      capabilities: {
        roots: { listChanged: true },
        sampling: {},
        extensions: { 'a/b': { c: [1] } },
        experimental: { d: {} },
      },
      seen: { tools: 1, prompts: 2, resources: 3 },
    }

    const opened = await sessions.open(opening)

    for (const session of [opened, await sessions.find(opened.id), await sessions.peek(opened.id)]) {
      t.match(session, { ...opening, id: opened.id, revision: { version: NEWEST_LEGACY.version } })
      t.equal(session?.logLevel, undefined)
      t.equal(session?.subscriptions, undefined)
    }
    t.equal(await sessions.has(opened.id), true)
  })

  t.test(`${name}: what belongs to nobody stays nobody's`, async t => {
    const sessions = await make(t, LONG)

    const { id } = await sessions.open(OPENING)

    t.equal((await sessions.find(id))?.owner, undefined)
  })

  t.test(`${name}: an id is a random UUID`, async t => {
    const sessions = await make(t, LONG)

    const opened = await Promise.all(Array.from({ length: 100 }, async () => sessions.open(OPENING)))

    t.equal(new Set(opened.map(({ id }) => id)).size, 100)
    t.ok(opened.every(({ id }) => /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(id)))
  })

  t.test(`${name}: a session may bring its id, and is found by that alone`, async t => {
    const sessions = await make(t, LONG)
    const id = randomUUID()

    t.equal((await sessions.open({ ...OPENING, id })).id, id)

    t.equal((await sessions.find(id))?.id, id)
    t.equal((await sessions.peek(id))?.id, id)
    t.equal(await sessions.has(id), true)
  })

  t.test(`${name}: an unknown session is not found, whatever it is called`, async t => {
    const sessions = await make(t, LONG)
    await sessions.open(OPENING)

    for (const id of ['unknown', '', '__proto__', 'constructor', '*', 'x'.repeat(10_000)]) {
      t.equal(await sessions.find(id), undefined)
      t.equal(await sessions.peek(id), undefined)
      t.equal(await sessions.has(id), false)
    }
  })

  t.test(`${name}: saved changes of a session are found, and only in that session`, async t => {
    const sessions = await make(t, LONG)
    const [changed, other] = await openAll(sessions, 2)
    const session = (await sessions.find(changed!)) as Session
    session.logLevel = 'warning'
    session.seen = { tools: 4, prompts: 5, resources: 6 }
    session.subscriptions = new Map([
      ['file:///a', true],
      ['file:///b', false],
    ])

    await sessions.save(session)

    const found = await sessions.find(changed!)
    t.equal(found?.logLevel, 'warning')
    t.strictSame({ ...found?.seen }, { tools: 4, prompts: 5, resources: 6 })
    // Only the process that works with the session knows whether a notification waits; it need not
    // be kept.
    t.strictSame([...found!.subscriptions!.keys()].sort(), ['file:///a', 'file:///b'])
    t.equal((await sessions.peek(changed!))?.logLevel, 'warning')
    t.equal((await sessions.find(other!))?.logLevel, undefined)
  })

  t.test(`${name}: an ended session is not found, and is not reported as expired`, async t => {
    const sessions = await make(t, LONG)
    const expired = listenTo(sessions)
    const [gone, left] = await openAll(sessions, 2)
    const session = (await sessions.find(gone!)) as Session

    await sessions.end(gone!)
    await sessions.end(gone!)
    await sessions.end('unknown')

    t.equal(await sessions.find(gone!), undefined)
    t.equal(await sessions.peek(gone!), undefined)
    t.equal(await sessions.has(gone!), false)
    await sessions.save(session)
    t.equal(await sessions.has(gone!), false, 'nor does it come back when it is saved')
    t.equal(await sessions.has(left!), true)
    t.strictSame(expired, [])
  })

  t.test(`${name}: to ask whether a session exists does not count as its use`, async t => {
    const sessions = await make(t, SHORT)
    const [id] = await openAll(sessions, 1)

    await eventually(async () => !(await sessions.has(id!)), 'it expires, though it is asked for again and again')

    t.equal(await sessions.find(id!), undefined)
  })

  t.test(`${name}: nor is looking at it`, async t => {
    const sessions = await make(t, SHORT)
    const [id] = await openAll(sessions, 1)

    await eventually(async () => (await sessions.peek(id!)) === undefined, 'it expires, though it is looked at')

    t.equal(await sessions.find(id!), undefined)
  })

  t.test(`${name}: a session that is used does not expire`, async t => {
    const ttlMs = 1000
    const sessions = await make(t, { ttlMs })
    const startMs = performance.now()
    const [id] = await openAll(sessions, 1)
    let longestMs = 0
    let isFound = true

    for (let lastMs = startMs; isFound && lastMs < startMs + 2 * ttlMs; ) {
      await sleep(ttlMs / 5)
      isFound = (await sessions.find(id!)) !== undefined
      longestMs = Math.max(longestMs, performance.now() - lastMs)
      lastMs = performance.now()
    }

    // It may have expired if the machine stood still for so long.
    t.ok(isFound || longestMs > 0.8 * ttlMs, `found after ${performance.now() - startMs} ms`)
  })
}
