import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { Leases } from '../../src/state/redis/leases.ts'

const LEASE_MS = 200

t.test('leases: one that is not renewed is lost', async t => {
  const leases = new Leases(LEASE_MS)
  const lost = leases.take('a')

  t.equal(lost.aborted, false)
  await sleep(2 * LEASE_MS)

  t.equal(lost.aborted, true)
})

t.test('leases: one that is renewed is held', async t => {
  const leases = new Leases(1000)
  const [renewed, other] = [leases.take('a'), leases.take('b')]

  let longestMs = 0
  for (let turn = 0, lastMs = performance.now(); turn < 6; turn++) {
    await sleep(200)
    leases.renew(['a'])
    longestMs = Math.max(longestMs, performance.now() - lastMs)
    lastMs = performance.now()
  }

  // A machine that stood still for so long has lost it.
  t.ok(!renewed.aborted || longestMs > 900, `${longestMs} ms`)
  t.equal(other.aborted, true)
  leases.leave('a')
})

t.test('leases: one that Redis does not renew is lost at once, and one that was left never', async t => {
  const leases = new Leases(60_000)
  const [refused, left] = [leases.take('a'), leases.take('b')]

  leases.leave('b')
  leases.lose(['a', 'b', 'unknown'])

  t.equal(refused.aborted, true)
  t.equal(left.aborted, false)
})
