// The deadlines of requests pass by the timers that they were given; a pause does not count.
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { FakeClock } from '../../../packages/testing/src/fake-clock.ts'
import { Inflight } from '../../../src/request/inflight.ts'
import { LATE_TIMERS } from '../../../src/request/timers.ts'

t.test('a deadline passes by its timers, without the time of a pause', async t => {
  const clock = new FakeClock()
  // A clock that knows of the pause would stand still.
  const timers = {
    now: clock.now,
    setTimeout: clock.setTimeout.bind(clock),
    clearTimeout: clock.clearTimeout.bind(clock),
  }
  const cancellation = new Inflight(timers).createCancellation()
  cancellation.setDeadline(100)

  await clock.advance(60)
  cancellation.pauseDeadline()
  await clock.advance(1000)
  cancellation.resumeDeadline()
  await clock.advance(39)
  t.equal(cancellation.reason, undefined)
  await clock.advance(1)
  t.equal(cancellation.reason, 'deadline')
})

t.test('a deadline that is cleared does not pass', async t => {
  const clock = new FakeClock()
  const cancellation = new Inflight(clock).createCancellation()
  cancellation.setDeadline(100)
  cancellation.clearDeadline()

  await clock.advance(100)
  t.equal(cancellation.reason, undefined)
})

t.test('a clock stands still while a deadline is paused, until its request has ended', async t => {
  const clock = new FakeClock()
  const cancellation = new Inflight(clock).createCancellation()
  cancellation.setDeadline(100)
  cancellation.pauseDeadline()
  const advanced = clock.advance(100)

  cancellation.cancel('client-left')
  await advanced

  t.equal(cancellation.reason, 'client-left')
  t.equal(clock.now(), 100)
})

t.test('a late timer that is cleared in its turn of the event loop sets no timer of Node', async t => {
  const callbacks = [() => t.fail('was cleared'), () => {}] as const
  const set = t.capture(globalThis, 'setTimeout', globalThis.setTimeout)
  const cleared = t.capture(globalThis, 'clearTimeout', globalThis.clearTimeout)
  // Other timers of this process may start and end meanwhile.
  const takeOwn = () => set().filter(({ args: [callback] }) => callbacks.includes(callback as () => void))
  const [first, second] = callbacks.map(callback => LATE_TIMERS.setTimeout(callback, 60_000))
  LATE_TIMERS.clearTimeout(first)
  t.strictSame(takeOwn(), [])

  await nextTurn()

  const own = takeOwn().map(result => 'returned' in result && result.returned)
  t.equal(own.length, 1)
  LATE_TIMERS.clearTimeout(second)
  t.equal(cleared().filter(({ args: [timer] }) => timer === own[0]).length, 1)
})

t.test('late timers that nobody clears end, also those that another one sets', async t => {
  const order: string[] = []
  await new Promise<void>(resolve => {
    LATE_TIMERS.setTimeout(() => {
      order.push('first')
      LATE_TIMERS.setTimeout(() => {
        order.push('set by it')
        resolve()
      }, 1)
    }, 1)
  })
  t.strictSame(order, ['first', 'set by it'])
})
