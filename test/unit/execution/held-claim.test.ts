import t from 'tap'
import { MemoryKeptResults } from '../../../packages/memory/src/kept-results.ts'
import { HeldClaim } from '../../../src/execution/held-claim.ts'
import { Inflight } from '../../../src/request/inflight.ts'
import type { KeptResults } from '../../../src/state/kept-results.ts'
import { fakeLog } from '../../support/fakes.ts'

const request = { clientKey: 'client', fingerprint: 'f', isRepeatable: false }
const LIMIT_MS = 60_000

/** A claim in a store that fails for the first times. */
function claimOf({ failures }: { failures: number }) {
  const [store, inflight, log] = [new MemoryKeptResults(), new Inflight(), fakeLog()]
  const claimed = store.claim('a', request) as { run: { id: string; token: string } }
  let tries = 0
  const fail = () => {
    if (++tries <= failures) throw new Error('gone')
  }
  const kept: KeptResults = {
    claim: (id, request) => store.claim(id, request),
    renew: () => store.renew(),
    keep(run, outcome) {
      fail()
      return store.keep(run, outcome)
    },
    release(run) {
      fail()
      return store.release(run)
    },
  }
  const claim = new HeldClaim(claimed.run, { kept, inflight, log })
  return { claim, inflight, status: () => (store.claim('a', request) as { status: string }).status, tries: () => tries }
}

t.test('held claim: a result is kept before the call is answered', async t => {
  const { claim, inflight, status } = claimOf({ failures: 0 })

  await claim.keep('1')

  t.equal(status(), 'ended')
  t.equal(inflight.size, 0)
  await claim.over
})

t.test('held claim: a store that fails is tried again, and a drain waits for it', async t => {
  const { claim, inflight, status } = claimOf({ failures: 3 })
  await claim.keep('1')
  t.equal(status(), 'running')

  await inflight.drain(LIMIT_MS)

  t.equal(status(), 'ended')
  await claim.over
})

t.test('held claim: so is what is to be released', async t => {
  const { claim, status } = claimOf({ failures: 2 })
  await claim.release()
  t.equal(status(), 'running')

  await claim.over

  t.equal(status(), 'claimed')
})

t.test('held claim: a drain does not wait for a store that is gone', async t => {
  const { claim, inflight, status, tries } = claimOf({ failures: Number.POSITIVE_INFINITY })
  await claim.keep('1')

  await inflight.drain(LIMIT_MS)

  t.equal(status(), 'running')
  t.ok(tries() > 2)
  await claim.over
})
