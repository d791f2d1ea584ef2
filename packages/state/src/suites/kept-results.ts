// Rules of every KeptResults: one claim for each id, the outcome for all others, and bounds.
import { type Claim, type ClaimedRun, KEPT_BOUNDS, type KeptResults } from 'toolrack/state'
import type { Ending, Suite } from './check.ts'

/** @returns empty stores that share their contents, as replicas do */
export type MakeKept = (t: Ending, count: number) => Promise<readonly KeptResults[]> | readonly KeptResults[]

const request = (clientKey = 'client', fingerprint = 'f') => ({ clientKey, fingerprint, isRepeatable: false })

function runOf(claim: Claim): ClaimedRun {
  if (claim.status !== 'claimed') throw new Error(`not claimed, but ${claim.status}`)
  return claim.run
}

const start = async (kept: KeptResults, id: string, clientKey = 'client') =>
  runOf(await kept.claim(id, request(clientKey)))

const end = async (kept: KeptResults, id: string, clientKey = 'client', outcome = '1') =>
  kept.keep(await start(kept, id, clientKey), outcome)

const statusOf = async (kept: KeptResults, id: string, clientKey = 'client') =>
  (await kept.claim(id, request(clientKey))).status

/** Runs the work `count` times, a hundred at a time. */
async function times(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += 100)
    await Promise.all(Array.from({ length: Math.min(100, count - from) }, (_, n) => work(from + n)))
}

