// How a question ends that nobody answers.
import { mock } from 'node:test'
import t from 'tap'
import { connected } from '../../../support/client/app-client.ts'
import { accept, asking, form, greet, textOf } from '../../../support/legacy/asking.ts'
import { tool } from '../../../support/steered-tools.ts'

t.test('a client that leaves in mid-question finds it when it comes back', async t => {
  const { client, call } = await asking(t, greet)
  const question = await call.next(0)
  call.close()
  await call.ended

  const again = await client.listen(call.events[0]!.id)
  const repeated = await again.next(0)
  await client.answer(repeated, accept({ name: 'Ada' }))

  t.strictSame(repeated, question)
  t.equal(await textOf(again), 'Hello Ada')
})

t.test('a client may answer without coming back, and finds the result later', async t => {
  const { client, call } = await asking(t, greet)
  const question = await call.next(0)
  call.close()
  await call.ended

  await client.answer(question, accept({ name: 'Ada' }))
  const again = await client.listen(call.events.at(-1)!.id)

  t.equal(await textOf(again), 'Hello Ada')
  t.equal(again.messages.length, 1)
})

t.test('a question that is asked while the client is away waits for it', async t => {
  const { client, call } = await asking(t, async (ctx, args) => {
    ctx.closeStream()
    return greet(ctx, args)
  })
  await call.ended

  const second = await client.listen(call.events[0]!.id)
  await client.answer(await second.next(0), accept({ name: 'Ada' }))
  // The handler ran from its top again, and so let its client go again.
  await second.ended
  const third = await client.listen(second.events.at(-1)!.id)

  t.strictSame([call.messages.length, second.messages.length], [0, 1])
  t.equal(await textOf(third), 'Hello Ada')
})

t.test('a call that is cancelled withdraws its questions, and is answered no more', async t => {
  const client = await connected(t, {
    tools: [
      tool('asker', async ctx => {
        await Promise.all([ctx.elicit('a', form('a')), ctx.elicit('b', form('b'))])
      }),
    ],
  })
  const request = client.request('tools/call', { name: 'asker' })
  const call = await client.post(request)
  await call.next(1)

  await client.notify('notifications/cancelled', { requestId: request.id })
  await call.ended

  const asked = call.messages.slice(0, 2).map(({ id }) => id)
  const withdrawn = call.messages.slice(2)
  t.strictSame(
    withdrawn.map(({ method }) => method),
    ['notifications/cancelled', 'notifications/cancelled'],
  )
  t.strictSame(withdrawn.map(({ params }) => params.requestId).sort(), asked.sort())
})

t.test('2024-10-07: a question that is given up is not withdrawn, since nothing could be then', async t => {
  const asker = tool('asker', ctx => ctx.listRoots('roots'))
  const client = await connected(t, { tools: [asker] }, { revision: '2024-10-07' })
  const request = client.request('tools/call', { name: 'asker' })
  const call = await client.post(request)
  await call.next(0)

  await client.notify('notifications/cancelled', { requestId: request.id })
  await call.ended

  t.match(call.messages, [{ method: 'roots/list' }])
  t.equal(call.messages.length, 1)
})

t.test('a session that ends while its client is asked ends the call, and the tool runs no further', async t => {
  let runs = 0
  const { client, call } = await asking(t, ctx => {
    runs++
    return greet(ctx, {})
  })
  const question = await call.next(0)

  await client.end()
  await call.ended

  t.equal((await client.answer(question, accept({ name: 'Ada' }))).status, 404)
  t.equal(runs, 1)
})

t.test('a question that is not answered within ten minutes fails its call, and is withdrawn', async t => {
  const client = await connected(t, { tools: [tool('asker', greet)] })
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const call = await client.postTool('asker')
  const question = await new Promise<(typeof call.messages)[0]>(resolve => {
    const look = () => (call.messages[0] ? resolve(call.messages[0]) : setImmediate(look))
    look()
  })

  mock.timers.tick(10 * 60 * 1000)
  await call.ended

  t.match(call.messages[1], { method: 'notifications/cancelled', params: { requestId: question.id } })
  t.match(call.messages[2], { result: { isError: true, content: [{ text: /did not answer within 600 s/ }] } })
})

t.test('an answer that comes while the server drains is taken, and the call ends well', async t => {
  const { client, call } = await asking(t, greet, {}, { drainMs: 60_000 })
  const question = await call.next(0)

  const closing = client.app.close()
  await new Promise(resolve => setTimeout(resolve, 20))
  const told = await client.post({ jsonrpc: '2.0', id: question.id, result: accept({ name: 'Ada' }) })
  await closing

  t.equal(told.status, 202)
  t.equal(await textOf(call), 'Hello Ada')
})

t.test('a question that is open when the drain ends is withdrawn, and its call fails', async t => {
  const { client, call } = await asking(t, greet, {}, { drainMs: 100 })
  await call.next(0)

  await client.app.close()
  await call.ended

  t.match(call.messages.slice(1), [
    { method: 'notifications/cancelled' },
    { result: { isError: true, content: [{ text: /cancelled/ }] } },
  ])
})

t.test('a session has at most 100 questions open', async t => {
  const many = tool('asker', async ctx => {
    await Promise.all(Array.from({ length: 30 }, (_, index) => ctx.elicit(`q${index}`, form('a'))))
  })
  const client = await connected(t, { tools: [many] })
  const calls = []
  for (let count = 0; count < 3; count++) {
    calls.push(await client.postTool('asker'))
    await calls.at(-1)!.next(29)
  }

  const past = await client.callTool('asker')

  t.match(past.error, { code: 50300, message: /90 questions wait/ })
  await client.end()
})
