// Calls whose client leaves, or whose server closes.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { defineTool, type ToolContext } from '../../../src/index.ts'
import { call, callTool, listening, request, stream } from '../../support/app.ts'
import { failure, rack, until } from '../../support/security/hostile.ts'
import { turns } from '../../support/turns.ts'

const never = () => new Promise<never>(() => {})

t.test('D5: a client that leaves aborts the call, and nothing is written after it', async t => {
  const started = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<void>()
  let context: ToolContext | undefined
  const tool = defineTool({
    name: 'slow',
    timeout: 600_000,
    handler(_args, ctx) {
      context = ctx
      ctx.signal.addEventListener('abort', () => aborted.resolve())
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

  leaving.abort()
  await t.rejects(sent)

  // Not by its deadline, which has another name.
  await aborted.promise
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
  let arrived = 0
  app.server.on('request', () => arrived++)
  const running = send()
  await until(() => runs === 1, 'the first ran')
  const waiting = send(leaving.signal)
  await until(() => arrived === 2, 'the second came')
  await turns()

  leaving.abort()
  await t.rejects(waiting)
  await until(() => app.logs.lines.some(({ outcome }) => outcome === 'cancelled'), 'the second was cancelled')
  first.resolve()

  t.equal((await running).status, 200)
  t.equal(runs, 1)
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
  const app = await rack(t, [tool], { drainMs: 60_000 })
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
