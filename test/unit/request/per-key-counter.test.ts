// One counter for all that a client may hold so much of at once.
import t from 'tap'
import { PerKeyCounter } from '../../../src/request/per-key-counter.ts'

t.test('a key holds as many as it may, whatever others hold', async t => {
  const counter = new PerKeyCounter({ perKey: 2 })
  t.strictSame([counter.take('a'), counter.take('a'), counter.take('a'), counter.take('b')], [true, true, false, true])
  counter.release('a')
  t.ok(counter.take('a'))
})

t.test('all keys together hold as many as they may', async t => {
  const counter = new PerKeyCounter({ perKey: 2, inAll: 3 })
  t.strictSame(
    ['a', 'a', 'b', 'b', 'c'].map(key => counter.take(key)),
    [true, true, true, false, false],
  )
  counter.release('a')
  t.ok(counter.take('c'))
})

t.test('a key that holds nothing is forgotten', async t => {
  const counter = new PerKeyCounter({ perKey: 2 })
  for (let index = 0; index < 1000; index++) {
    counter.take(`key ${index}`)
    counter.release(`key ${index}`)
  }
  t.equal(counter.size, 0)
})
