// What one replica knows of what a session was told, and what it makes of what the others say.
import t from 'tap'
import { Handover, type Told, toldOf } from '../../src/legacy/handover.ts'
import { revisionOf } from '../../src/protocol/revisions/index.ts'
import type { ListVersions, Session } from '../../src/session.ts'

const versions = (tools: number): ListVersions => ({ tools, prompts: 0, resources: 0 })

const session = (watched: Record<string, boolean>, tools = 1): Session => ({
  id: 'id',
  revision: revisionOf('2025-11-25')!,
  owner: undefined,
  capabilities: {},
  logLevel: undefined,
  subscriptions: new Map(Object.entries(watched)),
  seen: versions(tools),
})

const told = (waiting: string[], over: Partial<Told> = {}): Told => ({
  kind: 'told',
  session: 'id',
  seen: versions(1),
  waiting,
  isTeller: false,
  ...over,
})

const waitingOf = ({ subscriptions }: Session) => [...subscriptions!].filter(([, is]) => is).map(([uri]) => uri)

t.test('handover: who told last knows what waits, whatever else is thought', async t => {
  const mine = session({ a: true, b: false, c: false })
  const handover = new Handover(mine)
  handover.hear(told(['c']))
  handover.hear(told(['b'], { isTeller: true, seen: versions(7) }))

  handover.settle()

  t.strictSame(waitingOf(mine), ['b'])
  t.strictSame(mine.seen, versions(7))
})

t.test('handover: where that replica is gone, all that is known counts, and what is watched only', async t => {
  const mine = session({ a: true, b: false }, 3)
  const handover = new Handover(mine)
  handover.hear(told(['b', 'unwatched'], { seen: versions(2) }))

  handover.settle()

  t.strictSame(waitingOf(mine), ['a', 'b'])
  t.strictSame(mine.seen, versions(3))
})

t.test('handover: what comes while the others are asked still waits', async t => {
  const mine = session({ a: true, b: false })
  const handover = new Handover(mine)
  mine.subscriptions!.set('b', true)
  handover.hear(told([], { isTeller: true }))

  handover.settle()

  t.strictSame(waitingOf(mine), ['b'])
})

t.test('handover: what is given away waits here no more', async t => {
  const mine = session({ a: true, b: false }, 4)

  t.match(toldOf(mine, true), { waiting: ['a'], seen: versions(4), isTeller: true })
  t.strictSame(waitingOf(mine), [])
})

t.test('handover: a damaged answer is none', async t => {
  const mine = session({ a: true })
  const handover = new Handover(mine)
  handover.hear({ ...told([], { isTeller: true }), waiting: 'a' as unknown as string[] })

  handover.settle()

  t.strictSame(waitingOf(mine), ['a'])
})
