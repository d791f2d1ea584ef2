import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { FakeClock } from '../../../packages/testing/src/fake-clock.ts'
import { runWithDeadline } from '../../../src/execution/run.ts'
import { Cancellation } from '../../../src/request/cancellation.ts'

function limits(timeoutMs = 1000) {
  const strays: number[] = []
  const cancellation = new Cancellation()
  return { strays, cancellation, name: 'tool', timeoutMs, onAbandoned: (change: number) => void strays.push(change) }
}

t.test('run: what is returned at once is there at once', t => {
  t.equal(
    runWithDeadline(() => 'x', limits()),
    'x',
  )
  t.end()
})

t.test('run: what was cancelled before is not started', t => {
  const given = limits()
  given.cancellation.cancel('client-left')
  let isStarted = false

  t.throws(() => runWithDeadline(() => (isStarted = true), given), { message: 'tool was cancelled: the client left' })

  t.notOk(isStarted)
  t.end()
})

t.test('run: the deadline cancels, and names the limit', async t => {
  const given = limits(10)

  await t.rejects(async () => runWithDeadline(() => new Promise(() => {}), given), {
    message: 'tool timed out after 10 ms',
  })

  t.equal(given.cancellation.reason, 'deadline')
  t.equal(given.cancellation.signal.reason.name, 'TimeoutError')
})

t.test('run: one that was given up is told of, and told of again when it ends after all', async t => {
  const given = limits()
  const late = Promise.withResolvers<void>()
  const running = runWithDeadline(() => late.promise, given)

  given.cancellation.cancel('shutdown')
  await t.rejects(async () => running, { message: 'tool was cancelled: the server is shutting down; retry' })
  t.strictSame(given.strays, [1])
  late.resolve()
  await sleep(1)

  t.strictSame(given.strays, [1, -1])
})

t.test('run: one that calls back several times ends once', async t => {
  const given = limits()
  // biome-ignore lint/suspicious/noThenProperty: that is the case
  const start = () => ({ then: (done: () => void) => setTimeout(() => [1, 2, 3].forEach(done), 5) })
  const running = runWithDeadline(start, given)

  given.cancellation.cancel('client-left')
  await t.rejects(async () => running)
  await sleep(20)

  t.strictSame(given.strays, [1, -1])
})

t.test('run: one that ends in time leaves neither a timer nor a listener', async t => {
  const waiting = new Set<Cancellation>()
  const given = { ...limits(20), cancellation: new Cancellation(waiting) }
  const running = runWithDeadline(() => sleep(1, 'x'), given)
  t.equal(waiting.size, 1)

  t.equal(await running, 'x')
  await sleep(40)

  t.equal(given.cancellation.reason, undefined)
  t.equal(waiting.size, 0)
})

t.test('cancellation: who was cancelled is not kept, though nobody stops listening', t => {
  const waiting = new Set<Cancellation>()
  const cancellation = new Cancellation(waiting)
  const reasons: string[] = []
  cancellation.onCancel(reason => reasons.push(reason))
  t.equal(waiting.size, 1)

  cancellation.cancel('client-left')
  cancellation.cancel('shutdown')
  cancellation.onCancel(reason => reasons.push(`again ${reason}`))

  t.strictSame(reasons, ['client-left', 'again client-left'])
  t.equal(waiting.size, 0)
  t.end()
})

t.test('cancellation: each listener is called, unless it has stopped to listen', t => {
  const waiting = new Set<Cancellation>()
  const cancellation = new Cancellation(waiting)
  const heard: string[] = []
  const [first, second, third] = ['first', 'second', 'third'].map(name => () => void heard.push(name))
  for (const listener of [first!, second!, third!]) cancellation.onCancel(listener)

  cancellation.offCancel(second!)
  cancellation.offCancel(first!)
  t.equal(waiting.size, 1)
  cancellation.onCancel(second!)
  cancellation.offCancel(third!)
  cancellation.cancel('cancelled')

  t.strictSame(heard, ['second'])
  t.equal(waiting.size, 0)
  t.end()
})

t.test('cancellation: a shutdown does not reach what nobody listens to any more', t => {
  const waiting = new Set<Cancellation>()
  const cancellation = new Cancellation(waiting)
  const [one, two] = [() => {}, () => {}]
  cancellation.onCancel(one)
  cancellation.onCancel(two)

  cancellation.offCancel(one)
  cancellation.offCancel(two)

  t.equal(waiting.size, 0)
  t.end()
})

t.test('cancellation: what passes while its deadline is paused does not count', async t => {
  const cancellation = new Cancellation()
  const reasons: string[] = []
  cancellation.onCancel(reason => reasons.push(reason))
  cancellation.setDeadline(20)

  cancellation.pauseDeadline()
  cancellation.pauseDeadline()
  await sleep(60)
  t.strictSame(reasons, [])
  cancellation.resumeDeadline()
  cancellation.resumeDeadline()
  while (reasons.length === 0) await sleep(1)

  t.strictSame(reasons, ['deadline'])
})

t.test('cancellation: a deadline that was cleared, or never set, comes to nothing', async t => {
  const cancellation = new Cancellation()
  cancellation.pauseDeadline()
  cancellation.resumeDeadline()
  cancellation.setDeadline(10)

  cancellation.clearDeadline()
  cancellation.resumeDeadline()
  await sleep(40)

  t.equal(cancellation.reason, undefined)
})

t.test('run: what finishes a result has what its handler has left of the deadline', async t => {
  const clock = new FakeClock()
  const given = {
    ...limits(100),
    cancellation: new Cancellation(undefined, clock),
    finish: () => new Promise(() => {}),
  }
  const handled = Promise.withResolvers<void>()
  const running = t.rejects(async () => runWithDeadline(() => handled.promise, given), {
    message: 'tool timed out after 100 ms',
  })

  await clock.advance(80)
  handled.resolve()
  await clock.advance(19)
  t.equal(given.cancellation.reason, undefined)
  await clock.advance(1)

  await running
})

t.test('run: what is returned at once is finished within the deadline, too', async t => {
  const clock = new FakeClock()
  const given = { ...limits(100), cancellation: new Cancellation(undefined, clock) }

  t.equal(await runWithDeadline(() => 'x', { ...given, finish: async returned => `${returned}y` }), 'xy')
  const running = t.rejects(async () => runWithDeadline(() => 'x', { ...given, finish: () => new Promise(() => {}) }), {
    message: 'tool timed out after 100 ms',
  })
  await clock.advance(100)
  await running
})
