// A hook may stop waiting for the handler that it has called: the handler's signal aborts, and it
// counts against its tool until it ends.
import t from 'tap'
import { defineTool, type OnCall, type ToolContext } from '../../../src/index.ts'
import { build, callTool } from '../../support/app.ts'
import { eventually } from '../../support/eventually.ts'
import { tempFolder } from '../../support/tools-folder.ts'

/** Gives up on `next` when the test says so. */
function impatient() {
  const { promise, resolve } = Promise.withResolvers<string>()
  const onCall: OnCall = (_call, next) => Promise.race([next(), promise])
  return { onCall, giveUp: () => resolve('gave up') }
}

/** A tool whose handler goes on until the test lets it end. */
function stubborn(options: { onCall?: OnCall; concurrency?: number } = {}) {
  const late = Promise.withResolvers<string>()
  const contexts: ToolContext[] = []
  const tool = defineTool({
    name: 'stubborn',
    ...options,
    handler: (_args, ctx) => {
      contexts.push(ctx)
      return late.promise
    },
  })
  return { tool, contexts, end: () => late.resolve('ended') }
}

const textOf = ({ content: [block] }: { content: { text: string }[] }) => block?.text

async function started(contexts: readonly unknown[], count = 1) {
  await eventually(() => contexts.length === count, 'the handler runs')
}

t.test('the signal of a handler aborts when its hook has ended without it, and not before', async t => {
  const { onCall, giveUp } = impatient()
  const { tool, contexts } = stubborn()
  const app = await build(t, { onCall, tools: [tool] })
  const called = callTool(app, 'stubborn')
  await started(contexts)
  const { signal } = contexts[0]!
  t.equal(signal.aborted, false)

  giveUp()

  t.equal(textOf(await called), 'gave up')
  t.equal(signal.aborted, true)
  t.match(signal.reason, { name: 'AbortError', message: 'A hook has ended without the handler' })
  t.equal(contexts[0]!.signal.aborted, true)
})

t.test('a signal that is first looked at afterwards is aborted, too', async t => {
  const { onCall, giveUp } = impatient()
  const { tool, contexts } = stubborn()
  const app = await build(t, { onCall, tools: [tool] })
  const called = callTool(app, 'stubborn')
  await started(contexts)
  giveUp()
  await called

  t.equal(contexts[0]!.signal.aborted, true)
})

for (const [what, ofAll] of [
  ['a hook of all tools', true],
  ['a hook of the tool', false],
] as const) {
  t.test(`${what} that gives up does not let a second handler in`, async t => {
    const { onCall, giveUp } = impatient()
    const { tool, contexts, end } = stubborn({ concurrency: 1, ...(!ofAll && { onCall }) })
    const app = await build(t, { tools: [tool], ...(ofAll && { onCall }) })
    const called = callTool(app, 'stubborn')
    await started(contexts)
    giveUp()
    await called

    t.match(textOf(await callTool(app, 'stubborn')), /1 earlier calls did not stop when asked/)
    t.equal(contexts.length, 1)

    end()
    await eventually(
      async () => textOf(await callTool(app, 'stubborn')) !== undefined && contexts.length === 2,
      'it ends',
    )
  })
}

t.test('without a concurrency, 16 of them close the tool', async t => {
  const { tool, contexts, end } = stubborn()
  const app = await build(t, {
    onCall: (_call, next) => Promise.race([next(), Promise.resolve('gave up')]),
    tools: [tool],
  })
  await Promise.all(Array.from({ length: 16 }, () => callTool(app, 'stubborn')))
  t.equal(contexts.length, 16)

  t.match(textOf(await callTool(app, 'stubborn')), /16 earlier calls did not stop when asked/)
  end()
  await eventually(async () => textOf(await callTool(app, 'stubborn')) === 'gave up', 'they end')
})

t.test('an outer hook that gives up aborts it as well, and one that calls again gets a new signal', async t => {
  const outer = impatient()
  const { tool, contexts } = stubborn()
  const inner: OnCall = async (_call, next) => {
    await Promise.race([next(), Promise.resolve()])
    return next()
  }
  const app = await build(t, { onCall: outer.onCall, tools: [{ ...tool, onCall: inner }] })
  const called = callTool(app, 'stubborn')
  await started(contexts, 2)
  t.strictSame(
    contexts.map(({ signal }) => signal.aborted),
    [false, false],
  )

  outer.giveUp()
  await called

  t.strictSame(
    contexts.map(({ signal }) => signal.aborted),
    [true, true],
  )
})

t.test('a hook that throws after it has called aborts it', async t => {
  const { tool, contexts } = stubborn()
  const app = await build(t, {
    onCall: (_call, next) => {
      next().catch(() => {})
      throw new Error('no')
    },
    tools: [tool],
  })

  t.match(await callTool(app, 'stubborn'), { isError: true })

  t.equal(contexts[0]!.signal.aborted, true)
})

t.test('a call past its deadline counts once, whatever its hook and its handler do', async t => {
  const { tool, contexts, end } = stubborn({ concurrency: 2 })
  const app = await build(t, { onCall: async (_call, next) => await next(), tools: [{ ...tool, timeout: 20 }] })

  t.match(textOf(await callTool(app, 'stubborn')), /timed out/)
  t.match(textOf(await callTool(app, 'stubborn')), /timed out/)
  t.match(textOf(await callTool(app, 'stubborn')), /2 earlier calls did not stop/)
  t.equal(contexts.length, 2)
  end()
})

t.test('a hook that waits aborts nothing', async t => {
  const signals: AbortSignal[] = []
  const app = await build(t, {
    onCall: async (_call, next) => await next(),
    tools: [
      {
        name: 'quick',
        handler: async (_args: unknown, { signal }: ToolContext) => {
          signals.push(signal)
          return 'done'
        },
      },
    ],
  })

  t.equal(textOf(await callTool(app, 'quick')), 'done')
  t.equal(signals[0]!.aborted, false)
})

t.test('the work of a foreign promise begins once', async t => {
  let begun = 0
  // biome-ignore lint/suspicious/noThenProperty: what query builders return
  const query = { then: (done: (value: string) => void) => void done(`run ${++begun}`) }
  const app = await build(t, { onCall: () => query, tools: [{ name: 'quick', handler: () => '' }] })

  t.equal(textOf(await callTool(app, 'quick')), 'run 1')
})

t.test('the process of an isolated tool ends, since its handler may not listen', async t => {
  const { path } = tempFolder(t, {
    'loop.ts': `export default { name: 'loop', isolate: true, concurrency: 1, inputSchema: { type: 'object', properties: { ends: { type: 'boolean' } } }, handler: ({ ends }) => { while (!ends); } }`,
  })
  const onCall: OnCall = async ({ arguments: { ends } }, next) => {
    const returned = next()
    // The process has begun with it once its own time counts.
    return ends ? returned : Promise.race([returned, Promise.resolve('gave up')])
  }
  const app = await build(t, { toolsDir: path, watchTools: false, onCall })

  t.equal(textOf(await callTool(app, 'loop')), 'gave up')

  await eventually(async () => {
    const { isError } = await callTool(app, 'loop', { ends: true })
    return !isError
  }, 'its place is free again')
})
