import t from 'tap'
import { connected, open, session } from '../../../support/client/app-client.ts'
import { stuckTool, tool } from '../../../support/steered-tools.ts'
import { turns } from '../../../support/turns.ts'

const asked = { _meta: { progressToken: 'p' } }
const cancel = (requestId: unknown) => ({ requestId, reason: 'no need' })

t.test('notifications/cancelled stops the request, which is answered no more', async t => {
  const { stuck, started, aborted } = stuckTool()
  const client = await session(t, { tools: [stuck] })
  const request = client.request('tools/call', { name: 'stuck' })
  const call = client.send(request)
  await started

  const told = await client.notify('notifications/cancelled', cancel(request.id))

  t.equal(told.status, 202)
  t.match(await aborted, /cancelled/)
  t.match(await call, { status: 200, messages: [] })
})

t.test('a stream of a request that is cancelled ends without a response', async t => {
  const { stuck } = stuckTool()
  const client = await connected(t, { tools: [stuck] })
  const request = client.request('tools/call', { name: 'stuck', ...asked })
  const stream = await client.post(request)
  await stream.next(0)

  await client.notify('notifications/cancelled', cancel(request.id))
  await stream.ended

  t.equal(stream.messages.length, 1)
})

t.test('where JSON only is taken, a request that is cancelled is answered 202', async t => {
  const { stuck, started } = stuckTool()
  const client = await session(t, { tools: [stuck] })
  const request = client.request('tools/call', { name: 'stuck' })
  const call = client.send(request, { accept: 'application/json' })
  await started

  await client.notify('notifications/cancelled', cancel(request.id))

  t.match(await call, { status: 202, text: '' })
})

t.test('an id as long as may be names its request: in its answer and in its cancellation', async t => {
  const longest = 'é'.repeat(512)
  const { stuck, started, aborted } = stuckTool()
  const client = await connected(t, { tools: [stuck] })
  t.equal((await client.send(client.request('ping', {}, longest))).messages[0]?.id, longest)
  const stream = await client.post(client.request('tools/call', { name: 'stuck', ...asked }, longest))
  await started

  await client.notify('notifications/cancelled', cancel(`${longest}x`))
  await client.notify('notifications/cancelled', cancel(longest))

  t.match(await aborted, /cancelled/)
  await stream.ended
})

t.test('an id that is a number is not the same as one that is a text', async t => {
  const { stuck, started } = stuckTool()
  const client = await session(t, { tools: [stuck] })
  const call = client.send(client.request('tools/call', { name: 'stuck' }, 41))
  await started
  let isOver = false
  call.then(() => (isOver = true))

  await client.notify('notifications/cancelled', cancel('41'))
  await new Promise(resolve => setTimeout(resolve, 20))
  t.notOk(isOver)
  await client.notify('notifications/cancelled', cancel(41))

  t.match(await call, { messages: [] })
})

t.test('another session cannot cancel it', async t => {
  const { stuck, started } = stuckTool()
  const client = await session(t, { tools: [stuck] })
  const stranger = await open(t, client.app)
  const call = client.send(client.request('tools/call', { name: 'stuck' }, 42))
  await started
  let isOver = false
  call.then(() => (isOver = true))

  await stranger.notify('notifications/cancelled', cancel(42))
  await new Promise(resolve => setTimeout(resolve, 20))

  t.notOk(isOver)
  await client.end()
})

t.test('two sessions may use the same id at once', async t => {
  const first = Promise.withResolvers<string>()
  const slow = tool('slow', (_ctx, { text }) => first.promise.then(end => `${text} ${end}`))
  const client = await session(t, { tools: [slow] })
  const other = await open(t, client.app)

  const calls = [client, other].map((each, index) =>
    each.send(each.request('tools/call', { name: 'slow', arguments: { text: index } }, 1)),
  )
  first.resolve('end')

  t.strictSame(
    (await Promise.all(calls)).map(({ result }) => result.content[0].text),
    ['0 end', '1 end'],
  )
})

t.test('a cancellation that comes too late changes nothing', async t => {
  const client = await session(t, { tools: [tool('echo', () => 'hello')] })
  const request = client.request('tools/call', { name: 'echo' })
  const reply = await client.send(request)

  const late = await client.notify('notifications/cancelled', cancel(request.id))

  t.equal(reply.result.content[0].text, 'hello')
  t.equal(late.status, 202)
  t.equal((await client.callTool('echo')).result.content[0].text, 'hello')
})

t.test('a call that is cancelled while it waits for its turn never runs', async t => {
  const { stuck, started } = stuckTool('stuck', { concurrency: 1 })
  let runs = 0
  const counted = tool('counted', () => runs++)
  const client = await session(t, { tools: [stuck, counted], limits: { maxConcurrentCalls: 1 } })
  client.callTool('stuck').catch(() => {})
  await started
  const request = client.request('tools/call', { name: 'counted' })
  const call = client.send(request)
  await turns()

  await client.notify('notifications/cancelled', cancel(request.id))

  t.match(await call, { messages: [] })
  t.equal(runs, 0)
  await client.end()
})

t.test('a deadline is answered, unlike a cancellation', async t => {
  const { stuck } = stuckTool('stuck', { timeout: 50 })
  const client = await session(t, { tools: [stuck] })

  const reply = await client.callTool('stuck')

  t.match(reply.result, { isError: true, content: [{ text: /timed out after 50 ms/ }] })
})
