// How long an answer may take: progress begins anew, and a question does not count.
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { Deadline } from '../src/client/deadline.ts'

/** A deadline of a second, and a clock that the test moves. */
function create(t: Test) {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const seen = { ended: 0 }
  return { deadline: new Deadline(1000, () => seen.ended++), seen }
}

t.test('it ends after its time, unless something comes', async t => {
  const { deadline, seen } = create(t)
  deadline.start()
  mock.timers.tick(900)
  deadline.start()
  mock.timers.tick(900)
  t.equal(seen.ended, 0)
  mock.timers.tick(100)
  t.equal(seen.ended, 1)
  deadline.start()
  deadline.stop()
  mock.timers.tick(5000)
  t.equal(seen.ended, 1)
})

t.test('it does not run at a question, nor at two', async t => {
  const { deadline, seen } = create(t)
  deadline.start()
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held = [deadline.hold(() => first.promise), deadline.hold(() => second.promise)]
  mock.timers.tick(60_000)
  first.resolve()
  await held[0]
  // Progress beside an open question.
  deadline.start()
  mock.timers.tick(60_000)
  t.equal(seen.ended, 0)
  second.resolve()
  await held[1]
  mock.timers.tick(1000)
  t.equal(seen.ended, 1)
})

t.test('one that did not run does not begin after a question', async t => {
  const { deadline, seen } = create(t)
  await deadline.hold(async () => {})
  mock.timers.tick(5000)
  t.equal(seen.ended, 0)
})
