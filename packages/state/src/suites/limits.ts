// Rules of every Limits. No window allows more uses than the limit, and a refused client learns when
// to come back.
import { setTimeout as sleep } from 'node:timers/promises'
import type { LimitRule, Limits } from 'toolrack/state'
import type { Ending, Suite } from './check.ts'
import { eventually } from './wait.ts'

/** @returns an empty limiter */
export type MakeLimits = (t: Ending) => Limits | Promise<Limits>

const MINUTE = 60_000
const ALLOWED = { isAllowed: true, retryAfterMs: 0 }

/** Maximum difference between two clocks. */
const DRIFT_MS = 5

async function takeAll(limits: Limits, rule: LimitRule, key = 'a'): Promise<void> {
  for (let use = 0; use < rule.max; use++) await limits.take(key, rule)
}

/**
 * Uses the limiter as often as possible, until `count` uses have passed.
 *
 * @returns the time span of each
 */
async function hammer(limits: Limits, rule: LimitRule, count: number) {
  const passed: { afterMs: number; beforeMs: number }[] = []
  await eventually(async () => {
    const afterMs = performance.now()
    const { isAllowed } = await limits.take('a', rule)
    if (isAllowed) passed.push({ afterMs, beforeMs: performance.now() })
    return passed.length === count
  }, `${count} have passed`)
  return passed
}

export function limitsSuite(t: Suite, name: string, make: MakeLimits): void {
  t.test(`${name}: uses up to the limit pass; the next one is refused, and learns when it may pass`, async t => {
    const limits = await make(t)
    const rule = { max: 3, windowMs: MINUTE }

    for (let use = 0; use < 3; use++) t.strictSame(await limits.take('a', rule), ALLOWED)
    const { isAllowed, retryAfterMs } = await limits.take('a', rule)

    t.equal(isAllowed, false)
    t.ok(retryAfterMs > 0 && retryAfterMs <= MINUTE, `${retryAfterMs} ms`)
  })

  t.test(`${name}: keys do not count together, whatever they are called`, async t => {
    const limits = await make(t)
    const rule = { max: 1, windowMs: MINUTE }

    for (const key of ['a', 'A', 'a:b', 'a:', '', '__proto__', 'constructor', '*', 'x'.repeat(1000)]) {
      t.equal((await limits.take(key, rule)).isAllowed, true)
      t.equal((await limits.take(key, rule)).isAllowed, false)
    }
  })

  t.test(`${name}: of many at once so many pass as may`, async t => {
    const limits = await make(t)
    const rule = { max: 10, windowMs: MINUTE }

    const taken = await Promise.all(Array.from({ length: 100 }, async () => limits.take('a', rule)))

    t.equal(taken.filter(({ isAllowed }) => isAllowed).length, 10)
  })

  t.test(`${name}: after the given time the next use passes, however often it was tried before`, async t => {
    const limits = await make(t)
    const rule = { max: 2, windowMs: 400 }
    await takeAll(limits, rule)
    let beforeMs = performance.now()
    let refused = await limits.take('a', rule)
    // Earlier uses may belong to another window if the machine stood still.
    for (; refused.isAllowed; refused = await limits.take('a', rule)) beforeMs = performance.now()
    const { retryAfterMs } = refused
    const endMs = performance.now() + retryAfterMs

    let hasPassed = false
    while (!hasPassed && performance.now() < endMs - 50) {
      hasPassed = (await limits.take('a', rule)).isAllowed
      await sleep(5)
    }
    // If the machine stood still, one of them came at the right time.
    if (hasPassed) return t.ok(performance.now() > beforeMs + retryAfterMs - DRIFT_MS, 'none passes before')
    await sleep(endMs - performance.now() + DRIFT_MS)

    t.strictSame(await limits.take('a', rule), ALLOWED, 'refused uses are not counted')
  })

  for (const rule of [
    { max: 1, windowMs: 200 },
    { max: 5, windowMs: 300 },
  ]) {
    t.test(`${name}: in no window of ${rule.windowMs} ms pass more than ${rule.max}`, async t => {
      const limits = await make(t)

      const passed = await hammer(limits, rule, 3 * rule.max)
      const spans = passed.slice(rule.max).map(({ beforeMs }, index) => beforeMs - passed[index]!.afterMs)

      t.equal(spans.length, 2 * rule.max)
      t.strictSame(
        spans.filter(spanMs => spanMs < rule.windowMs - DRIFT_MS),
        [],
      )
    })
  }

  t.test(`${name}: looking counts nothing, and sees what the next would hear`, async t => {
    const limits = await make(t)
    const rule = { max: 2, windowMs: MINUTE }

    for (let look = 0; look < 5; look++) t.strictSame(await limits.peek('a', rule), ALLOWED)
    await limits.take('a', rule)
    t.strictSame(await limits.peek('a', rule), ALLOWED)
    await limits.take('a', rule)

    const { isAllowed, retryAfterMs } = await limits.peek('a', rule)
    t.equal(isAllowed, false)
    t.ok(retryAfterMs > 0 && retryAfterMs <= MINUTE, `${retryAfterMs} ms`)
    t.strictSame(await limits.peek('b', rule), ALLOWED)
  })

  t.test(`${name}: who looks sees that the time has passed`, async t => {
    const limits = await make(t)
    const rule = { max: 1, windowMs: 100 }
    await takeAll(limits, rule)

    await eventually(async () => (await limits.peek('a', rule)).isAllowed, 'one may pass')

    t.strictSame(await limits.take('a', rule), ALLOWED)
  })
}
