// Rules of every TaskQueue: each task runs once, no client runs more than its share, and no client
// waits for all tasks of another.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Suite } from './check.ts'
import { addAll, held, type MakeQueue, turn, turns } from './held-queue.ts'
import { turnsSuite } from './task-queue-turns.ts'
import { eventually, settled } from './wait.ts'

export type { MakeQueue } from './held-queue.ts'

export function taskQueueSuite(t: Suite, name: string, make: MakeQueue): void {
  turnsSuite(t, name, make)

  t.test(`${name}: where there is room a task begins at once`, async t => {
    const { queue, begun, runs } = await held(t, make, { max: 2 })

    await addAll(queue, turns(2, 'a'))

    await runs('a1', 'a2')
    // Two tasks that begin together may do so in either order.
    t.strictSame(begun.toSorted(), ['a1', 'a2'])
  })

  t.test(`${name}: so many run at once as may, and each of them once`, async t => {
    const queue = await make(t, { max: 5, maxPerSubject: 3 })
    const seen = { running: 0, most: 0, begun: [] as string[] }
    const full = Promise.withResolvers<void>()
    queue.onTask(async id => {
      seen.begun.push(id)
      seen.most = Math.max(seen.most, ++seen.running)
      if (seen.running === 5) full.resolve()
      await full.promise
      await nextTurn()
      seen.running--
      return true
    })
    const all = Array.from({ length: 8 }, (_, n) => turns(25, `c${n}-`, n % 2 === 0)).flat()

    await Promise.all(all.map(async each => queue.add(each)))
    await eventually(() => seen.begun.length === 200 && seen.running === 0, '200 have run')
    await settled()

    t.strictSame([...seen.begun].sort(), all.map(({ id }) => id).sort())
    t.equal(seen.most, 5)
  })

  t.test(`${name}: a subject has its share, and the rest is for others`, async t => {
    const { queue, running, runs, letGo, letAllGo } = await held(t, make, { max: 4, maxPerSubject: 2 })

    await addAll(queue, turns(6, 'a', true))
    await runs('a1', 'a2')
    await addAll(queue, turns(6, 'b', true))
    await runs('a1', 'a2', 'b1', 'b2')
    letGo('b1')
    await runs('a1', 'a2', 'b2', 'b3')
    await settled()

    t.strictSame([...running.keys()].sort(), ['a1', 'a2', 'b2', 'b3'])
    await letAllGo(12)
  })

  t.test(`${name}: what another leaves free is not for who has all of its share`, async t => {
    const { queue, running, runs, letGo, letAllGo } = await held(t, make, { max: 3, maxPerSubject: 2 })
    await addAll(queue, turns(6, 'a', true))
    await queue.add(turn('b1', 'b', true))
    await runs('a1', 'a2', 'b1')

    letGo('b1')
    await settled()

    t.strictSame([...running.keys()].sort(), ['a1', 'a2'])
    await letAllGo(7)
  })

  t.test(`${name}: a subject has no more than its share, though nobody else is there`, async t => {
    const { queue, running, runs, letGo } = await held(t, make, { max: 4, maxPerSubject: 2 })
    await addAll(queue, turns(6, 'a', true))
    await runs('a1', 'a2')

    letGo('a1')
    await runs('a2', 'a3')
    await settled()

    t.strictSame([...running.keys()].sort(), ['a2', 'a3'])
  })

  t.test(`${name}: who is not verified has no share, and may have all of it`, async t => {
    const { queue, running, runs } = await held(t, make, { max: 4, maxPerSubject: 2 })

    await addAll(queue, turns(6, 'a'))
    await runs('a1', 'a2', 'a3', 'a4')
    await settled()

    t.equal(running.size, 4)
  })

  for (const hasShare of [true, false]) {
    const who = hasShare ? 'a subject' : 'one who is not verified'
    t.test(`${name}: the one task of somebody does not wait for the hundred of ${who}`, async t => {
      const { queue, begun, letAllGo } = await held(t, make, { max: 2, maxPerSubject: 2 })
      await addAll(queue, turns(100, 'a', hasShare))
      await addAll(queue, [turn('b1', 'b', hasShare), turn('c1', 'c', hasShare)])

      await letAllGo(102)

      t.ok(begun.indexOf('b1') < 10, `as number ${begun.indexOf('b1')}`)
      t.ok(begun.indexOf('c1') < 10, `as number ${begun.indexOf('c1')}`)
      t.equal(new Set(begun).size, 102)
    })
  }

  for (const hasShare of [true, false]) {
    const who = hasShare ? 'a subject that has more than runs' : 'one who is not verified'
    t.test(`${name}: the one task of somebody waits for two of ${who} at most`, async t => {
      const { queue, begun, running, letGo, letAllGo } = await held(t, make, { max: 3, maxPerSubject: 30 })
      await addAll(queue, turns(30, 'a', hasShare))
      await eventually(() => running.size === 3, 'all places are taken')
      await settled()
      await queue.add(turn('b1', 'b', hasShare))

      let ends = 0
      for (; !begun.includes('b1'); ends++) {
        const count = begun.length
        letGo([...running.keys()][0]!)
        await eventually(() => begun.length > count, `the next begins; begun: ${begun}`)
      }

      t.ok(ends <= 2, `it waited for ${ends}`)
      await letAllGo(31)
    })
  }

  t.test(`${name}: the ten tasks of somebody take turns with one who always has two more waiting`, async t => {
    const { queue, begun, running, letGo } = await held(t, make, { max: 2 })
    let added = 0
    const addOne = () => queue.add(turn(`a${++added}`, 'a'))
    const countBegun = (client: string) => begun.filter(id => id.startsWith(client)).length
    for (let count = 0; count < 4; count++) await addOne()
    await eventually(() => running.size === 2, 'all places are taken')
    await addAll(queue, turns(10, 'b'))
    const before = countBegun('a')

    while (countBegun('b') < 10 && countBegun('a') - before <= 20) {
      const count = begun.length
      letGo([...running.keys()][0]!)
      await eventually(() => begun.length > count, `the next begins; begun: ${begun}`)
      while (added - countBegun('a') < 2) await addOne()
    }

    t.equal(countBegun('b'), 10)
    t.ok(countBegun('a') - before <= 12, `as many of the other: ${countBegun('a') - before}`)
  })

  t.test(`${name}: the tasks of one client begin in their order`, async t => {
    const { queue, begun, letAllGo } = await held(t, make, { max: 1 })
    const all = turns(20, 'a')
    await addAll(queue, all)

    await letAllGo(20)

    t.strictSame(
      begun,
      all.map(({ id }) => id),
    )
  })

  t.test(`${name}: a task that takes long holds no others up`, async t => {
    const { queue, begun, running, runs, letGo } = await held(t, make, { max: 2 })
    await addAll(queue, [turn('long'), ...turns(10, 'a')])

    for (let n = 1; n <= 10; n++) {
      await runs(`a${n}`)
      letGo(`a${n}`)
    }

    t.ok(running.has('long'))
    t.equal(begun.length, 11)
  })
}
