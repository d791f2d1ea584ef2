import t from 'tap'
import { Cancellation } from '../../src/cancellation.ts'
import { Slots } from '../../src/execution/slots.ts'

const take = (slots: Slots, cancellation = new Cancellation()) => slots.take(cancellation)

t.test('slots: as many run as there are, the next waits, and the one past the queue is refused', t => {
  const slots = new Slots({ max: 2, maxQueued: 1 })

  t.equal(take(slots), true)
  t.equal(take(slots), true)
  t.type(take(slots), Promise)
  t.equal(take(slots), false)
  t.match(slots, { running: 2, queued: 1 })
  t.end()
})

t.test('slots: with no queue, whoever does not run is refused', t => {
  const slots = new Slots({ max: 1, maxQueued: 0 })
  take(slots)

  t.equal(take(slots), false)
  t.end()
})

t.test('slots: whoever waited longest is next, and the slot is never free in between', async t => {
  const slots = new Slots({ max: 1, maxQueued: 3 })
  const order: number[] = []
  take(slots)
  const waiting = [1, 2, 3].map(async number => {
    await take(slots)
    order.push(number)
    slots.release()
  })

  slots.release()
  t.equal(slots.running, 1)
  await Promise.all(waiting)

  t.strictSame(order, [1, 2, 3])
  t.match(slots, { running: 0, queued: 0 })
})

t.test('slots: who is cancelled while it waits leaves the queue, and is never let in', async t => {
  const slots = new Slots({ max: 1, maxQueued: 1 })
  const leaving = new Cancellation()
  take(slots)
  const waiting = take(slots, leaving)

  leaving.cancel('client-left')

  t.equal(await waiting, false)
  t.equal(slots.queued, 0)
  slots.release()
  t.equal(slots.running, 0)
})

t.test('slots: who was cancelled before does not wait', async t => {
  const slots = new Slots({ max: 1, maxQueued: 1 })
  const gone = new Cancellation()
  gone.cancel('shutdown')
  take(slots)

  t.equal(await take(slots, gone), false)
  t.equal(slots.queued, 0)
})

t.test('slots: who was let in is not thrown out by a cancellation', async t => {
  const slots = new Slots({ max: 1, maxQueued: 1 })
  const leaving = new Cancellation()
  take(slots)
  const waiting = take(slots, leaving)

  slots.release()
  leaving.cancel('client-left')

  t.equal(await waiting, true)
  t.equal(slots.running, 1)
})
