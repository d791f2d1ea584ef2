// Tools that take too long, or do not stop.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { callTool } from '../../support/app.ts'
import { attack, failure, rack, until } from '../../support/security/hostile.ts'

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
  // Far from the 30 s that a tool has which sets no deadline.
  t.ok(performance.now() - startedMs < 25_000)
  t.strictSame(aborted, ['TimeoutError'])
  t.match(
    app.logs.lines.find(({ msg }) => msg === 'tool failed'),
    { tool: 'never', kind: 'timed_out' },
  )
})

t.test('D3: the default deadline is that of the settings', async t => {
  const app = await rack(t, [defineTool({ name: 'never', handler: never })], { limits: { toolTimeout: 40 } })

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
  const app = await rack(t, [tool], { limits: { maxConcurrentCalls: 1, maxQueuedCalls: 10 } })

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

  t.notMatch(app.logs.text, 'unhandled error of')
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
