import t from 'tap'
import { execute } from '../../../src/execution/execute.ts'
import { Type } from '../../../src/index.ts'
import { fakeExchange, fakeExecutor, fakeTool, gate } from '../../support/fakes.ts'

const ENDINGS: [what: string, make: () => ReturnType<typeof fakeTool>, kind: string][] = [
  ['a result', () => fakeTool(), 'ok'],
  ['a later result', () => fakeTool({ handler: async () => 'x' }), 'ok'],
  ['an error', () => fakeTool({ handler: () => Promise.reject(new Error('x')) }), 'tool_error'],
  ['an invalid result', () => fakeTool({ handler: () => 1n }), 'invalid_output'],
  ['a deadline', () => fakeTool({ timeout: 5, handler: () => new Promise(() => {}) }), 'timed_out'],
  ['wrong arguments', () => fakeTool({ inputSchema: Type.Object({ a: Type.String() }) }), 'invalid_arguments'],
  ['a question', () => fakeTool({ handler: (_args, ctx) => ctx.listRoots('q') }), 'input_required'],
]

for (const [what, make, kind] of ENDINGS) {
  t.test(`slots: ${what} gives back every slot`, async t => {
    const executor = fakeExecutor({ slots: { max: 1, maxQueued: 0 } })
    const tool = make()

    for (let count = 0; count < 3; count++) {
      const outcome = await execute(executor, tool, fakeExchange({ capabilities: { roots: {} } }))
      t.equal(outcome.kind, kind)
    }

    t.equal(executor.slots.running, 0)
  })
}

t.test('slots: a refused requestState or capability gives back every slot', async t => {
  const executor = fakeExecutor({ slots: { max: 1, maxQueued: 0 } })
  const asks = fakeTool({ concurrency: 1, handler: (_args, ctx) => ctx.listRoots('q') })

  for (let count = 0; count < 3; count++) {
    await t.rejects(async () => execute(executor, asks, fakeExchange()), {
      message: /^Missing required client capability: roots/,
    })
    const params = { name: 'tool', arguments: {}, requestState: 'forged' }
    await t.rejects(async () => execute(executor, asks, fakeExchange({ params })), {
      message: /^Invalid requestState: /,
    })
  }

  t.equal(executor.slots.running, 0)
})

t.test('slots: a call that waits takes one place and one slot, and gives back both', async t => {
  const { handler, open } = gate()
  const executor = fakeExecutor({ slots: { max: 1, maxQueued: 3 } })
  const calls = Array.from({ length: 4 }, async () => execute(executor, fakeTool({ handler }), fakeExchange()))
  await new Promise(setImmediate)

  t.match(executor.slots, { running: 1, queued: 3 })
  open()

  t.ok((await Promise.all(calls)).every(({ kind }) => kind === 'ok'))
  t.match(executor.slots, { running: 0, queued: 0 })
})
