// The deadlines of requests pass by the timers that they were given; a pause does not count.
import t from 'tap'
import { Inflight } from '../../../src/request/inflight.ts'
import { FakeClock } from '../../../src/testing/fake-clock.ts'

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
