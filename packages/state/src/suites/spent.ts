// Rules of every UsedTokens: an id is used once, whoever brings it, and however many come at the
// same time.
import type { UsedTokens } from 'toolrack/state'
import type { Ending, Suite } from './check.ts'

/** @returns an empty store */
export type MakeSpent = (t: Ending) => UsedTokens | Promise<UsedTokens>

const later = () => Date.now() + 60_000

export function spentSuite(t: Suite, name: string, make: MakeSpent): void {
  t.test(`${name}: an id is spent once, and never again`, async t => {
    const spent = await make(t)

    t.equal(await spent.consumeOnce('a', later()), true)
    for (let turn = 0; turn < 3; turn++) t.equal(await spent.consumeOnce('a', later()), false)
  })

  t.test(`${name}: an id that is released is spent once more, and no other one with it`, async t => {
    const spent = await make(t)
    for (const id of ['a', 'b']) await spent.consumeOnce(id, later())

    await spent.release('a')
    await spent.release('never spent')

    t.equal(await spent.consumeOnce('b', later()), false)
    t.equal(await spent.consumeOnce('a', later()), true)
    t.equal(await spent.consumeOnce('a', later()), false)
  })

  t.test(`${name}: one id spends no other, whatever it is called`, async t => {
    const spent = await make(t)

    for (const id of ['a', 'A', 'a ', 'a:b', '', '__proto__', 'constructor', '*', 'x'.repeat(10_000)]) {
      t.equal(await spent.consumeOnce(id, later()), true)
      t.equal(await spent.consumeOnce(id, later()), false)
    }
  })

  t.test(`${name}: of a hundred that spend an id at once one does`, async t => {
    const spent = await make(t)

    const first = await Promise.all(Array.from({ length: 100 }, async () => spent.consumeOnce('a', later())))

    t.equal(first.filter(isFirst => isFirst).length, 1)
  })

  t.test(`${name}: many others do not bring back what may still be used`, async t => {
    const spent = await make(t)
    await spent.consumeOnce('a', later())

    await Promise.all(Array.from({ length: 5000 }, async (_, n) => spent.consumeOnce(`other-${n}`, later())))

    t.equal(await spent.consumeOnce('a', later()), false)
  })
}
