import t from 'tap'
import { connected, session } from '../../../support/client/app-client.ts'
import { until } from '../../../support/eventually.ts'
import { stuckTool, tool } from '../../../support/steered-tools.ts'

const steps = tool('steps', async ({ progress }) => {
  for (let step = 1; step <= 3; step++) progress(step, 3)
  return 'done'
})
const leaving = tool('polled', ({ closeStream }) => {
  closeStream()
  return 'ready'
})
const asked = { _meta: { progressToken: 'p' } }

t.test('a call that says nothing is answered as JSON', async t => {
  const client = await session(t, { tools: [steps] })

  const reply = await client.callTool('steps')

  t.match(reply.headers['content-type'], /^application\/json/)
  t.equal(reply.messages.length, 1)
})

t.test('a call that notifies is answered over a stream, the response last, which then ends', async t => {
  const client = await connected(t, { tools: [steps] })

  const stream = await client.postTool('steps', {}, asked)
  await stream.ended

  t.match(stream.headers['content-type'], /^text\/event-stream/)
  t.strictSame(
    stream.messages.map(({ method, params }) => (method === undefined ? 'response' : params.progress)),
    [1, 2, 3, 'response'],
  )
})

t.test('2025-11-25: a stream begins with an event that has an id, no data and a time to retry after', async t => {
  const client = await connected(t, { tools: [steps] })

  const posted = await client.postTool('steps', {}, asked)
  const got = await client.listen()

  for (const stream of [posted, got]) {
    const { id, retry, data } = await stream.event(0)
    t.match(id, /./)
    t.ok(retry! > 0)
    t.equal(data, '')
  }
})

for (const revision of ['2025-06-18', '2025-03-26', '2024-11-05']) {
  t.test(`${revision}: no event is empty, since its clients would read each as a message`, async t => {
    const client = await connected(t, { tools: [steps] }, { revision })

    const stream = await client.postTool('steps', {}, asked)
    await stream.ended

    t.equal(stream.events.length, 4)
    t.ok(stream.events.every(({ data, retry, id }) => data !== '' && retry === undefined && id !== undefined))
  })
}

t.test('every event of a session has an id of its own', async t => {
  const client = await connected(t, { tools: [steps] })

  const streams = await Promise.all([1, 2, 3].map(() => client.postTool('steps', {}, asked)))
  streams.push(await client.listen())
  client.app.toolrack.add(tool('more', () => 'x'))
  await streams[3]!.next(0)
  await Promise.all(streams.slice(0, 3).map(({ ended }) => ended))

  const ids = streams.flatMap(({ events }) => events.map(({ id }) => id))
  t.equal(new Set(ids).size, 3 * 5 + 2)
})

t.test('a client that takes only a stream is answered over one', async t => {
  const client = await session(t, { tools: [steps] })

  const reply = await client.call('tools/call', { name: 'steps' }, { accept: 'text/event-stream' })

  t.match(reply.headers['content-type'], /^text\/event-stream/)
  t.equal(reply.result.content[0].text, 'done')
})

t.test('a client that takes only JSON gets JSON, without what the tool said on the way', async t => {
  const client = await session(t, { tools: [steps] })

  const reply = await client.call('tools/call', { name: 'steps', ...asked }, { accept: 'application/json' })

  t.match(reply.headers['content-type'], /^application\/json/)
  t.equal(reply.messages.length, 1)
})

t.test('a client that takes neither is answered 406', async t => {
  const client = await session(t)

  t.equal((await client.call('ping', {}, { accept: 'text/html' })).status, 406)
})

t.test('GET: a client that takes no stream is answered 406', async t => {
  const client = await session(t)
  const headers = { host: 'localhost', 'mcp-session-id': client.id, accept: 'application/json' }

  t.equal((await client.app.inject({ method: 'GET', url: '/mcp', headers })).statusCode, 406)
})

t.test('GET: what accepts everything gets the stream', async t => {
  const client = await connected(t)

  for (const accept of ['*/*', 'text/*', 'application/json, text/event-stream']) {
    const stream = await client.listen(undefined, { accept })
    t.equal(stream.status, 200)
    t.match(stream.headers['content-type'], /^text\/event-stream/)
  }
})

