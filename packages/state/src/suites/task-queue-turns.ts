// The turns of a task that is removed, comes again, or is not begun any more.
import { setTimeout as sleep } from 'node:timers/promises'
import { REQUEUE_MS } from 'toolrack/state'
import type { Suite } from './check.ts'
import { addAll, held, type MakeQueue, turn, turns } from './held-queue.ts'
import { eventually, settled } from './wait.ts'

export function turnsSuite(t: Suite, name: string, make: MakeQueue): void {
  t.test(`${name}: a task that is taken out before it has begun does not run`, async t => {
    const { queue, begun, runs, letAllGo } = await held(t, make, { max: 1 })
    await addAll(queue, turns(4, 'a'))
    await runs('a1')

    await queue.remove(turn('a2', 'a'))
    await queue.remove(turn('a2', 'a'))
    await queue.remove(turn('unknown', 'nobody'))
    await letAllGo(3)
    await settled()

    t.strictSame(begun, ['a1', 'a3', 'a4'])
  })

  t.test(`${name}: a task that runs is not taken out, nor is its place given away`, async t => {
    const { queue, begun, running, runs, letGo } = await held(t, make, { max: 1 })
    await addAll(queue, turns(2, 'a'))
    await runs('a1')

    await queue.remove(turn('a1', 'a'))
    await settled()
    t.strictSame([...running.keys()], ['a1'])
    letGo('a1')

    await runs('a2')
    t.strictSame(begun, ['a1', 'a2'])
  })

  t.test(`${name}: a task that is added again behind its end runs again`, async t => {
    const { queue, begun, runs, letGo } = await held(t, make, { max: 1 })

    for (let round = 1; round <= 3; round++) {
      await queue.add({ ...turn('again'), run: round })
      await runs('again')
      letGo('again')
      await settled()
      t.equal(begun.length, round)
    }
  })

  t.test(`${name}: a task that is added twice before its end runs once`, async t => {
    const { queue, begun, runs, letAllGo } = await held(t, make, { max: 1 })
    await addAll(queue, turns(3, 'a'))
    await runs('a1')

    await addAll(queue, turns(3, 'a'))
    await letAllGo(3)
    await settled()

    t.strictSame(begun, ['a1', 'a2', 'a3'])
  })

  t.test(`${name}: the next run of a task may be added while the last is still under way`, async t => {
    const { queue, begun, running, letAllGo } = await held(t, make, { max: 1 })
    await queue.add(turn('again'))
    await eventually(() => running.size === 1, 'it runs')
    await queue.add({ ...turn('again'), run: 1 })

    await letAllGo(2)
    await settled()

    t.strictSame(begun, ['again', 'again'])
  })

  t.test(`${name}: a task that has to come again later does, until it is run`, async t => {
    const queue = await make(t, { max: 1 })
    const begun: string[] = []
    queue.onTask(async id => {
      begun.push(id)
      return id !== 'late' || begun.filter(each => each === id).length === 3
    })

    await queue.add(turn('late'))
    await queue.add(turn('other'))
    await eventually(() => begun.length >= 4, `it comes again; begun: ${begun}`)
    await settled()

    t.strictSame([...begun].sort(), ['late', 'late', 'late', 'other'])
  })

  t.test(`${name}: a task that has to come again does not once it is taken out`, async t => {
    const queue = await make(t, { max: 1 })
    const begun: string[] = []
    queue.onTask(async id => {
      begun.push(id)
      return id !== 'late'
    })
    await queue.add(turn('late'))
    await eventually(() => begun.length > 0, 'it runs')
    await settled()
    await queue.remove(turn('late'))
    const count = begun.length

    await sleep(2 * REQUEUE_MS)

    t.equal(begun.length, count)
  })

  t.test(`${name}: a task that was taken out can be added again`, async t => {
    const { queue, begun, letAllGo } = await held(t, make, { max: 1 })
    await addAll(queue, turns(2, 'a'))

    await queue.remove(turn('a2', 'a'))
    await queue.add(turn('a2', 'a'))
    await letAllGo(2)

    t.strictSame(begun, ['a1', 'a2'])
  })

  t.test(`${name}: a queue that is paused begins none any more, and lets those go on that run`, async t => {
    const { queue, begun, running, runs, letGo } = await held(t, make, { max: 2 })
    await addAll(queue, turns(4, 'a'))
    await runs('a1', 'a2')

    await queue.pause()
    t.equal(running.size, 2)
    letGo('a1')
    await settled()
    await queue.add(turn('late', 'b'))
    letGo('a2')
    await settled()

    // Either may come first.
    t.strictSame([...begun].sort(), ['a1', 'a2'])
  })
}
