import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { Leases } from '../src/bullmq.ts'

const LEASE_MS = 200

t.test('leases: one that is not renewed is lost', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const leases = new Leases(LEASE_MS)
  const lost = leases.take('a')

  mock.timers.tick(LEASE_MS - 1)
  t.equal(lost.aborted, false)
  mock.timers.tick(1)

  t.equal(lost.aborted, true)
})

// By the clock: what is mocked of timers cannot be refreshed.
t.test('leases: one that is renewed is held', async t => {
  const leases = new Leases(2 * LEASE_MS)
  const [renewed, other] = [leases.take('a'), leases.take('b')]

  let longestMs = 0
  for (let lastMs = performance.now(); !other.aborted; ) {
    await sleep(LEASE_MS / 2)
    leases.renew(['a'])
    longestMs = Math.max(longestMs, performance.now() - lastMs)
    lastMs = performance.now()
  }

  // A machine that stood still for so long has lost it.
  t.ok(!renewed.aborted || longestMs > 1.8 * LEASE_MS, `${longestMs} ms`)
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
