import t from 'tap'
import { MemoryLimits } from '../../../src/state/memory-limits.ts'
import { type Granted, LimitBatch, type Wanted } from '../src/limit-batch.ts'

const RULE = { max: 2, windowMs: 60_000 }
const REFUSED = { isAllowed: false, retryAfterMs: 7 }
const ALLOWED = { isAllowed: true, retryAfterMs: 0 }

function batchWith(count: (wanted: readonly Wanted[]) => Granted[], isUp = true) {
  const asked: [key: string, uses: number][][] = []
  const batch = new LimitBatch({
    async count(wanted) {
      asked.push(wanted.map(({ key, uses }) => [key, uses]))
      return count(wanted)
    },
    isUp: () => isUp,
    local: new MemoryLimits(),
  })
  return { batch, asked }
}

t.test('limits on Redis: what is asked for in one turn leaves together, of each key as one count', async t => {
  const { batch, asked } = batchWith(wanted => wanted.map(({ uses }) => [uses, 0]))

  const first = ['a', 'b', 'a', 'a'].map(key => batch.check(key, RULE, true))
  t.strictSame(await Promise.all(first), new Array(4).fill(ALLOWED))
  await batch.check('a', RULE, true)

  t.strictSame(asked, [
    [
      ['a', 3],
      ['b', 1],
    ],
    [['a', 1]],
  ])
})

t.test('limits on Redis: of several uses the first pass, and the others are told how long to wait', async t => {
  const { batch } = batchWith(() => [[2, 7]])

  const decisions = await Promise.all([1, 2, 3].map(() => batch.check('a', RULE, true)))

  t.strictSame(decisions, [ALLOWED, ALLOWED, REFUSED])
})

t.test('limits on Redis: who only looks uses nothing, and hears what the next would', async t => {
  for (const [granted, decision] of [
    [[0, 0], ALLOWED],
    [[0, 7], REFUSED],
  ] as const) {
    const { batch, asked } = batchWith(() => [granted])

    t.strictSame(await Promise.all([batch.check('a', RULE, false), batch.check('a', RULE, false)]), [
      decision,
      decision,
    ])
    t.strictSame(asked, [[['a', 0]]])
  }
})

t.test('limits on Redis: what is wrong with one key is nothing to the others', async t => {
  const { batch } = batchWith(wanted => {
    if (wanted.some(({ key }) => key === 'broken')) throw new Error('WRONGTYPE')
    return wanted.map(() => [0, 7])
  })

  const asked = ['broken', 'whole', 'broken', 'broken'].map(key => batch.check(key, RULE, true))

  const [first, whole, second, third] = await Promise.all(asked)
  t.strictSame([first, second, whole], [ALLOWED, ALLOWED, REFUSED])
  t.equal(third!.isAllowed, false, 'it is counted here')
})

t.test('limits on Redis: where nothing answers nothing is asked again, and each replica counts', async t => {
  const { batch, asked } = batchWith(() => {
    throw new Error('gone')
  }, false)

  const decisions = await Promise.all(['a', 'a', 'a', 'b'].map(key => batch.check(key, RULE, true)))

  t.strictSame(
    decisions.map(({ isAllowed }) => isAllowed),
    [true, true, false, true],
  )
  t.equal(asked.length, 1)
})
