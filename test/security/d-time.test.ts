// Section D of the catalogue: tools that take too long, do not stop, or say too much on the way.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { defineTool, type ToolContext } from '../../src/index.ts'
import { call, callTool, listening, request, stream } from '../helper.ts'
import { attack, callOver, failure, rack, until } from './hostile.ts'

const never = () => new Promise<never>(() => {})

t.test('D3: a tool that never ends is a tool error at its deadline, naming the tool and the limit', async t => {
  const aborted: string[] = []
  const tool = defineTool({
    name: 'never',
    timeout: 60,
    handler(_args, { signal }) {
      signal.addEventListener('abort', () => aborted.push(signal.reason.name))
      return never()
    },
  })
  const app = await rack(t, [tool])
  const startedMs = performance.now()

  const text = failure(await attack(app, 'never'))

  t.equal(text, 'never timed out after 60 ms')
  t.ok(performance.now() - startedMs < 500)
  t.strictSame(aborted, ['TimeoutError'])
  t.match(
    app.logs.lines.find(({ msg }) => msg === 'tool failed'),
    { tool: 'never', kind: 'timed_out' },
  )
})

t.test('D3: the default deadline is that of the settings', async t => {
  const app = await rack(t, [defineTool({ name: 'never', handler: never })], { toolTimeoutMs: 40 })

  t.equal(failure(await attack(app, 'never')), 'never timed out after 40 ms')
})

t.test('D3: progress does not extend the deadline', async t => {
  const tool = defineTool({
    name: 'busy',
    timeout: 60,
    async handler(_args, { progress, signal }) {
      for (let step = 1; !signal.aborted; step++) {
        progress(step)
        await sleep(5)
      }
      return never()
    },
  })
  const app = await rack(t, [tool])

  t.match(failure(await attack(app, 'busy', {}, { meta: { progressToken: 1 } })), 'timed out after 60 ms')
})

t.test('D3: the slot is free after the deadline', async t => {
  const tool = defineTool({
    name: 'polite',
    timeout: 30,
    handler: (_args, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject('stopped'))),
  })
  const app = await rack(t, [tool], { maxConcurrentCalls: 1, maxQueuedCalls: 10 })

  for (let count = 0; count < 3; count++) t.match(failure(await attack(app, 'polite')), 'timed out')
})