t.test('GET: a stream ends with its session', async t => {
  const client = await connected(t)
  const stream = await client.listen()

  await client.end()
  await stream.ended

  t.strictSame(stream.messages, [])
})

t.test('a call on its stream ends without a response when its session ends', async t => {
  const { stuck } = stuckTool()
  const client = await connected(t, { tools: [stuck] })
  const stream = await client.postTool('stuck', {}, asked)
  await stream.next(0)

  await client.end()
  await stream.ended

  t.equal(stream.messages.length, 1)
})

t.test('the fifth stream that one session listens to ends the first', async t => {
  const client = await connected(t)
  const streams = []
  for (let count = 0; count < 5; count++) streams.push(await client.listen())

  await streams[0]!.ended

  t.strictSame(
    streams.map(({ hasEnded }) => hasEnded),
    [true, false, false, false, false],
  )
})

t.test('a client that tries twice has ten seconds to find the server again', async t => {
  const client = await connected(t, { tools: [steps] })

  const news = await client.listen()
  const reply = await client.postTool('steps', {}, asked)
  await reply.ended
  await news.event(0)

  for (const { events } of [news, reply]) t.ok(2 * events[0]!.retry! >= 10_000)
})

t.test('closeStream ends the connection, and the call goes on to its result', async t => {
  let ran = false
  const polled = tool('polled', async ({ closeStream }) => {
    closeStream()
    await new Promise(resolve => setTimeout(resolve, 20))
    ran = true
    return 'later'
  })
  const client = await connected(t, { tools: [polled] })

  const first = await client.postTool('polled')
  await first.ended
  const { id, retry } = first.events[0]!
  const second = await client.listen(id)

  t.strictSame(first.messages, [])
  t.ok(retry! > 0)
  // It is to come back to a server that is there.
  t.ok(first.events.at(-1)!.retry! < retry!)
  t.equal((await second.last()).result.content[0].text, 'later')
  t.ok(ran)
})

t.test('closeStream: a result that was there before the client came back waits for it', async t => {
  const client = await connected(t, { tools: [leaving] })

  const first = await client.postTool('polled')
  await first.ended
  const second = await client.listen(first.events[0]!.id)

  t.equal((await second.last()).result.content[0].text, 'ready')
  t.equal(second.messages.length, 1)
})

t.test('closeStream does nothing where clients do not come back', async t => {
  const polled = tool('polled', ({ closeStream, progress }) => {
    progress(1)
    closeStream()
    return 'ready'
  })
  const client = await connected(t, { tools: [polled] }, { revision: '2025-06-18' })

  const stream = await client.postTool('polled', {}, asked)

  t.equal((await stream.last()).result.content[0].text, 'ready')
})

t.test('closeStream does nothing where JSON only is taken', async t => {
  const client = await session(t, { tools: [leaving] })

  const reply = await client.call('tools/call', { name: 'polled' }, { accept: 'application/json' })

  t.equal(reply.result.content[0].text, 'ready')
})

t.test('a quiet call that takes long opens its stream, so that its client can come back', async t => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const client = await connected(t, { tools: [tool('slow', () => promise.then(() => 'done'))] })

  const stream = await client.postTool('slow')
  const { id } = await stream.event(0)
  stream.close()
  const again = await client.listen(id)
  await again.event(0)
  resolve()

  t.equal((await again.last()).result.content[0].text, 'done')
})

t.test('a connection that drops does not cancel the call', async t => {
  let ended: string | undefined
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = tool('slow', async ({ progress, signal }) => {
    progress(1)
    await promise
    ended = signal.aborted ? 'aborted' : 'finished'
  })
  const client = await connected(t, { tools: [slow] })
  const stream = await client.postTool('slow', {}, asked)
  await stream.next(0)

  stream.close()
  await stream.ended
  await new Promise(done => setTimeout(done, 50))
  resolve()

  await until(() => ended !== undefined, 'the call ended')
  t.equal(ended, 'finished')
})
