// Time passes only when a test says so, and timers fire in its order.
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { FakeClock } from '../src/fake-clock.ts'

t.test('timers fire at their time, the older of equals first', async t => {
  const clock = new FakeClock()
  const fired: string[] = []
  const fire = (name: string) => () => void fired.push(`${name} at ${clock.now()}`)
  clock.setTimeout(fire('late'), 20)
  clock.setTimeout(fire('early'), 10)
  clock.setTimeout(fire('too'), 10)

  await clock.advance(9)
  t.strictSame(fired, [])
  await clock.advance(11)
  t.strictSame(fired, ['early at 10', 'too at 10', 'late at 20'])
  t.equal(clock.now(), 20)
})

t.test('a timer that another sets within the time fires, and a cleared one does not', async t => {
  const clock = new FakeClock()
  const fired: number[] = []
  clock.setTimeout(() => clock.setTimeout(() => fired.push(clock.now()), 5), 10)
  clock.clearTimeout(clock.setTimeout(() => fired.push(0), 1))
  clock.clearTimeout(undefined)

  await clock.advance(15)
  t.strictSame(fired, [15])
})

t.test('what is under way sets its timers before the time passes', async t => {
  const clock = new FakeClock()
  let firedAt: number | undefined
  void Promise.resolve().then(() => clock.setTimeout(() => (firedAt = clock.now()), 10))

  await clock.advance(10)
  t.equal(firedAt, 10)
})

t.test('time does not run backwards', async t => {
  const clock = new FakeClock()

  await t.rejects(clock.advance(-1), RangeError)
  await t.rejects(clock.advance(Number.NaN), RangeError)
})

t.test('time passes once no deadline is paused', async t => {
  const clock = new FakeClock()
  const [one, two] = [clock.hold(), clock.hold()]
  const advanced = clock.advance(10)
  one()
  await nextTurn()
  t.equal(clock.now(), 0)
  let firedAt: number | undefined
  clock.setTimeout(() => (firedAt = clock.now()), 10)
  two()

  await advanced
  t.equal(firedAt, 10)
})
