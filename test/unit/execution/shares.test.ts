import t from 'tap'
import { execute } from '../../../src/execution/execute.ts'
import {
  MAX_CALLS_PER_SUBJECT,
  MAX_QUEUED_PER_SUBJECT,
  PerSubjectSemaphore,
} from '../../../src/execution/per-subject-semaphore.ts'
import { Cancellation } from '../../../src/request/cancellation.ts'
import { MemoryLimits } from '../../../src/state/memory-limits.ts'
import { fakeExchange, fakeExecutor, fakeTool, gate } from '../../support/fakes.ts'

const take = (shares: PerSubjectSemaphore, subject: string, cancellation = new Cancellation()) =>
  shares.acquire(subject, cancellation)
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

t.test('shares: a subject takes so many, so many more wait, the next is refused, and others are not touched', t => {
  const shares = new PerSubjectSemaphore()

  t.ok(times(MAX_CALLS_PER_SUBJECT, () => take(shares, 'alice')).every(taken => taken === true))
  t.ok(times(MAX_QUEUED_PER_SUBJECT, () => take(shares, 'alice')).every(taken => taken instanceof Promise))
  t.equal(take(shares, 'alice'), false)
  t.equal(take(shares, 'bob'), true)
  t.end()
})

t.test('shares: nothing is kept of a subject that has no call under way', async t => {
  const shares = new PerSubjectSemaphore()
  const waiting = times(MAX_CALLS_PER_SUBJECT + 1, () => take(shares, 'alice')).at(-1)

  shares.release('alice')
  t.equal(await waiting, true)
  t.equal(shares.size, 1)
  for (let count = 0; count < MAX_CALLS_PER_SUBJECT; count++) shares.release('alice')

  t.equal(shares.size, 0)
})

const verified = (over: Parameters<typeof fakeExchange>[0] = {}) =>
  fakeExchange({ caller: { subject: 'alice', scopes: [] }, clientKey: 'subject alice', ...over })

t.test('shares: however a call ends, its share is given back', async t => {
  const executor = fakeExecutor({ limits: new MemoryLimits(() => 1000), slots: { max: MAX_CALLS_PER_SUBJECT } })
  const tools = [
    fakeTool(),
    fakeTool({ name: 'throws', handler: () => Promise.reject(new Error('no')) }),
    fakeTool({ name: 'rated', rateLimit: { max: 1, timeWindow: 1000 } }),
    fakeTool({ name: 'single', concurrency: 1 }),
    fakeTool({ name: 'strict', inputSchema: { type: 'object', required: ['x'] } }),
  ]

  for (const tool of tools)
    for (const _ of times(MAX_CALLS_PER_SUBJECT + 1, Number)) await execute(executor, tool, verified())

  const kinds = await Promise.all(times(MAX_CALLS_PER_SUBJECT, async () => execute(executor, tools[0]!, verified())))
  t.ok(kinds.every(({ kind }) => kind === 'ok'))
  t.equal(executor.slots.running, 0)
})

t.test('shares: they are given back where the process is full', async t => {
  const { handler, open } = gate()
  const executor = fakeExecutor({ slots: { max: 1, maxQueued: 0 } })
  const running = execute(executor, fakeTool({ handler }), fakeExchange())

  for (const _ of times(MAX_CALLS_PER_SUBJECT + MAX_QUEUED_PER_SUBJECT + 1, Number))
    await t.rejects(async () => execute(executor, fakeTool(), verified()), { message: /^Server busy: / })
  open()
  await running

  t.match(await execute(executor, fakeTool(), verified()), { kind: 'ok' })
})

t.test('shares: a call that is cancelled while it waits for its own subject is not run, and makes room', async t => {
  const { handler, inputSchema, seen, open } = gate()
  const executor = fakeExecutor({ slots: { max: 1000 } })
  const tool = fakeTool({ handler, inputSchema })
  const leaving = new Cancellation()
  const calls = times(MAX_CALLS_PER_SUBJECT, async () => execute(executor, tool, verified()))
  const left = execute(executor, tool, verified({ cancellation: leaving }))

  leaving.cancel('client-left')
  open()

  t.match(await left, { kind: 'cancelled' })
  await Promise.all(calls)
  t.equal(seen.order.length, MAX_CALLS_PER_SUBJECT)
})

t.test('shares: what is refused is not counted against the rate of a tool', async t => {
  const { handler, inputSchema, open } = gate()
  const executor = fakeExecutor({ slots: { max: 1000 } })
  const busy = fakeTool({ handler, inputSchema })
  const rated = fakeTool({ name: 'rated', rateLimit: { max: 1, timeWindow: '1 minute' } })
  const calls = times(MAX_CALLS_PER_SUBJECT + MAX_QUEUED_PER_SUBJECT, async () => execute(executor, busy, verified()))

  await t.rejects(async () => execute(executor, rated, verified()), { message: /^Too many requests: at most 32 calls/ })
  open()
  await Promise.all(calls)

  t.match(await execute(executor, rated, verified()), { kind: 'ok' })
})
