// Ids that carry a session: what is in them, how long they open, and for whom.
import t from 'tap'
import { Seal } from '../../../src/auth/seal.ts'
import { MAX_EXTRAS_BYTES, toClientCapabilities } from '../../../src/legacy/capabilities.ts'
import {
  MAX_ENDED_TICKETS,
  MAX_TICKET_AGE_MS,
  MAX_TICKET_LENGTH,
  SessionTickets,
} from '../../../src/legacy/session-tickets.ts'
import { findRevision, REVISIONS } from '../../../src/protocol/revisions/index.ts'

const SECRET = 'a secret of the tests, and long enough'
const ALICE = '["https://as.example","alice"]'
const ABLE = { roots: {}, sampling: { tools: {}, context: {} }, elicitation: { form: {}, url: {} } }
/** As much as a session keeps. */
const EXTRAS = { extensions: { 'a/b': {} }, experimental: { x: 'x'.repeat(MAX_EXTRAS_BYTES - 49) } }
const revision = findRevision('2025-11-25')!

/** The tickets of one process after another, with one clock. */
function processes({ secret = SECRET, previous = undefined as string | undefined, ttlMs = 3_600_000 } = {}) {
  const clock = { nowMs: 1_800_000_000_000 }
  const start = (own = secret, former = previous) =>
    new SessionTickets({ seal: new Seal(own, former), ttlMs, now: () => clock.nowMs })
  return { clock, start }
}

const openingOf = (owner: string | undefined, declared: object = ABLE) => ({
  revision,
  owner,
  capabilities: toClientCapabilities(revision, declared as never),
})

t.test('another process gets from the id what the handshake agreed, in each revision', async t => {
  const { start } = processes()
  for (const each of REVISIONS.filter(({ era }) => era === 'legacy')) {
    for (const declared of [
      {},
      ABLE,
      { sampling: {} },
      { elicitation: {} },
      { elicitation: { url: {} }, roots: {} },
      EXTRAS,
    ]) {
      for (const owner of [undefined, ALICE]) {
        const opening = { revision: each, owner, capabilities: toClientCapabilities(each, declared) }
        t.strictSame(start().open(start().issue(opening), owner), opening, each.version)
      }
    }
  }
})

t.test('an id is visible ASCII, never the same, and short, whoever the owner is', async t => {
  const tickets = processes().start()
  const ids = Array.from({ length: 1000 }, () => tickets.issue(openingOf('x'.repeat(10_000))))

  t.equal(new Set(ids).size, 1000)
  for (const id of ids) t.match(id, /^[\w-]{100,139}$/)
})

t.test('the id of a client with extensions is longer, within its bound', async t => {
  const { start } = processes()
  const opening = openingOf('x'.repeat(10_000), { ...ABLE, ...EXTRAS })
  const id = start().issue(opening)

  t.match(opening.capabilities, EXTRAS)
  t.ok(id.length <= MAX_TICKET_LENGTH)
  t.equal(id.length, 1503)
  t.strictSame(start().open(id, opening.owner), opening)
  const longer = { ...EXTRAS, experimental: { x: `${EXTRAS.experimental.x}x` } }
  t.strictSame(openingOf(undefined, longer).capabilities, { extensions: EXTRAS.extensions })
})

t.test('the process that issued an id does not open it: its store knows whether the session lives', async t => {
  const tickets = processes().start()

  t.equal(tickets.open(tickets.issue(openingOf(ALICE)), ALICE), undefined)
})

t.test('an id opens for its owner only', async t => {
  const { start } = processes()
  const hers = start().issue(openingOf(ALICE))
  const nobodys = start().issue(openingOf(undefined))

  for (const owner of [undefined, '', '["https://as.example","bob"]', '[null,"alice"]', `${ALICE} `])
    t.equal(start().open(hers, owner), undefined, String(owner))
  t.equal(start().open(nobodys, ALICE), undefined)
  t.equal(start().open(nobodys, ''), undefined)
})

t.test('an id opens for seven days after its handshake, or for SESSION_TTL_MS if that is longer', async t => {
  for (const [ttlMs, lastsMs] of [
    [1000, MAX_TICKET_AGE_MS],
    [2 * MAX_TICKET_AGE_MS, 2 * MAX_TICKET_AGE_MS],
  ] as const) {
    const { clock, start } = processes({ ttlMs })
    const id = start().issue(openingOf(ALICE))

    clock.nowMs += lastsMs - 1
    t.ok(start().open(id, ALICE))
    clock.nowMs += 1
    t.equal(start().open(id, ALICE), undefined)
  }
})

t.test('a replica whose clock is behind opens an id, too', async t => {
  const { clock, start } = processes()
  const id = start().issue(openingOf(ALICE))

  clock.nowMs -= 60_000

  t.ok(start().open(id, ALICE))
})

t.test('another secret does not open an id, the previous one does', async t => {
  const { start } = processes()
  const id = start().issue(openingOf(ALICE))
  const other = 'another secret of the tests, long enough'

  t.equal(start(other).open(id, ALICE), undefined)
  t.ok(start(other, SECRET).open(id, ALICE))
})

t.test('what is sealed for another purpose opens no session', async t => {
  const { start } = processes()
  const seal = new Seal(SECRET)
  const payload = ['2025-11-25', 'rs', '', 1_800_000_000, 'another']

  t.ok(start().open(seal.seal('session', payload), undefined))
  for (const purpose of ['request-state', 'cursor', 'confirmation'] as const)
    t.equal(start().open(seal.seal(purpose, payload), undefined), undefined, purpose)
})

t.test('a revision that is not served, or has no sessions, opens none', async t => {
  const { start } = processes()
  for (const version of ['2026-07-28', '2027-01-01', '__proto__'])
    t.equal(start().open(new Seal(SECRET).seal('session', [version, '', '', 1_800_000_000, 'x']), undefined), undefined)
})

t.test('an ended id opens no more in that process', async t => {
  const { start } = processes()
  const id = start().issue(openingOf(ALICE))
  const next = start()
  t.ok(next.open(id, ALICE))

  next.end(id)

  t.equal(next.open(id, ALICE), undefined)
  t.ok(start().open(id, ALICE), 'a later process does not know')
})

t.test('of ended ids the newest are remembered; those of the process itself take no room', async t => {
  const { start } = processes()
  const former = start()
  const next = start()
  const ids = Array.from({ length: MAX_ENDED_TICKETS + 1 }, () => former.issue(openingOf(ALICE)))

  for (const id of ids.slice(0, -1)) next.end(id)
  for (let count = 0; count < 10; count++) next.end(next.issue(openingOf(ALICE)))
  next.end('x'.repeat(32))
  t.equal(next.open(ids[0]!, ALICE), undefined)
  next.end(ids.at(-1)!)

  t.ok(next.open(ids[0]!, ALICE), 'the oldest is forgotten')
  t.equal(next.open(ids[1]!, ALICE), undefined)
  t.equal(next.open(ids.at(-1)!, ALICE), undefined)
})
