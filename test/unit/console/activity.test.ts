// What the console keeps of the recent calls, and the numbers that it draws.
import t from 'tap'
import {
  type ActivityCall,
  addActivity,
  filterCalls,
  lastSeq,
  MAX_CALLS,
  MAX_STATS,
  NO_HISTORY,
} from '../../../console/src/activity/history.ts'
import { formatMs, INTERVALS, percentile, summarizeTools, toCallSeries } from '../../../console/src/activity/series.ts'

const NOW = Date.parse('2026-07-28T12:00:00.000Z')

const call = (seq: number, over: Partial<ActivityCall> = {}): ActivityCall => ({
  seq,
  at: new Date(NOW).toISOString(),
  method: 'tools/call',
  target: 'get_price',
  outcome: 'ok',
  durationMs: seq,
  ...over,
})

const activity = (calls: ActivityCall[], uptimeS = 10) => ({
  calls,
  scope: 'all' as const,
  stats: { now: new Date(NOW).toISOString(), underWay: 0, queued: 0, memoryBytes: 1, uptimeS },
})

t.test('calls are kept once, and in order', async t => {
  const first = addActivity(NO_HISTORY, activity([call(1), call(2)]))
  const second = addActivity(first, activity([call(2), call(3)]))

  t.strictSame(
    second.calls.map(({ seq }) => seq),
    [1, 2, 3],
  )
  t.equal(lastSeq(second), 3)
  t.equal(lastSeq(NO_HISTORY), 0)
})

t.test('what is kept is bounded', async t => {
  let history = addActivity(NO_HISTORY, activity(Array.from({ length: MAX_CALLS + 5 }, (_, index) => call(index + 1))))
  for (let count = 0; count < MAX_STATS + 5; count++) history = addActivity(history, activity([]))

  t.equal(history.calls.length, MAX_CALLS)
  t.equal(history.calls[0]!.seq, 6)
  t.equal(history.stats.length, MAX_STATS)
})

t.test('a server that started again begins a new history', async t => {
  const before = addActivity(NO_HISTORY, activity([call(900)], 500))
  const after = addActivity(before, activity([call(1)], 2))

  t.strictSame(
    after.calls.map(({ seq }) => seq),
    [1],
  )
  t.equal(after.stats.length, 1)
})

t.test('calls are found by any of their facts, the newest first', async t => {
  const calls = [call(1), call(2, { outcome: 'denied', caller: 'Alice', tenant: 'Acme' }), call(3, { outcome: 'task' })]
  const found = (text: string, outcome: 'all' | 'ok' | 'errors') =>
    filterCalls(calls, text, outcome).map(({ seq }) => seq)

  t.strictSame(found('', 'all'), [3, 2, 1])
  for (const text of ['alice', 'acme']) t.strictSame(found(text, 'all'), [2])
  t.strictSame(found('PRICE', 'ok'), [3, 1])
  t.strictSame(found('', 'errors'), [2])
  t.strictSame(found('nothing', 'all'), [])
})

t.test('calls are counted by interval, up to now', async t => {
  const at = (secondsAgo: number) => new Date(NOW - secondsAgo * 1000).toISOString()
  const calls = [call(1, { at: at(1_000) }), call(2, { at: at(6) }), call(3), call(4, { outcome: 'error' })]
  const series = toCallSeries(calls, NOW)

  t.equal(series.times.length, INTERVALS)
  t.equal(series.times.at(-1), NOW / 1000)
  t.strictSame(series.calls.slice(-3), [1, 0, 2])
  t.strictSame(series.errors.slice(-3), [0, 0, 1])
  t.strictSame(series.p50.slice(-3), [2, null, 3])
  t.strictSame(series.p95.slice(-3), [2, null, 4])
})

t.test('tools have their figures, the busiest first', async t => {
  const calls = [call(1), call(2), call(9, { target: 'slow' }), call(4, { method: 'tools/list', target: undefined })]

  t.strictSame(summarizeTools([...calls, call(5, { target: 'slow', outcome: 'tool_error' }), call(3)]), [
    { name: 'get_price', calls: 3, errors: 0, p50: 2, p95: 3 },
    { name: 'slow', calls: 2, errors: 1, p50: 5, p95: 9 },
  ])
})

t.test('a percentile is a value that occurred', async t => {
  t.equal(percentile([], 0.5), null)
  t.equal(percentile([7], 0.95), 7)
  t.equal(percentile([1, 2, 3, 4], 0.5), 2)
  t.strictSame([formatMs(null), formatMs(1.26), formatMs(42.4), formatMs(1_540)], ['–', '1.3 ms', '42 ms', '1.5 s'])
})
