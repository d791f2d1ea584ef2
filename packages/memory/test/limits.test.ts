import t from 'tap'
import type { LimitDecision } from '../../../src/state/limits.ts'
import { MemoryLimits } from '../../../src/state/memory-limits.ts'
import { toSuite } from '../../../test/support/suite.ts'
import { limitsSuite } from '../../state/src/suites/limits.ts'

limitsSuite(toSuite(t), 'limits in memory', () => new MemoryLimits())

function counted(rule: { max: number; windowMs: number }, startMs = 12_345) {
  const clock = { nowMs: startMs }
  const limits = new MemoryLimits(() => clock.nowMs)
  return { clock, limits, take: (key = 'a') => limits.take(key, rule) as LimitDecision }
}

t.test('limits in memory: the limit passes, the next does not', t => {
  const { take } = counted({ max: 3, windowMs: 1000 })

  for (let use = 0; use < 3; use++) t.strictSame(take(), { isAllowed: true, retryAfterMs: 0 })
  const refused = take()

  t.notOk(refused.isAllowed)
  t.equal(refused.retryAfterMs, 1000)
  t.end()
})

t.test('limits in memory: once per window means once per window, and not once in two', t => {
  const { take, clock } = counted({ max: 1, windowMs: 1000 })
  take()

  clock.nowMs += 999
  t.notOk(take().isAllowed)
  clock.nowMs += 1

  t.ok(take().isAllowed)
  t.end()
})

t.test('limits in memory: what is refused is not counted', t => {
  const { take, clock } = counted({ max: 2, windowMs: 1000 })
  take()
  take()

  for (let use = 0; use < 100; use++) {
    clock.nowMs += 8
    take()
  }
  clock.nowMs += 301

  t.ok(take().isAllowed)
  t.end()
})

t.test('limits in memory: a burst at the end of one window leaves no room at the start of the next', t => {
  const { take, clock } = counted({ max: 10, windowMs: 1000 }, 0)
  take()
  clock.nowMs = 990
  for (let use = 0; use < 9; use++) take()

  clock.nowMs = 1500
  let passed = 0
  while (take().isAllowed) passed++

  t.equal(passed, 1)
  t.end()
})

// Deterministic, so that a failure can be repeated.
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

t.test('limits in memory: in no window pass more than the limit, and after the time told the next passes', t => {
  const random = randomOf(7)
  for (let run = 0; run < 300; run++) {
    const rule = { max: 1 + Math.floor(random() * 9), windowMs: 100 + Math.floor(random() * 5000) }
    const { take, clock } = counted(rule, random() * 1e6)
    const passed: number[] = []
    for (let step = 0; step < 50; step++) {
      clock.nowMs += random() * rule.windowMs * (random() < 0.5 ? 1.5 : 1 / rule.max)
      const decision = take()
      if (!decision.isAllowed) {
        if (decision.retryAfterMs > rule.windowMs) return t.fail(`${decision.retryAfterMs} ms of ${rule.windowMs}`)
        clock.nowMs += decision.retryAfterMs
        if (!take().isAllowed) return t.fail(`refused after ${decision.retryAfterMs} ms in run ${run}`)
      }
      passed.push(clock.nowMs)
      const within = passed.filter(atMs => atMs > clock.nowMs - rule.windowMs).length
      if (within > rule.max) return t.fail(`${within} of ${rule.max} in run ${run}`)
    }
  }
  t.pass('15,000 uses')
  t.end()
})

t.test('limits in memory: a rule whose window changes starts afresh', t => {
  const { limits } = counted({ max: 1, windowMs: 1000 })
  limits.take('a', { max: 1, windowMs: 1000 })

  t.match(limits.take('a', { max: 1, windowMs: 60_000 }), { isAllowed: true })
  t.match(limits.take('a', { max: 1, windowMs: 60_000 }), { isAllowed: false })
  t.end()
})

t.test('limits in memory: a clock that steps back neither locks out nor lets pass', t => {
  const { take, clock } = counted({ max: 2, windowMs: 1000 }, 10_000_000)
  take()
  take()

  clock.nowMs -= 3_600_000
  t.notOk(take().isAllowed)
  clock.nowMs += 3_600_000 + 1101

  t.ok(take().isAllowed)
  t.end()
})

t.test(
  'limits in memory: of more keys than are kept the one unused for longest is forgotten, never one that is being refused',
  t => {
    const { take } = counted({ max: 1, windowMs: 60_000 })
    take('old')
    take('busy')

    for (let key = 0; key < 100_000; key++) {
      take(String(key))
      if (key % 1000 === 0) take('busy')
    }

    t.ok(take('old').isAllowed, 'forgotten')
    t.notOk(take('busy').isAllowed, 'kept')
    t.end()
  },
)
