// The processor time of a function that is ended.
import t from 'tap'
import { OutOfTime, runWithin } from '../src/processor-limit.ts'

const LIMIT_MS = 100
const cell = new Int32Array(new SharedArrayBuffer(4))

/** Time passes, as on a machine that does something else. */
const stall = (ms: number) => Atomics.wait(cell, 0, 0, ms)

function countProcessorMs(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

t.test('all tries together take the limit, also if the first falls short of it', async t => {
  const endless = () => {
    stall(LIMIT_MS / 10)
    for (;;);
  }

  const usedMs = countProcessorMs(() => t.throws(() => runWithin(LIMIT_MS, endless), OutOfTime))
  t.ok(usedMs < 1.5 * LIMIT_MS, `${usedMs} ms`)
})

t.test('time in which nothing runs does not count', async t => {
  let tries = 0
  const stalled = () => {
    if (++tries <= 3) stall(2 * LIMIT_MS)
    return tries
  }

  t.equal(runWithin(LIMIT_MS, stalled), 4)
})

t.test('what a function throws is thrown', async t => {
  t.throws(
    () =>
      runWithin(LIMIT_MS, () => {
        throw new RangeError('of its own')
      }),
    RangeError,
  )
})