t.test('D4: a late result is dropped, and what is logged then stays in the log', async t => {
  const late = Promise.withResolvers<string>()
  const tool = defineTool({
    name: 'stubborn',
    timeout: 30,
    async handler(_args, { log, progress }) {
      progress(1)
      const text = await late.promise
      progress(2)
      log.info('rolled back')
      return text
    },
  })
  const app = await rack(t, [tool])

  const reply = await attack(
    app,
    'stubborn',
    {},
    { meta: { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' } },
  )
  late.resolve('too late')
  await until(() => app.logs.text.includes('rolled back'), 'it was logged')

  t.match(failure(reply), 'timed out')
  t.strictSame(
    reply.notifications.map(({ params }) => params.progress),
    [1],
  )
})

t.test('D4: a late failure is dropped, and is no unhandled rejection', async t => {
  const tool = defineTool({
    name: 'stubborn',
    timeout: 20,
    async handler() {
      await sleep(40)
      throw new Error('too late')
    },
  })
  const app = await rack(t, [tool])

  t.match(failure(await attack(app, 'stubborn')), 'timed out')
  await sleep(60)

  t.notMatch(app.logs.text, 'left an error behind')
})

t.test('D4: a tool whose calls do not stop is closed until some of them end; others are not', async t => {
  const late = Promise.withResolvers<void>()
  const tool = defineTool({ name: 'stubborn', timeout: 20, handler: () => late.promise })
  const app = await rack(t, [tool])
  await Promise.all(Array.from({ length: 16 }, () => attack(app, 'stubborn')))

  const closed = failure(await attack(app, 'stubborn'))
  late.resolve()
  await sleep(5)
  const open = await callTool(app, 'stubborn')

  t.equal(closed, 'stubborn is not available: 16 earlier calls did not stop when asked; retry later')
  t.notOk(open.isError)
})

t.test('D4: the calls that do not stop count against the tool’s own concurrency, also for those that wait', async t => {
  let running = 0
  let most = 0
  const late = Promise.withResolvers<void>()
  const tool = defineTool({
    name: 'single',
    concurrency: 1,
    timeout: 30,
    async handler() {
      most = Math.max(most, ++running)
      await late.promise
      running--
    },
  })
  const app = await rack(t, [tool])

  const texts = (await Promise.all([attack(app, 'single'), attack(app, 'single')])).map(failure).sort()
  late.resolve()

  t.match(texts, [/did not stop when asked/, /timed out/])
  t.equal(most, 1)
})

t.test('D5: a client that leaves aborts the call within 100 ms, and nothing is written after it', async t => {
  const started = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<number>()
  let context: ToolContext | undefined
  const tool = defineTool({
    name: 'slow',
    handler(_args, ctx) {
      context = ctx
      ctx.signal.addEventListener('abort', () => aborted.resolve(performance.now()))
      started.resolve()
      return never()
    },
  })
  const { app, url } = await listening(t, { tools: [tool] })
  const { message, headers } = request('tools/call', { name: 'slow', arguments: {} })
  const { host: _, ...rest } = headers
  const leaving = new AbortController()
  const sent = fetch(url, { method: 'POST', headers: rest, body: JSON.stringify(message), signal: leaving.signal })
  await started.promise

  const leftMs = performance.now()
  leaving.abort()
  await t.rejects(sent)

  t.ok((await aborted.promise) - leftMs < 100)
  t.equal(context?.signal.reason.name, 'AbortError')
  context?.progress(1)
  context?.log.error('still here')
  await until(() => app.logs.lines.some(({ msg, outcome }) => msg === 'served' && outcome === 'cancelled'), 'it ended')
})

t.test('D5: a client that closes its stream aborts the call', async t => {
  const aborted = Promise.withResolvers<void>()
  const tool = defineTool({
    name: 'slow',
    async handler(_args, { signal, progress }) {
      progress(1)
      signal.addEventListener('abort', () => aborted.resolve())
      return never()
    },
  })
  const { url } = await listening(t, { tools: [tool] })
  const call = await stream(t, url, 'tools/call', { name: 'slow', arguments: {} }, { meta: { progressToken: 1 } })
  await call.next(0)

  call.close()

  await aborted.promise
  t.equal(call.messages.length, 1)
})

t.test('D5: a call whose client left while it waited for its turn is not run', async t => {
  const first = Promise.withResolvers<void>()
  let runs = 0
  const tool = defineTool({
    name: 'single',
    concurrency: 1,
    handler() {
      runs++
      return first.promise
    },
  })
  const { app, url } = await listening(t, { tools: [tool] })
  const { message, headers } = request('tools/call', { name: 'single', arguments: {} })
  const { host: _, ...rest } = headers
  const send = (signal?: AbortSignal) =>
    fetch(url, { method: 'POST', headers: rest, body: JSON.stringify(message), ...(signal && { signal }) })
  const leaving = new AbortController()
  const running = send()
  await until(() => runs === 1, 'the first ran')
  const waiting = send(leaving.signal)
  await sleep(30)

  leaving.abort()
  await t.rejects(waiting)
  await until(() => app.logs.lines.some(({ outcome }) => outcome === 'cancelled'), 'the second was cancelled')
  first.resolve()

  t.equal((await running).status, 200)
  t.equal(runs, 1)
})

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

t.test('D17: a server that closes lets the call under way finish', async t => {
  const started = Promise.withResolvers<void>()
  const tool = defineTool({
    name: 'slow',
    async handler() {
      started.resolve()
      await sleep(150)
      return 'finished'
    },
  })
  const app = await rack(t, [tool])
  const underWay = callTool(app, 'slow')
  await started.promise

  await app.close()

  t.equal((await underWay).content[0].text, 'finished')
})

t.test('D17: a call that takes longer than the drain is told to stop, and says that it may be repeated', async t => {
  const started = Promise.withResolvers<void>()
  const reasons: string[] = []
  const tool = defineTool({
    name: 'slow',
    handler(_args, { signal }) {
      signal.addEventListener('abort', () => reasons.push(signal.reason.message))
      started.resolve()
      return never()
    },
  })
  const app = await rack(t, [tool], { drainMs: 50 })
  const underWay = call(app, 'tools/call', { name: 'slow', arguments: {} })
  await started.promise

  await app.close()

  t.equal(failure(await underWay), 'slow was cancelled: the server is shutting down; retry')
  t.strictSame(reasons, ['The server is shutting down'])
})

t.test('D17: what waits for its turn is told to stop as well', async t => {
  const started = Promise.withResolvers<void>()
  const tool = defineTool({
    name: 'single',
    concurrency: 1,
    handler() {
      started.resolve()
      return never()
    },
  })
  const app = await rack(t, [tool], { drainMs: 50 })
  const calls = [1, 2, 3].map(() => call(app, 'tools/call', { name: 'single', arguments: {} }))
  await started.promise

  await app.close()

  for (const reply of await Promise.all(calls)) t.match(failure(reply), 'cancelled')
})
