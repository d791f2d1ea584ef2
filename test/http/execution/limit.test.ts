import t from 'tap'
import { z } from 'zod'
import { type CallOutcome, execute } from '../../../src/execution/execute.ts'
import { defineTool, Type } from '../../../src/index.ts'
import { Cancellation } from '../../../src/request/cancellation.ts'
import { MemoryLimits } from '../../../src/state/memory-limits.ts'
import { build, call } from '../../support/app.ts'
import { fakeExchange, fakeExecutor, fakeTool, gate } from '../../support/fakes.ts'
import { turns } from '../../support/turns.ts'

const textOf = (outcome: CallOutcome) => {
  const [block] = outcome.kind === 'input_required' ? [] : outcome.result.content
  return block?.type === 'text' ? block.text : undefined
}

function limited({ max = 2, timeWindow = '10 s' } = {}) {
  const clock = { nowMs: 1000 }
  const executor = fakeExecutor({ limits: new MemoryLimits(() => clock.nowMs) })
  const tool = fakeTool({ rateLimit: { max, timeWindow } })
  const run = async (clientKey = 'alice', which = tool) => execute(executor, which, fakeExchange({ clientKey }))
  return { clock, run, executor }
}

t.test('rateLimit: a client’s call past the limit is a tool error that says when to retry', async t => {
  const { run, clock } = limited()
  await run()
  clock.nowMs += 2500
  await run()

  const refused = await run()

  t.equal(refused.kind, 'limited')
  t.match(refused, { result: { isError: true } })
  t.equal(textOf(refused), 'tool allows 2 calls in 10 s; retry in 8 s')
})

t.test('rateLimit: after the time that the error names, the call passes', async t => {
  const { run, clock } = limited()
  await run()
  await run()
  const [, seconds] = /retry in (\d+) s/.exec(textOf(await run())!) ?? []

  clock.nowMs += Number(seconds) * 1000

  t.equal((await run()).kind, 'ok')
})

t.test('rateLimit: another client and another tool have limits of their own', async t => {
  const { run } = limited({ max: 1 })
  await run()

  t.equal((await run()).kind, 'limited')
  t.equal((await run('bob')).kind, 'ok')
  t.equal((await run('alice', fakeTool({ name: 'other', rateLimit: { max: 1, timeWindow: 1000 } }))).kind, 'ok')
})

t.test('rateLimit: a refused call costs nothing: neither a slot nor a use', async t => {
  const { run, clock, executor } = limited({ max: 1 })
  await run()

  for (let count = 0; count < 50; count++) await run()
  clock.nowMs += 11_000

  t.equal(executor.slots.running, 0)
  t.equal((await run()).kind, 'ok')
})

const oneText = { inputSchema: Type.Object({ a: Type.String() }) }
const withText = { params: { name: 'tool', arguments: { a: 'x' } } }

t.test('rateLimit: a call with invalid arguments does not count', async t => {
  const executor = fakeExecutor()
  const tool = fakeTool({ ...oneText, rateLimit: { max: 1, timeWindow: '1 minute' } })

  for (let count = 0; count < 3; count++)
    t.equal((await execute(executor, tool, fakeExchange())).kind, 'invalid_arguments')

  t.equal((await execute(executor, tool, fakeExchange(withText))).kind, 'ok')
  t.equal((await execute(executor, tool, fakeExchange())).kind, 'invalid_arguments')
  t.equal((await execute(executor, tool, fakeExchange(withText))).kind, 'limited')
})

t.test('concurrency: a call with invalid arguments is answered at once, also if no slot is free', async t => {
  const { handler, open } = gate()
  const executor = fakeExecutor({ slots: { max: 1, maxQueued: 0 } })
  const tool = fakeTool({ ...oneText, concurrency: 1, handler })
  const running = execute(executor, tool, fakeExchange(withText))

  const refused = execute(executor, tool, fakeExchange())

  t.match(refused, { kind: 'invalid_arguments' }, 'in the same tick')
  t.equal(executor.slots.running, 1)
  open()
  t.match(await running, { kind: 'ok' })
})

