import t from 'tap'
import { jitterRetryAfter } from '../../../src/request/answer.ts'

t.test(
  'E6: those who are refused at once are told to come back at different times, around the one that is meant',
  async t => {
    const told = Array.from({ length: 30 }, (_, step) => jitterRetryAfter(30, () => step / 30))

    t.equal(new Set(told).size, 30)
    t.equal(told[0], 15)
    t.ok(told.every(seconds => Number.isInteger(seconds) && seconds >= 15 && seconds <= 45))
    t.equal(
      jitterRetryAfter(1, () => 0),
      1,
    )
  },
)