export function keptResultsSuite(t: Suite, name: string, make: MakeKept): void {
  t.test(`${name}: of a hundred claims at once one is given`, async t => {
    const kept = await make(t, 2)

    const claims = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => kept[n % kept.length]!.claim('a', request())),
    )

    t.equal(claims.filter(({ status }) => status === 'claimed').length, 1)
    t.equal(claims.filter(({ status }) => status === 'running').length, 99)
  })

  t.test(`${name}: an outcome is kept, with the fingerprint of its call`, async t => {
    const kept = await make(t, 2)
    const [one, two] = [kept[0]!, kept.at(-1)!]

    const run = runOf(await one.claim('a', request('client', 'first')))
    t.match(await two.claim('a', request('client', 'other')), { status: 'running', fingerprint: 'first' })
    await one.renew(run)
    await one.keep(run, '{"n":1}')
    for (const each of [one, two])
      t.strictSame(await each.claim('a', request()), { status: 'ended', fingerprint: 'first', outcome: '{"n":1}' })
  })

  t.test(`${name}: a released claim may be claimed again; an outcome stays`, async t => {
    const [kept] = (await make(t, 1)) as [KeptResults]

    await kept.release(await start(kept, 'a'))
    const run = await start(kept, 'a')
    await kept.keep(run, '1')
    await kept.release(run)
    t.equal(await statusOf(kept, 'a'), 'ended')
  })

  t.test(`${name}: a run that has lost its claim changes nothing`, async t => {
    const [kept] = (await make(t, 1)) as [KeptResults]
    const former = await start(kept, 'a')
    await kept.release(former)
    const run = await start(kept, 'a')

    await kept.renew(former)
    await kept.keep(former, '"former"')
    await kept.release(former)
    t.equal(await statusOf(kept, 'a'), 'running')
    await kept.keep(run, '"own"')
    await kept.keep(former, '"former"')
    t.match(await kept.claim('a', request()), { status: 'ended', outcome: '"own"' })
  })

  t.test(`${name}: a task takes over its own claim, if its lost run does no harm`, async t => {
    const kept = await make(t, 2)
    const [one, two] = [kept[0]!, kept.at(-1)!]
    const own = { ...request(), isRepeatable: true, taskId: 'task' }
    const lost = runOf(await one.claim('a', own))

    const others = { call: { taskId: undefined }, task: { taskId: 'other' }, arguments: { fingerprint: 'other' } }
    for (const [what, other] of Object.entries({ ...others, tool: { isRepeatable: false } }))
      t.match(await two.claim('a', { ...own, ...other }), { status: 'running' }, `another ${what}`)
    const run = runOf(await two.claim('a', own))
    await one.keep(lost, '"lost"')
    t.match(await one.claim('a', request()), { status: 'running' })
    await two.keep(run, '1')
    t.match(await one.claim('a', own), { status: 'ended', outcome: '1' })
  })

  t.test(`${name}: past the bound of a client its oldest result is forgotten, and of others none`, async t => {
    const [kept] = (await make(t, 1)) as [KeptResults]
    await end(kept, 'of another', 'another')
    const late = await start(kept, 'late')
    await end(kept, 'id-1')
    await end(kept, 'id-2')
    await kept.keep(late, '1')
    await times(KEPT_BOUNDS.maxCountOfClient - 2, n => end(kept, `more-${n}`))

    t.equal(await statusOf(kept, 'of another', 'another'), 'ended')
    t.equal(await statusOf(kept, 'id-2'), 'ended')
    t.equal(await statusOf(kept, 'late'), 'ended', 'a result is as old as its end')
    t.equal(await statusOf(kept, 'id-1'), 'claimed')
  })

  t.test(`${name}: a running claim is not forgotten; if all run, no more claims are given`, async t => {
    const [kept] = (await make(t, 1)) as [KeptResults]
    const first = await start(kept, 'id-0')
    await times(KEPT_BOUNDS.maxCountOfClient + 10, n => end(kept, `ended-${n}`))
    t.equal(await statusOf(kept, 'id-0'), 'running')

    await times(KEPT_BOUNDS.maxCountOfClient - 1, n => start(kept, `running-${n}`))
    t.equal(await statusOf(kept, 'one more'), 'full')
    t.equal(await statusOf(kept, 'of another', 'another'), 'claimed')
    t.equal(await statusOf(kept, 'id-0'), 'running')
    await kept.keep(first, '1')
    t.equal(await statusOf(kept, 'one more'), 'claimed')
  })

  t.test(`${name}: a released claim takes no room`, async t => {
    const [kept] = (await make(t, 1)) as [KeptResults]
    await end(kept, 'a')
    await times(KEPT_BOUNDS.maxCountOfClient + 10, async n => kept.release(await start(kept, `id-${n}`)))

    t.equal(await statusOf(kept, 'a'), 'ended')
  })

  const quarter = 'x'.repeat(KEPT_BOUNDS.maxBytesOfClient / 4)

  t.test(`${name}: past the bytes of a client its oldest results are forgotten, and of others none`, async t => {
    const [kept] = (await make(t, 1)) as [KeptResults]
    await end(kept, 'of another', 'another')
    const running = await start(kept, 'running')
    for (let id = 0; id < 5; id++) await end(kept, `id-${id}`, 'client', quarter)

    t.equal(await statusOf(kept, 'of another', 'another'), 'ended')
    t.equal(await statusOf(kept, 'running'), 'running')
    t.equal(await statusOf(kept, 'id-1'), 'ended')
    t.equal(await statusOf(kept, 'id-0'), 'claimed')
    await kept.keep(running, quarter)
    t.equal(await statusOf(kept, 'running'), 'ended', 'the newest result stays')
    t.equal(await statusOf(kept, 'id-1'), 'claimed')
  })

  t.test(`${name}: past the bytes of all the oldest results are forgotten`, async t => {
    const [kept] = (await make(t, 1)) as [KeptResults]
    const running = await start(kept, 'running', 'first')
    const count = KEPT_BOUNDS.maxBytes / quarter.length
    for (let id = 0; id <= count; id++) await end(kept, `id-${id}`, `client ${id}`, quarter)

    t.equal(await statusOf(kept, 'id-0', 'client 0'), 'claimed')
    t.equal(await statusOf(kept, 'id-1', 'client 1'), 'ended')
    t.equal(await statusOf(kept, `id-${count}`, `client ${count}`), 'ended')
    t.equal(await statusOf(kept, 'running', 'first'), 'running')
    await kept.keep(running, quarter)
    t.equal(await statusOf(kept, 'running', 'first'), 'ended')
  })

  t.test(`${name}: bytes are those of UTF-8`, async t => {
    const [kept] = (await make(t, 1)) as [KeptResults]
    const half = '☃'.repeat(KEPT_BOUNDS.maxBytesOfClient / 6)
    for (const id of ['a', 'b', 'c']) await end(kept, id, 'client', half)

    t.equal(await statusOf(kept, 'b'), 'ended')
    t.equal(await statusOf(kept, 'a'), 'claimed')
  })
}
