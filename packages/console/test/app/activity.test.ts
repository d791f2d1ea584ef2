// What the console keeps of the recent calls, and the numbers that it draws.
import t from 'tap'
import { toSearch } from '../../app/src/activity/activity-query.ts'
import { addActivity, type CallFilter, filterCalls, lastSeq, MAX_CALLS } from '../../app/src/activity/history.ts'
import { toBars, toMarks, toSpark, toStep } from '../../app/src/activity/series.ts'
import { formatDuration } from '../../app/src/results/format.ts'
import type { Activity, ActivityCall, Figures } from '../../src/activity/activity.ts'

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

const figures = (over: Partial<Figures> = {}): Figures => ({
  from: new Date(NOW).toISOString(),
  stepS: 5,
  calls: [],
  errors: [],
  p50Ms: [],
  p95Ms: [],
  sum: { calls: 0, errors: 0, p50Ms: null, p95Ms: null },
  tools: [],
  ...over,
})

const activity = (calls: ActivityCall[], uptimeS = 10): Activity => ({
  calls,
  scope: 'all',
  figures: figures(),
  stats: { now: new Date(NOW).toISOString(), underWay: 0, queued: 0, memoryBytes: 1, uptimeS },
})

const seqs = (calls: readonly ActivityCall[]) => calls.map(({ seq }) => seq)

t.test('calls are kept once, and in order', async t => {
  const first = addActivity(undefined, activity([call(1), call(2)]))
  const second = addActivity(first, activity([call(2), call(3)]))

  t.strictSame(seqs(second.calls), [1, 2, 3])
  t.equal(second.heard, 3)
  t.equal(lastSeq(second), 3)
  t.equal(lastSeq(undefined), 0)
})

t.test('what is kept is bounded', async t => {
  const calls = Array.from({ length: MAX_CALLS + 5 }, (_, index) => call(index + 1))
  const history = addActivity(undefined, activity(calls))

  t.equal(history.calls.length, MAX_CALLS)
  t.equal(history.calls[0]!.seq, 6)
})

t.test('a server that started again begins a new history', async t => {
  const before = addActivity(undefined, activity([call(900)], 500))
  const after = addActivity(before, activity([call(1)], 2))

  t.strictSame(seqs(after.calls), [1])
  t.equal(after.heard, 1)
})

t.test('calls are found by any of their facts', async t => {
  const calls = [
    call(1),
    call(2, { outcome: 'denied', caller: 'Alice', tenant: 'Acme' }),
    call(3, { outcome: 'task', target: 'slow' }),
    call(4, { method: 'tools/list', target: undefined }),
    call(5, { at: new Date(NOW - 60_000).toISOString(), outcome: 'cancelled' }),
  ]
  const every: CallFilter = { text: '', outcome: 'all', isToolsOnly: false, tool: undefined, sinceMs: 0 }
  const found = (filter: Partial<CallFilter>) => seqs(filterCalls(calls, { ...every, ...filter }))

  t.strictSame(found({}), [1, 2, 3, 4, 5])
  for (const text of ['alice', 'ACME', ' denied ']) t.strictSame(found({ text }), [2])
  t.strictSame(found({ text: 'nothing' }), [])
  t.strictSame(found({ outcome: 'errors' }), [2], 'what a user has cancelled is no error')
  t.strictSame(found({ outcome: 'answered' }), [1, 3, 4, 5])
  t.strictSame(found({ isToolsOnly: true }), [1, 2, 3, 5])
  t.strictSame(found({ tool: 'slow' }), [3])
  t.strictSame(found({ sinceMs: NOW }), [1, 2, 3, 4])
})

t.test('three buckets are a bar, which stands still while time goes on', async t => {
  const all = figures({
    // Its first bucket is the last one of a bar.
    from: new Date(NOW - 5_000).toISOString(),
    calls: [9, 1, 0, 3, 2],
    errors: [9, 0, 0, 1, 2],
    p50Ms: [9, 10, null, 20, null],
    p95Ms: [9, 30, null, 20, null],
    running: [9, null, 2, 1, null],
  })

  t.equal(toStep(all), 15)
  t.strictSame(toBars(all), {
    times: [NOW / 1000, NOW / 1000 + 15],
    calls: [4, 2],
    errors: [1, 2],
    p50: [17.5, null],
    p95: [30, null],
    running: [2, null],
  })
})

t.test('an axis begins at 0, and its marks are whole numbers', async t => {
  t.strictSame(toMarks(0, 4), [0, 1, 2, 3, 4])
  t.strictSame(toMarks(13, 4), [0, 5, 10, 15])
  t.strictSame(toMarks(15, 4), [0, 5, 10, 15])
  t.strictSame(toMarks(151.5, 4), [0, 50, 100, 150, 200])
  for (let most = 1; most < 5_000; most += 7) {
    const marks = toMarks(most, 4)
    if (marks.length > 5 || marks.at(-1)! < most || !marks.every(Number.isInteger)) t.fail(`marks of ${most}`)
  }
})

t.test('a course without calls is a line at the bottom', async t => {
  t.equal(toSpark([0, null, 0]).line, 'M0 32 L140 32 L280 32')
  t.equal(toSpark([0, 4]).line, 'M0 32 L280 8')
})

t.test('the server is asked for what is shown', async t => {
  t.equal(toSearch({ minutes: 15, isToolsOnly: true, tool: undefined }, 7), 'after=7&minutes=15')
  t.equal(toSearch({ minutes: 5, isToolsOnly: false, tool: 'a&b' }, 0), 'after=0&minutes=5&methods=all&tool=a%26b')
})

t.test('times have their units', async t => {
  t.strictSame([0, 0.32, 1.26, 42.4, 1_540, 65_000].map(formatDuration), [
    '0 ms',
    '0.3 ms',
    '1 ms',
    '42 ms',
    '1.5 s',
    '1 min 5 s',
  ])
})
