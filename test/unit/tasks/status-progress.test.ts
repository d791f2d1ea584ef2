import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { StatusProgress } from '../../../src/tasks/status-progress.ts'

function reporter(t: Test) {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const said: string[] = []
  const progress = new StatusProgress(message => said.push(message))
  return { said, progress, pass: (ms: number) => mock.timers.tick(ms) }
}

/** Reported one after another, with time between them. */
function saidOf(t: Test, reports: [progress: unknown, total?: unknown, message?: unknown][]): string[] {
  const { said, progress, pass } = reporter(t)
  for (const report of reports) {
    progress.report(...(report as Parameters<StatusProgress['report']>))
    pass(1000)
  }
  return said
}

t.test('status of progress: how far it is, of how much, and what is done', async t => {
  t.strictSame(saidOf(t, [[1], [2, 10], [3, 10, 'three of them'], [4, undefined, 'four of them'], [4.5, 10, '']]), [
    '1',
    '2 of 10',
    'three of them (3 of 10)',
    'four of them (4)',
    '4.5 of 10',
  ])
})

t.test('status of progress: what does not increase is not said', async t => {
  const values = [0, 1, 1, 0.5, -3, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '9', undefined, 2]

  t.strictSame(
    saidOf(
      t,
      values.map(value => [value]),
    ),
    ['0', '1', '1.5', '2'],
  )
})

t.test('status of progress: what is neither total nor message is left out', async t => {
  t.strictSame(
    saidOf(t, [
      [1, '10', 7],
      [2, Number.NaN, { toString: () => 'x' }],
      [3, null, null],
    ]),
    ['1', '2', '3'],
  )
})

t.test('status of progress: a message is one clean line of at most a thousand characters', async t => {
  const [escaped, lines, long] = saidOf(t, [
    [1, 2, 'a\u001b[31mred\u001b[0m\u202e\u0000b'],
    [2, 2, 'one\ntwo\r\n\tthree'],
    [3, 2, 'x'.repeat(100_000)],
  ])

  t.equal(escaped, 'aredb (1 of 2)')
  t.equal(lines, 'one two three (2 of 2)')
  t.match(long, /^x{999}… \(3 of 2\)$/)
})

t.test('status of progress: the first is said at once, then the newest every half second', async t => {
  const { said, progress, pass } = reporter(t)

  for (let value = 1; value <= 100; value++) progress.report(value)
  t.strictSame(said, ['1'])
  pass(499)
  t.strictSame(said, ['1'])
  pass(1)
  t.strictSame(said, ['1', '100'])
  progress.report(101)
  pass(499)
  t.strictSame(said, ['1', '100'])
  pass(1)

  t.strictSame(said, ['1', '100', '101'])
})

t.test('status of progress: after a pause the next is said at once', async t => {
  const { said, progress, pass } = reporter(t)
  progress.report(1)
  pass(500)

  progress.report(2)

  t.strictSame(said, ['1', '2'])
})

t.test('status of progress: what is closed says nothing more, nor what it held back', async t => {
  const { said, progress, pass } = reporter(t)
  progress.report(1)
  progress.report(2)

  progress.close()
  progress.report(3)
  pass(1000)
  progress.report(4)

  t.strictSame(said, ['1'])
})

t.test('status of progress: what is closed before anything was said says nothing', async t => {
  const { said, progress, pass } = reporter(t)

  progress.close()
  progress.close()
  progress.report(1)
  pass(1000)

  t.strictSame(said, [])
})
