// The figures of 15 minutes: what is counted, how exact it is, and what bounds them.
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import type { RequestEnded } from '../../../../src/observability/request-ended.ts'
import type { RequestOutcome } from '../../../../src/request/outcome.ts'
import { CallFigures, MAX_TOOLS } from '../../src/activity/call-figures.ts'
import { BUCKET_MS, BUCKETS, CallSeries } from '../../src/activity/call-series.ts'
import { LatencyBins } from '../../src/activity/latency-bins.ts'

const NOW = Date.parse('2026-07-28T12:00:02.000Z')
const ALL = { now: NOW, buckets: BUCKETS }

function start(t: Test, now = NOW) {
  mock.timers.enable({ apis: ['Date'], now })
  t.teardown(() => mock.timers.reset())
  const figures = new CallFigures()
  const end = (tool: string | undefined, outcome: RequestOutcome = 'ok', durationMs = 10, method = 'tools/call') =>
    figures.add(
      { method, labels: { method, revision: '', tool }, ending: { outcome }, durationMs } as RequestEnded,
      Date.now(),
    )
  return { figures, end }
}

t.test('a percentile is off by 9% at most, from 0.05 ms to 10 min', async t => {
  for (const ms of [0.05, 0.3, 1, 3.7, 18, 121, 7_000, 60_000, 600_000]) {
    const bins = new LatencyBins()
    bins.add(ms)
    const off = Math.abs(bins.percentile(0.5)! / ms - 1)
    t.ok(off <= 0.1, `${ms} ms is ${bins.percentile(0.5)} ms`)
  }
  const bins = new LatencyBins()
  t.equal(bins.percentile(0.5), null)
  for (const ms of [0, Number.MIN_VALUE, 1e12]) bins.add(ms)
  t.ok(bins.percentile(0.01)! <= 0.05)
  t.ok(bins.percentile(1)! > 600_000)
})

t.test('the nearest rank of many is found', async t => {
  const bins = new LatencyBins()
  for (let ms = 1; ms <= 1_000; ms++) bins.add(ms)

  for (const [share, ms] of [
    [0.5, 500],
    [0.95, 950],
  ] as const)
    t.ok(Math.abs(bins.percentile(share)! / ms - 1) <= 0.1)
})

t.test('calls are in the bucket of their end, and gone after 15 minutes', async t => {
  const series = new CallSeries()
  series.add(1_000, 'ok', 5)
  series.add(1_001, 'tool_error', 5)

  t.strictSame(series.read(1_001, 3).calls, [0, 1, 1])
  t.strictSame(series.read(1_001, 3).errors, [0, 0, 1])
  t.match(series.sum(1_000 + BUCKETS, BUCKETS), { calls: 1, errors: 1 })
  t.match(series.sum(1_001 + BUCKETS, BUCKETS), { calls: 0, p50Ms: null })
  series.add(1_000 + BUCKETS, 'ok', 5)
  t.match(series.sum(1_000 + BUCKETS, BUCKETS), { calls: 2, errors: 1 }, 'the ring gives the slot to a new bucket')
})

t.test('what goes on has no latency yet, and what its user ended is no error', async t => {
  const { figures, end } = start(t)
  for (const outcome of ['task', 'input_required', 'streaming', 'cancelled', 'unconfirmed'] as const) end('a', outcome)

  t.match(figures.read(ALL).sum, { calls: 5, errors: 0 })
  end('a', 'timed_out', 60_000)
  t.match(figures.read(ALL).sum, { calls: 6, errors: 1 })
})

t.test('figures are of tools, of one of them, or of all methods; the latency is always that of tools', async t => {
  const { figures, end } = start(t)
  end('a')
  end('b', 'error', 100)
  end(undefined, 'ok', 9_000, 'tools/list')
  const { sum } = figures.read({ ...ALL, hasAllMethods: true })

  t.equal(sum.calls, 3)
  t.ok(sum.p95Ms! < 120)
  t.equal(figures.read(ALL).sum.calls, 2)
  t.match(figures.read({ ...ALL, tool: 'b' }).sum, { calls: 1, errors: 1 })
  t.match(figures.read(ALL).tools, [{ name: 'a' }, { name: 'b', errors: 1 }])
})

t.test(`of more than ${MAX_TOOLS} tools, that of the oldest call has no figures of its own`, async t => {
  const { figures, end } = start(t)
  for (let count = 0; count <= MAX_TOOLS; count++) {
    end(`tool_${count}`)
    mock.timers.tick(BUCKET_MS)
  }
  const { tools, sum } = figures.read({ ...ALL, now: Date.now() })

  t.equal(tools.length, MAX_TOOLS)
  t.equal(sum.calls, MAX_TOOLS + 1)
  t.notOk(tools.some(({ name }) => name === 'tool_0'))
})

t.test('the load is that of its bucket, and unknown where nobody looked', async t => {
  const { figures } = start(t)
  figures.sample(NOW - BUCKET_MS, { running: 2, waiting: 1, memoryBytes: 7 })
  figures.sample(NOW - BUCKETS * BUCKET_MS, { running: 9, waiting: 9, memoryBytes: 9 })

  t.strictSame(figures.readLoad({ now: NOW, buckets: 3 }).running, [null, 2, null])
  t.equal(figures.readLoad(ALL).running.filter(each => each !== null).length, 1)
})
