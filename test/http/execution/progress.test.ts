import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { Progress } from '../../../src/execution/progress.ts'
import { defineTool } from '../../../src/index.ts'
import { build, call } from '../../support/app.ts'
import { FakeSink } from '../../support/fakes.ts'

function reporter() {
  const clock = { nowMs: 0 }
  const sink = new FakeSink()
  const values = () => sink.messages.map(({ params }) => params.progress)
  return { clock, sink, values, progress: new Progress(sink, 'token', { now: () => clock.nowMs }) }
}

t.test('progress: what does not increase is dropped', t => {
  const { progress, values } = reporter()

  for (const value of [0, 1, 1, 0.5, -3, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2]) progress.report(value)

  t.strictSame(values(), [0, 1, 1.5, 2])
  t.end()
})

t.test('progress: total and message are there where they were given', t => {
  const { progress, sink } = reporter()

  progress.report(1, 10, 'one of ten')
  progress.report(2)

  t.strictSame(
    sink.messages.map(({ params }) => params),
    [
      { progressToken: 'token', progress: 1, total: 10, message: 'one of ten' },
      { progressToken: 'token', progress: 2 },
    ],
  )
  t.end()
})

t.test('progress: a long message is cut at 1,000 characters', t => {
  const { progress, sink } = reporter()

  progress.report(1, 2, 'x'.repeat(5000))

  t.equal(sink.messages[0].params.message.length, 1000)
  t.end()
})

t.test('progress: after a burst of 100, 50 a second pass; of the rest the newest comes last', t => {
  const { progress, clock, values } = reporter()

  for (let step = 1; step <= 500; step++) progress.report(step)
  t.equal(values().length, 100)
  clock.nowMs += 1000
  for (let step = 501; step <= 1000; step++) progress.report(step)
  t.equal(values().length, 150)
  progress.close()

  t.equal(values().at(-1), 1000)
  t.equal(values().length, 151)
  t.end()
})

t.test('progress: the newest of the rest does not wait for another report', async t => {
  const { progress, clock, values } = reporter()
  for (let step = 1; step <= 500; step++) progress.report(step)
  clock.nowMs += 1000

  while (values().length === 100) await nextTurn()

  t.strictSame(values().slice(100), [500])
})

t.test('progress: while the reader lags no burst goes out', t => {
  const { progress, sink } = reporter()
  sink.room = 3

  for (let step = 1; step <= 50; step++) progress.report(step)

  t.equal(sink.messages.length, 3)
  t.end()
})

t.test('progress: nothing goes out after the end', t => {
  const { progress, values } = reporter()
  progress.report(1)

  progress.close()
  progress.report(2)
  progress.close()

  t.strictSame(values(), [1])
  t.end()
})

const steps = defineTool({
  name: 'steps',
  handler(_args, ctx) {
    const { progress } = ctx
    progress(1, 3)
    ctx.progress(2, 3)
    progress(2, 3)
    ctx.progress(3, 3, 'all')
    return 'done'
  },
})

for (const progressToken of ['token', '', 0, -7, 123456]) {
  t.test(`progress: a client with the token ${JSON.stringify(progressToken)} gets a stream with it`, async t => {
    const app = await build(t, { tools: [steps] })

    const { headers, notifications, result } = await call(
      app,
      'tools/call',
      { name: 'steps' },
      { meta: { progressToken } },
    )

    t.match(headers['content-type'], /^text\/event-stream/)
    t.strictSame(
      notifications.map(({ params }) => [params.progressToken, params.progress]),
      [1, 2, 3].map(value => [progressToken, value]),
    )
    t.equal(result.content[0].text, 'done')
  })
}

t.test('progress: without a token the answer is plain JSON', async t => {
  const app = await build(t, { tools: [steps] })

  const { headers, notifications, result } = await call(app, 'tools/call', { name: 'steps' })

  t.match(headers['content-type'], /^application\/json/)
  t.strictSame(notifications, [])
  t.equal(result.content[0].text, 'done')
})

t.test('progress: a client that takes JSON only gets JSON', async t => {
  const app = await build(t, { tools: [steps] })
  const options = { meta: { progressToken: 1 }, headers: { accept: 'application/json' } }

  const { headers, notifications } = await call(app, 'tools/call', { name: 'steps' }, options)

  t.match(headers['content-type'], /^application\/json/)
  t.strictSame(notifications, [])
})

t.test('progress: a token by itself opens no stream', async t => {
  const app = await build(t, { tools: [defineTool({ name: 'quiet', handler: () => 'x' })] })

  const { headers } = await call(app, 'tools/call', { name: 'quiet' }, { meta: { progressToken: 1 } })

  t.match(headers['content-type'], /^application\/json/)
})

t.test('progress: a failure after it is told on the stream', async t => {
  const tool = defineTool({
    name: 'failing',
    handler(_args, { progress }) {
      progress(1)
      throw new Error('half way')
    },
  })
  const app = await build(t, { tools: [tool] })

  const { status, notifications, result } = await call(
    app,
    'tools/call',
    { name: 'failing' },
    { meta: { progressToken: 1 } },
  )

  t.equal(status, 200)
  t.equal(notifications.length, 1)
  t.match(result, { isError: true, content: [{ text: 'half way' }] })
})
