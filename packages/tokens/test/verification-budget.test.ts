// How many new tokens are verified, and whose turn it is.
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { MAX_TURN_WAIT_MS, MAX_WAITING } from '../src/turns.ts'
import { MAX_SAVED_UNITS, UNITS_PER_S, VerificationBudget } from '../src/verification-budget.ts'

/** A budget whose time the test lets pass; all that was saved up is spent. */
function spentBudget(t: Test) {
  mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] })
  t.teardown(() => mock.timers.reset())
  const clock = { nowMs: 5000, idleMs: 0 }
  const budget = new VerificationBudget({ now: () => clock.nowMs, idleMs: () => clock.idleMs })
  for (let taken = 0; taken < MAX_SAVED_UNITS; taken++) if (budget.take('before', 1) !== true) t.fail('saved up')
  const order: string[] = []
  const refused: string[] = []
  const take = (address: string, cost = 1, isGone = () => false) =>
    Promise.resolve(budget.take(address, cost, isGone)).then(isAllowed => {
      void (isAllowed ? order : refused).push(address)
    })
  const pass = async (ms: number, { idle = 0 } = {}) => {
    for (let passed = 0; passed < ms; passed += 5) {
      clock.nowMs += 5
      clock.idleMs += 5 * idle
      mock.timers.tick(5)
      await new Promise<void>(resolve => process.nextTick(resolve))
      await null
    }
  }
  return { budget, clock, take, pass, order, refused }
}

const count = (list: readonly string[], address: string) => list.filter(each => each === address).length

t.test('a crowd that comes at once is served at once, as far as has been saved up', async t => {
  const budget = new VerificationBudget({ now: () => 0, idleMs: () => 0 })

  const taken = Array.from({ length: MAX_SAVED_UNITS + 1 }, () => budget.take('a', 1))

  t.ok(
    taken.slice(0, -1).every(each => each === true),
    'without a promise',
  )
  t.type(taken.at(-1), Promise)
  budget.close()
  t.equal(await taken.at(-1), false)
})

t.test('of a flood so many are verified in a second, however many come', async t => {
  const { take, pass, order } = spentBudget(t)

  for (let second = 0; second < 3; second++)
    for (let step = 0; step < 100; step++) {
      for (let sent = 0; sent < 100; sent++) void take('flood')
      await pass(10)
    }

  t.ok(order.length <= 3 * UNITS_PER_S + 100, `${order.length}`)
  t.ok(order.length >= 3 * UNITS_PER_S - 100, `${order.length}`)
})

t.test('a signature that costs more counts for more', async t => {
  const { take, pass, order } = spentBudget(t)

  for (let step = 0; step < 100; step++) {
    for (let sent = 0; sent < 10; sent++) void take('flood', 10)
    await pass(10)
  }

  t.ok(order.length <= UNITS_PER_S / 10 + 20, `${order.length}`)
})

for (const [idle, expected] of [
  [0, 1000],
  [0.2, 1500],
  [0.6, 2500],
] as const) {
  t.test(`a process that is idle for ${idle} of its time verifies ${expected} in half a second`, async t => {
    const { take, pass, order } = spentBudget(t)

    for (let step = 0; step < 50; step++) {
      for (let sent = 0; sent < 200; sent++) void take('flood')
      await pass(10, { idle })
    }

    t.ok(Math.abs(order.length - expected) <= 60, `${order.length}`)
  })
}

t.test('addresses take turns: who sends a few is not behind who sends many', async t => {
  const { take, pass, order } = spentBudget(t)
  for (let sent = 0; sent < 900; sent++) void take('flood')
  for (const address of ['a', 'b', 'a']) void take(address)

  await pass(10)

  t.equal(count(order, 'a'), 2)
  t.equal(count(order, 'b'), 1)
  t.ok(order.indexOf('b') <= 3, 'in the first round')
})

t.test('where all places are taken, who has most gives one up for who has less', async t => {
  const { budget, take, pass, order, refused } = spentBudget(t)
  for (let sent = 0; sent < MAX_WAITING + 50; sent++) void take('flood')
  await null
  t.equal(budget.waiting, MAX_WAITING)

  for (let sent = 0; sent < 100; sent++) void take(`other ${sent}`)
  await pass(MAX_TURN_WAIT_MS)

  t.equal(budget.waiting, 0)
  t.equal(refused.length, 150)
  t.equal(count(refused, 'flood'), 150, 'none of the others')
  t.equal(order.filter(each => each.startsWith('other')).length, 100)
})

t.test('a flood from many addresses pushes nobody out who has as little', async t => {
  const { budget, take, refused } = spentBudget(t)
  for (let sent = 0; sent < MAX_WAITING; sent++) void take(`address ${sent}`)

  void take('one more')
  void take('address 0')
  for (let turns = 0; turns < 5; turns++) await null

  t.strictSame(refused, ['one more', 'address 0'])
  t.equal(budget.waiting, MAX_WAITING)
  budget.close()
})

t.test('nobody waits for longer than a second', async t => {
  const { budget, clock, take, pass, order, refused } = spentBudget(t)
  const startedMs = clock.nowMs
  let endedMs = 0
  const all = Array.from({ length: 500 }, () => take('flood', 10).then(() => (endedMs = clock.nowMs)))
  await pass(MAX_TURN_WAIT_MS + 20)
  await Promise.all(all)

  t.ok(endedMs - startedMs <= MAX_TURN_WAIT_MS + 20, `${endedMs - startedMs} ms`)
  t.ok(order.length >= 190 && order.length + refused.length === 500, `${order.length}`)
  t.equal(budget.waiting, 0)
})

t.test('those that waited while the process stood still have their turn, not the end of their time', async t => {
  const { take, pass, clock, order, refused } = spentBudget(t)
  for (let sent = 0; sent < 500; sent++) void take('a')

  clock.nowMs += 60_000
  await pass(200)

  t.equal(order.length, 500)
  t.equal(refused.length, 0)
})

t.test('whose client has left costs nothing', async t => {
  const { take, pass, order, refused } = spentBudget(t)
  for (let sent = 0; sent < 900; sent++) void take('left', 1, () => true)
  void take('left')

  await pass(10)

  t.equal(refused.length, 900)
  t.equal(order.length, 1)
})
