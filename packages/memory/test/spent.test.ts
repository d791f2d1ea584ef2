import t from 'tap'
import { toSuite } from '../../../test/support/suite.ts'
import { spentSuite } from '../../state/src/suites/spent.ts'
import { MemoryUsedTokens } from '../src/used-tokens.ts'

spentSuite(toSuite(t), 'spent in memory', () => new MemoryUsedTokens())

function clocked() {
  const clock = { nowMs: 0 }
  return { clock, spent: new MemoryUsedTokens(() => clock.nowMs) }
}

t.test(
  'spent in memory: an id is kept for as long as it may be used, and then forgotten with the next that comes',
  async t => {
    const { spent, clock } = clocked()
    spent.consumeOnce('a', 1000)

    clock.nowMs = 999
    spent.consumeOnce('b', 2000)
    t.equal(spent.consumeOnce('a', 1000), false)
    clock.nowMs = 1000
    spent.consumeOnce('c', 2000)

    t.equal(spent.consumeOnce('a', 2000), true)
  },
)

t.test('spent in memory: of more than 100,000 the oldest is forgotten', async t => {
  const { spent } = clocked()
  for (let id = 0; id < 100_000; id++) spent.consumeOnce(String(id), 1000)
  t.equal(spent.consumeOnce('0', 1000), false)

  spent.consumeOnce('one more', 1000)

  t.equal(spent.consumeOnce('1', 1000), false, 'the next is kept')
  t.equal(spent.consumeOnce('0', 1000), true)
})