t.test('slots: what the library of a schema checks is part of the run: it takes a slot and counts', async t => {
  const executor = fakeExecutor()
  const schema = z.object({ a: z.string() }).refine(async ({ a }) => a === 'y', 'must be y')
  const tool = fakeTool({ inputSchema: schema, rateLimit: { max: 1, timeWindow: '1 minute' } })
  const refused = execute(executor, tool, fakeExchange(withText))

  t.equal(executor.slots.running, 1)
  t.equal((await refused).kind, 'invalid_arguments')
  t.equal((await execute(executor, tool, fakeExchange(withText))).kind, 'limited')
})

t.test('rateLimit: a tool error from a limit is told as a result over HTTP', async t => {
  const app = await build(t, {
    tools: [defineTool({ name: 'a', rateLimit: { max: 1, timeWindow: '1 minute' }, handler: () => 'x' })],
  })
  await call(app, 'tools/call', { name: 'a' })

  const { status, result } = await call(app, 'tools/call', { name: 'a' })

  t.equal(status, 200)
  t.match(result, { isError: true, content: [{ text: /^a allows 1 calls in 60 s; retry in \d+ s$/ }] })
})

const numbered = (n: number, cancellation = new Cancellation()) =>
  fakeExchange({ params: { name: 'tool', arguments: { n } }, cancellation })

t.test(
  'concurrency: so many calls run at once, a hundred wait in order, the rest are told that it is busy',
  async t => {
    const { handler, inputSchema, seen, open } = gate()
    const tool = fakeTool({ handler, inputSchema, concurrency: 3 })
    const executor = fakeExecutor({ slots: { max: 1000 } })
    const calls = Array.from({ length: 105 }, async (_, n) => execute(executor, tool, numbered(n)))
    await new Promise(setImmediate)

    t.equal(seen.most, 3)
    open()
    const outcomes = await Promise.all(calls)

    t.equal(seen.most, 3)
    t.strictSame(
      seen.order,
      Array.from({ length: 103 }, (_, n) => n),
    )
    t.equal(outcomes.filter(({ kind }) => kind === 'ok').length, 103)
    t.strictSame(
      outcomes.slice(103).map(textOf),
      Array(2).fill('tool is busy and its queue is full; retry in a few seconds'),
    )
    t.equal(executor.slots.running, 0)
  },
)

t.test('concurrency: a call that leaves the queue makes room and is not run', async t => {
  const { handler, inputSchema, seen, open } = gate()
  const tool = fakeTool({ handler, inputSchema, concurrency: 1 })
  const executor = fakeExecutor()
  const leaving = new Cancellation()
  const calls = [numbered(1), numbered(2, leaving), numbered(3)].map(async each => execute(executor, tool, each))
  await new Promise(setImmediate)

  leaving.cancel('client-left')
  open()

  t.strictSame(
    (await Promise.all(calls)).map(({ kind }) => kind),
    ['ok', 'cancelled', 'ok'],
  )
  t.strictSame(seen.order, [1, 3])
  t.equal(executor.slots.running, 0)
})

t.test('process slots: past the running and the waiting a call is refused with 503 and 50300', async t => {
  const { handler, open } = gate()
  const tools = [defineTool({ name: 'slow', handler }), defineTool({ name: 'quick', handler: () => 'x' })]
  const app = await build(t, { tools, limits: { maxConcurrentCalls: 1, maxQueuedCalls: 1 } })
  const first = call(app, 'tools/call', { name: 'slow' })
  const second = call(app, 'tools/call', { name: 'quick' })
  await turns()

  const refused = await call(app, 'tools/call', { name: 'quick' }, { id: 'third' })

  t.match(refused, { status: 503, id: 'third', error: { code: 50300 } })
  t.equal(refused.headers['retry-after'], '1')
  t.equal((await call(app, 'server/discover')).status, 200, 'what runs no tool is served')
  open()
  t.equal((await first).status, 200)
  t.equal((await second).result.content[0].text, 'x')
})

t.test('process slots: a tool’s slot is given back where the process has none', async t => {
  const { handler, open } = gate()
  const executor = fakeExecutor({ slots: { max: 1, maxQueued: 0 } })
  const single = fakeTool({ name: 'single', concurrency: 1 })
  const running = execute(executor, fakeTool({ handler }), fakeExchange())

  await t.rejects(async () => execute(executor, single, fakeExchange()), { message: /^Server busy: / })
  open()
  await running

  t.equal((await execute(executor, single, fakeExchange())).kind, 'ok')
})
