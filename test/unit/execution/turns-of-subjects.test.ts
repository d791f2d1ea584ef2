// Subjects take turns: one that has as many calls as it may holds up the call of another for two of them at most.
import t from 'tap'
import { execute } from '../../../src/execution/execute.ts'
import { runHandler } from '../../../src/methods/run-handler.ts'
import { fakeExecutor, fakeTool } from '../../support/fakes.ts'
import { callOf, oneByOne } from '../../support/one-by-one.ts'
import { turns } from '../../support/turns.ts'

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

for (const isVerified of [true, false]) {
  const whose = isVerified ? 'a subject' : 'an address'
  const callAs = (who: string) => callOf(who, isVerified)

  t.test(`turns: with all slots of the process taken by ${whose}, the call of another is next`, async t => {
    const { handler, inputSchema, endsBefore, endAll } = oneByOne()
    const executor = fakeExecutor({ slots: { max: 4, maxQueued: 1000 } })
    const tool = fakeTool({ handler, inputSchema })
    const hers = times(100, async () => execute(executor, tool, callAs('alice')))
    await turns(5)

    const his = execute(executor, tool, callAs('bob'))

    t.ok((await endsBefore('bob', 'alice')) <= 2)
    await endAll()
    t.match(await his, { kind: 'ok' })
    for (const outcome of await Promise.all(hers)) t.match(outcome, { kind: 'ok' })
    t.match(executor.slots, { running: 0, queued: 0, subjectCount: 0 })
  })

  t.test(`turns: with all of a tool’s concurrency taken by ${whose}, the call of another is next`, async t => {
    const { handler, inputSchema, endsBefore, endAll } = oneByOne()
    const executor = fakeExecutor({ slots: { max: 1000 } })
    const tool = fakeTool({ handler, inputSchema, concurrency: 3 })
    const hers = times(100, async () => execute(executor, tool, callAs('alice')))
    await turns(5)

    const his = execute(executor, tool, callAs('bob'))

    t.ok((await endsBefore('bob', 'alice')) <= 2)
    await endAll()
    t.match(await his, { kind: 'ok' })
    for (const outcome of await Promise.all(hers)) t.match(outcome, { kind: 'ok' })
  })

  t.test(`turns: a call of ${whose} that has its tool’s slot waits behind no others of theirs`, async t => {
    const { handler, inputSchema, begun, endOne, endAll } = oneByOne()
    const executor = fakeExecutor({ slots: { max: 4, maxQueued: 1000 } })
    const single = fakeTool({ name: 'single', handler, inputSchema, concurrency: 1 })
    const many = fakeTool({ name: 'many', handler, inputSchema })
    const params = { name: 'single', arguments: { who: 'alice, who holds it' } }
    const hers = times(30, async () => execute(executor, many, callAs('alice')))
    const holding = execute(executor, single, callOf('alice', isVerified, { params }))
    await turns(5)
    const his = execute(executor, single, callAs('bob'))
    await turns(5)

    await endOne('alice')
    t.equal(begun.at(-1), 'alice, who holds it')
    await endOne('alice, who holds it')
    await endOne('alice')

    t.equal(begun.at(-1), 'bob')
    await endAll()
    await Promise.all([his, holding, ...hers])
  })

  t.test(`turns: with all slots taken by ${whose}, the prompt of another is next`, async t => {
    const { handler, inputSchema, endsBefore, endAll } = oneByOne()
    const executor = fakeExecutor({ slots: { max: 2, maxQueued: 1000 } })
    const tool = fakeTool({ handler, inputSchema })
    const hers = times(30, async () => execute(executor, tool, callAs('alice')))
    await turns(5)

    const his = runHandler(executor, callAs('bob'), 'prompt', {
      handler: () => handler({ who: 'bob' }),
      shape: () => ({}),
    })

    t.ok((await endsBefore('bob', 'alice')) <= 2)
    await endAll()
    await Promise.all([his, ...hers])
  })

  t.test(`turns: in a full queue the place of another is that of ${whose} who has most in it`, async t => {
    const { handler, inputSchema, endsBefore, endAll } = oneByOne()
    const executor = fakeExecutor({ slots: { max: 2, maxQueued: 4 } })
    const tool = fakeTool({ handler, inputSchema })
    const kindOf = (call: Promise<{ kind: string }>) =>
      call.then(
        ({ kind }) => kind,
        error => error.reason,
      )
    const hers = times(6, () => kindOf((async () => execute(executor, tool, callAs('alice')))()))
    await turns(5)

    const his = kindOf((async () => execute(executor, tool, callAs('bob')))())
    // Whoever asks again and again does not push it out.
    const again = times(20, () => kindOf((async () => execute(executor, tool, callAs('alice')))()))
    await turns(5)

    t.ok((await endsBefore('bob', 'alice')) <= 2)
    await endAll()
    t.equal(await his, 'ok')
    t.strictSame(await Promise.all(hers), ['ok', 'ok', 'ok', 'ok', 'ok', 'BUSY'], 'her newest has made way')
    t.strictSame(
      await Promise.all(again),
      times(20, () => 'BUSY'),
    )
  })
}

t.test('turns: the queue of a tool has a place for another subject too', async t => {
  const { handler, inputSchema, endsBefore, endAll } = oneByOne()
  const executor = fakeExecutor({ slots: { max: 1000 } })
  const tool = fakeTool({ handler, inputSchema, concurrency: 1 })
  const hers = times(101, async () => execute(executor, tool, callOf('alice', false)))
  await turns(5)

  const his = execute(executor, tool, callOf('bob', false))

  t.ok((await endsBefore('bob', 'alice')) <= 2)
  await endAll()
  t.match(await his, { kind: 'ok' })
  const kinds = (await Promise.all(hers)).map(({ kind }) => kind)
  t.strictSame(kinds, [...times(100, () => 'ok'), 'busy'])
})

t.test('turns: of several who have much, none holds a newcomer up', async t => {
  const { handler, inputSchema, running, endOne, endsBefore, endAll } = oneByOne()
  const executor = fakeExecutor({ slots: { max: 6, maxQueued: 1000 } })
  const tool = fakeTool({ handler, inputSchema })
  const greedy = ['ann', 'ben', 'cid']
  const theirs = greedy.flatMap(who => times(30, async () => execute(executor, tool, callOf(who, true))))
  await turns(5)

  for (let count = 0; count < 4; count++) await endOne('ann')
  t.strictSame(running.map(({ who }) => who).sort(), ['ann', 'ann', 'ben', 'ben', 'cid', 'cid'])
  const his = execute(executor, tool, callOf('bob', true))

  t.ok((await endsBefore('bob', ...greedy)) <= 2)
  await endAll()
  await Promise.all([his, ...theirs])
})

t.test('turns: who holds on to slots gets no more of them than others have', async t => {
  const { handler, inputSchema, running, endOne, endAll } = oneByOne()
  const executor = fakeExecutor({ slots: { max: 4, maxQueued: 1000 } })
  const tool = fakeTool({ handler, inputSchema })
  const all = ['alice', 'bob'].flatMap(who => times(20, async () => execute(executor, tool, callOf(who, false))))
  await turns(5)

  // All four are hers; from now on hers take their time, and his are short.
  for (let count = 0; count < 2; count++) await endOne('alice')
  for (let count = 0; count < 8; count++) await endOne('bob')

  t.strictSame(running.map(({ who }) => who).sort(), ['alice', 'alice', 'bob', 'bob'])
  await endAll()
  await Promise.all(all)
})
