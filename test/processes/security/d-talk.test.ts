// Tools that report too much while they run, or report too late.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { defineTool, type ToolContext } from '../../../src/index.ts'
import { listening, stream } from '../../support/app.ts'
import { attack, rack, until } from '../../support/security/hostile.ts'
import { callOver } from '../../support/servers/own-process.ts'

t.test('D15: progress after the result goes nowhere', async t => {
  let context: ToolContext | undefined
  const tool = defineTool({
    name: 'early',
    handler(_args, ctx) {
      context = ctx
      ctx.progress(1)
      return 'done'
    },
  })
  const { url } = await listening(t, { tools: [tool] })
  const options = { meta: { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' } }
  const answered = await stream(t, url, 'tools/call', { name: 'early', arguments: {} }, options)

  await answered.next(1)
  context?.progress(2)
  context?.log.info('late')
  await answered.ended

  t.equal(answered.messages.length, 2)
  t.match(answered.messages[1], { result: { content: [{ text: 'done' }] } })
})

t.test('D15: what a tool still says once it was answered with JSON goes nowhere, and harms nothing', async t => {
  const late: unknown[] = []
  const tool = defineTool({
    name: 'early',
    handler(_args, { log, progress }) {
      for (const wait of [queueMicrotask, setImmediate, process.nextTick]) {
        wait(() => {
          try {
            log.info('late')
            progress(1)
          } catch (error) {
            late.push(error)
          }
        })
      }
      return 'done'
    },
  })
  const { app, url } = await listening(t, { tools: [tool] })
  const options = { meta: { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' } }

  const { status, headers, body } = await callOver(url, 'early', {}, options)
  await until(() => app.logs.lines.filter(({ entry }) => entry === 'late').length === 3, 'all was logged')

  t.equal(status, 200)
  t.match(headers.get('content-type'), 'application/json')
  t.equal(body.result.content[0].text, 'done')
  t.strictSame(late, [])
})

t.test('D15: 10,000 reports at once are coalesced: they increase, and the last is among them', async t => {
  const tool = defineTool({
    name: 'spam',
    async handler(_args, { progress }) {
      for (let step = 1; step <= 10_000; step++) {
        progress(step, 10_000, `step ${step}`)
        if (step % 2500 === 0) await sleep(1)
      }
      for (const odd of [5, 10_000, Number.NaN, Number.POSITIVE_INFINITY, -1]) progress(odd)
      return 'done'
    },
  })
  const app = await rack(t, [tool])

  const { notifications, result } = await attack(app, 'spam', {}, { meta: { progressToken: 7 } })

  const values = notifications.map(({ params }) => params.progress)
  t.equal(result.content[0].text, 'done')
  t.ok(values.length <= 150, `${values.length} sent`)
  t.ok(values.every((value, index) => index === 0 || value > values[index - 1]))
  t.equal(values.at(-1), 10_000)
})

t.test('D15: progress of any kind fails no call', async t => {
  const tool = defineTool({
    name: 'odd',
    handler(_args, ctx) {
      const progress = ctx.progress as (...args: unknown[]) => void
      for (const value of [1n, {}, null, undefined, 'x', Symbol('x')]) progress(value, value, value)
      progress(1, 5n, 5n)
      progress(2, {}, { toJSON: () => 'x' })
      return 'done'
    },
  })
  const app = await rack(t, [tool])

  const { notifications } = await attack(app, 'odd', {}, { meta: { progressToken: 1 } })

  t.strictSame(
    notifications.map(({ params }) => params),
    [
      { progressToken: 1, progress: 1 },
      { progressToken: 1, progress: 2 },
    ],
  )
})

t.test('D15: a burst of log entries costs a client entries, not its answer', async t => {
  const tool = defineTool({
    name: 'chatty',
    handler(_args, { log }) {
      for (let line = 0; line < 2000; line++) log.info(`${line} ${'é'.repeat(10_000)}`)
      return 'done'
    },
  })
  const { url } = await listening(t, { tools: [tool] })
  const options = { meta: { 'io.modelcontextprotocol/logLevel': 'debug' } }

  const answered = await stream(t, url, 'tools/call', { name: 'chatty', arguments: {} }, options)
  await answered.ended

  t.match(answered.messages.at(-1), { result: { content: [{ text: 'done' }] } })
  t.ok(answered.messages.length > 1 && answered.messages.length <= 1001)
})

t.test('D15: no more than 1,000 log entries of one call are sent', async t => {
  const tool = defineTool({
    name: 'chatty',
    async handler(_args, ctx) {
      for (let line = 0; line < 1500; line++) {
        ctx.log.info('x')
        if (line % 100 === 0) await sleep(1)
      }
      return 'done'
    },
  })
  const { url } = await listening(t, { tools: [tool] })
  const options = { meta: { 'io.modelcontextprotocol/logLevel': 'debug' } }

  const answered = await stream(t, url, 'tools/call', { name: 'chatty', arguments: {} }, options)
  await answered.ended

  t.equal(answered.messages.length, 1001)
})

t.test('D15: a result of any allowed size comes whole after a notification', async t => {
  const tool = defineTool({
    name: 'large',
    handler(_args, { progress }) {
      progress(1)
      return 'x'.repeat(3_000_000)
    },
  })
  const { url } = await listening(t, { tools: [tool] })

  const answered = await stream(t, url, 'tools/call', { name: 'large', arguments: {} }, { meta: { progressToken: 1 } })
  await answered.ended

  t.equal(answered.messages[1]?.result.content[0].text.length, 3_000_000)
})
