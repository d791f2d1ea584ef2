// Whose turn it is to be asked about.
import { mock } from 'node:test'
import t from 'tap'
import { MAX_QUESTIONS, QuestionSlots } from '../src/question-slots.ts'
import { MAX_TURN_WAIT_MS } from '../src/turns.ts'

function fullSlots() {
  const slots = new QuestionSlots()
  for (let taken = 0; taken < MAX_QUESTIONS; taken++) if (slots.take('flood', false) !== true) t.fail('was free')
  const order: string[] = []
  const take = (address: string) =>
    Promise.resolve(slots.take(address, false)).then(isAllowed => void order.push(`${address} ${isAllowed}`))
  return { slots, order, take }
}

t.test('a flood from one address leaves every other turn to others', async t => {
  const { slots, order, take } = fullSlots()
  for (let at = 0; at < 100; at++) void take('flood')
  void take('ann')
  void take('bob')

  for (let at = 0; at < 4; at++) slots.release()
  await null

  t.strictSame(order, ['flood true', 'ann true', 'bob true', 'flood true'])
})

t.test('a known token waits for no flood, and takes no slot of a new one', async t => {
  const { slots, order, take } = fullSlots()
  for (let known = 0; known < MAX_QUESTIONS; known++) t.equal(slots.take('ann', true), true)
  void take('bob')
  for (let known = 0; known < MAX_QUESTIONS; known++) slots.release()
  await null
  t.strictSame(order, [])

  slots.release()
  await null
  t.strictSame(order, ['bob true'])
})

t.test('who waits for too long gets no turn', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const clock = { nowMs: 0 }
  t.intercept(performance, 'now', { value: () => clock.nowMs })
  const { slots, order, take } = fullSlots()
  void take('ann')

  clock.nowMs = MAX_TURN_WAIT_MS + 1
  mock.timers.tick(MAX_TURN_WAIT_MS + 1)
  await new Promise<void>(resolve => process.nextTick(resolve))
  await null

  t.strictSame(order, ['ann false'])
  slots.release()
  t.equal(slots.take('bob', false), true, 'its slot is free')
})
