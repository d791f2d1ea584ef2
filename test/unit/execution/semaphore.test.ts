import t from 'tap'
import { MAX_PATIENT_SUBJECTS, Semaphore } from '../../../src/execution/semaphore.ts'
import { Cancellation } from '../../../src/request/cancellation.ts'

const take = (slots: Semaphore, cancellation = new Cancellation()) => slots.acquire('alice', cancellation)
const takeAs = (slots: Semaphore, subject: string) => slots.acquire(subject, new Cancellation())

t.test('slots: as many run as there are, the next waits, and the one past the queue is refused', t => {
  const slots = new Semaphore({ max: 2, maxQueued: 1 })

  t.equal(take(slots), true)
  t.equal(take(slots), true)
  t.type(take(slots), Promise)
  t.equal(take(slots), false)
  t.match(slots, { running: 2, queued: 1 })
  t.end()
})

t.test('slots: with no queue, whoever does not run is refused', t => {
  const slots = new Semaphore({ max: 1, maxQueued: 0 })
  take(slots)

  t.equal(take(slots), false)
  t.end()
})

t.test('slots: whoever waited longest is next, and the slot is never free in between', async t => {
  const slots = new Semaphore({ max: 1, maxQueued: 3 })
  const order: number[] = []
  take(slots)
  const waiting = [1, 2, 3].map(async number => {
    await take(slots)
    order.push(number)
    slots.release('alice')
  })

  slots.release('alice')
  t.equal(slots.running, 1)
  await Promise.all(waiting)

  t.strictSame(order, [1, 2, 3])
  t.match(slots, { running: 0, queued: 0 })
})

t.test('slots: who is cancelled while it waits leaves the queue, and is never let in', async t => {
  const slots = new Semaphore({ max: 1, maxQueued: 1 })
  const leaving = new Cancellation()
  take(slots)
  const waiting = take(slots, leaving)

  leaving.cancel('client-left')

  t.equal(await waiting, false)
  t.equal(slots.queued, 0)
  slots.release('alice')
  t.equal(slots.running, 0)
})

t.test('slots: who was cancelled before does not wait', async t => {
  const slots = new Semaphore({ max: 1, maxQueued: 1 })
  const gone = new Cancellation()
  gone.cancel('shutdown')
  take(slots)

  t.equal(await take(slots, gone), false)
  t.equal(slots.queued, 0)
})

t.test('slots: who was let in is not thrown out by a cancellation', async t => {
  const slots = new Semaphore({ max: 1, maxQueued: 1 })
  const leaving = new Cancellation()
  take(slots)
  const waiting = take(slots, leaving)

  slots.release('alice')
  leaving.cancel('client-left')

  t.equal(await waiting, true)
  t.equal(slots.running, 1)
})

async function orderOf(slots: Semaphore, waiting: readonly string[], releases: readonly string[]): Promise<string[]> {
  const order: string[] = []
  const all = waiting.map(async subject => {
    await takeAs(slots, subject)
    order.push(subject)
  })
  for (const subject of releases) {
    slots.release(subject)
    await Promise.resolve()
  }
  await Promise.all(all)
  return order
}

t.test('slots: of those who wait, whoever holds fewest is next', async t => {
  const slots = new Semaphore({ max: 5, maxQueued: 20 })
  for (const subject of ['a', 'a', 'a', 'b', 'b']) takeAs(slots, subject)

  t.strictSame(await orderOf(slots, ['a', 'b', 'c'], ['a', 'b', 'b']), ['c', 'b', 'a'])
})

t.test('slots: of those who hold as many, who was not served for longest is next', async t => {
  const slots = new Semaphore({ max: 1, maxQueued: 20 })
  takeAs(slots, 'a')

  const order = await orderOf(slots, ['a', 'a', 'b', 'b', 'c', 'c'], ['a', 'b', 'a', 'c', 'b', 'a'])

  t.strictSame(order, ['b', 'a', 'c', 'b', 'a', 'c'])
})

t.test('slots: nothing is kept of a subject that neither holds a slot nor waits', async t => {
  const slots = new Semaphore({ max: 2, maxQueued: 5 })
  const leaving = new Cancellation()
  for (const subject of ['a', 'b']) takeAs(slots, subject)
  const waiting = [takeAs(slots, 'c'), slots.acquire('d', leaving), slots.acquirePatiently('e', new Cancellation())]
  leaving.cancel('client-left')

  for (const subject of ['a', 'b', 'c', 'e']) slots.release(subject)

  t.strictSame(await Promise.all(waiting), [true, false, true])
  t.match(slots, { running: 0, queued: 0, subjectCount: 0 })
})

t.test('slots: a slot that is given back before the next is taken is counted for nobody', async t => {
  const slots = new Semaphore({ max: 2, maxQueued: 5 })
  for (let count = 0; count < 3; count++) {
    takeAs(slots, 'a')
    t.equal(slots.subjectCount, 0)
    slots.release('a')
  }

  takeAs(slots, 'a')
  takeAs(slots, 'a')
  t.equal(slots.subjectCount, 1)
  slots.release('a')
  slots.release('a')

  t.match(slots, { running: 0, subjectCount: 0 })
})

t.test('slots: in a full queue the newest of whoever has most makes way, for one who has less by two', async t => {
  const slots = new Semaphore({ max: 1, maxQueued: 2 })
  takeAs(slots, 'a')
  const [, newest] = [takeAs(slots, 'a'), takeAs(slots, 'a')]

  const taken = takeAs(slots, 'b')

  t.type(taken, Promise)
  t.equal(await newest, false)
  t.equal(takeAs(slots, 'a'), false, 'who has more takes nobody’s place')
  const again = takeAs(slots, 'b')
  t.equal(again, false, 'nor does who would have as many')
  t.match(slots, { running: 1, queued: 2 })
})

t.test('slots: those who wait patiently take no place in the queue, and are not put out of it', async t => {
  const slots = new Semaphore({ max: 1, maxQueued: 1 })
  takeAs(slots, 'a')
  const patient = [1, 2, 3].map(() => slots.acquirePatiently('a', new Cancellation()))

  const [his, hers] = [takeAs(slots, 'b'), takeAs(slots, 'c')]

  t.type(his, Promise)
  t.equal(hers, false)
  t.equal(slots.queued, 4)
  slots.release('a')
  t.equal(await his, true)
  for (const subject of ['b', 'a', 'a', 'a']) slots.release(subject)
  t.strictSame(await Promise.all(patient), [true, true, true])
  t.match(slots, { running: 0, queued: 0, subjectCount: 0 })
})

t.test('slots: crowded is who waits patiently beside as many as run, unless it has nothing there', t => {
  const slots = new Semaphore({ max: 2, maxQueued: 5 })
  const wait = (subject: string) => void slots.acquirePatiently(subject, new Cancellation())
  for (const subject of ['a', 'a', 'a', 'b']) {
    t.equal(slots.isCrowded(subject), false)
    wait(subject)
  }

  t.strictSame(
    ['a', 'b', 'c'].map(subject => slots.isCrowded(subject)),
    [true, true, false],
  )
  // They were let in before any of them waited.
  for (let count = 0; count < 50; count++) wait('a')
  t.equal(slots.isCrowded('c'), false)
  for (let index = 0; index < MAX_PATIENT_SUBJECTS; index++) {
    t.equal(slots.isCrowded(`other ${index}`), false)
    wait(`other ${index}`)
  }
  t.equal(slots.isCrowded('c'), true)
  t.end()
})
