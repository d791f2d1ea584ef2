import t from 'tap'
import { AbandonedRuns } from '../../../src/execution/abandoned-runs.ts'
import { execute } from '../../../src/execution/execute.ts'
import { fakeExecutor, fakeTool } from '../../support/fakes.ts'
import { callOf } from '../../support/one-by-one.ts'

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

t.test('strays: those of one client close a tool to that client, however many, and to nobody else', t => {
  const strays = new AbandonedRuns()
  const tool = fakeTool()
  for (let count = 0; count < 32; count++) strays.count(tool, 'alice', 1)

  t.equal(strays.countBlocking(tool, 'alice'), 32)
  t.equal(strays.countBlocking(tool, 'bob'), 0)
  t.equal(strays.countBlocking(fakeTool({ name: 'other' }), 'alice'), 0)
  t.equal(strays.size, 32)
  t.end()
})

t.test('strays: of each client half of the bound counts, and together they close the tool to all', t => {
  const strays = new AbandonedRuns()
  const tool = fakeTool()
  for (let count = 0; count < 32; count++) strays.count(tool, 'alice', 1)
  for (let count = 0; count < 7; count++) strays.count(tool, 'bob', 1)
  t.equal(strays.countBlocking(tool, 'carol'), 0)

  strays.count(tool, 'bob', 1)

  t.equal(strays.countBlocking(tool, 'carol'), 40)
  t.equal(strays.countBlocking(tool, 'bob'), 40)
  t.end()
})

t.test('strays: the one that a tool with a concurrency of 1 can have closes it to all', t => {
  const strays = new AbandonedRuns()
  const tool = fakeTool({ concurrency: 1 })

  strays.count(tool, 'alice', 1)

  t.equal(strays.countBlocking(tool, 'bob'), 1)
  t.end()
})

t.test('strays: with those that end the tool opens, and nothing is kept', t => {
  const strays = new AbandonedRuns()
  const tool = fakeTool()
  for (let count = 0; count < 16; count++) strays.count(tool, 'alice', 1)

  strays.count(tool, 'alice', -1)
  t.equal(strays.countBlocking(tool, 'alice'), 0)
  for (let count = 0; count < 15; count++) strays.count(tool, 'alice', -1)

  t.ok(strays.isEmpty)
  t.equal(strays.size, 0)
  t.end()
})

t.test('strays: a client whose calls do not stop leaves the tool to others', async t => {
  const executor = fakeExecutor({ slots: { max: 1000 } })
  const late = Promise.withResolvers<string>()
  const tool = fakeTool({
    timeout: 5,
    inputSchema: { type: 'object' },
    handler: ({ who }) => (who === 'alice' ? late.promise : 'done'),
  })
  await Promise.all(times(16, async () => execute(executor, tool, callOf('alice', true))))

  t.match(await execute(executor, tool, callOf('alice', true)), {
    kind: 'busy',
    result: { content: [{ text: /16 earlier calls did not stop when asked; retry later$/ }] },
  })
  t.match(await execute(executor, tool, callOf('bob', true)), { kind: 'ok' })
  late.resolve('late')
})
