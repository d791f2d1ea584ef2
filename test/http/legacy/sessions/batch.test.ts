import t from 'tap'
import { connected, session } from '../../../support/client/app-client.ts'
import { initializing } from '../../../support/client/client.ts'
import { form } from '../../../support/legacy/asking.ts'
import { gatedTool, stuckTool, tool } from '../../../support/steered-tools.ts'

const BATCHES = { revision: '2025-03-26' }
const echo = tool('echo', (_ctx, { text }) => `${text}`)
const call = (id: string | number, text: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'echo', arguments: { text } },
})

for (const revision of ['2025-11-25', '2025-06-18', '2024-11-05', '2024-10-07']) {
  t.test(`${revision}: a batch is refused with 400`, async t => {
    const client = await session(t, { tools: [echo] }, { revision })

    const reply = await client.send([call(1, 'a')])

    t.match(reply, { status: 400, error: { code: -32600, message: /batch/ } })
  })
}

t.test('each request of a batch is answered, in one JSON array', async t => {
  const client = await session(t, { tools: [echo] }, BATCHES)

  const reply = await client.send([call(1, 'a'), client.request('ping', undefined, 'p'), call(2, 'b')])

  t.match(reply.headers['content-type'], /^application\/json/)
  t.ok(Array.isArray(JSON.parse(reply.text)))
  t.strictSame(
    reply.messages.map(({ id }) => id),
    [1, 'p', 2],
  )
})

t.test('a batch of one is answered with an array of one', async t => {
  const client = await session(t, { tools: [echo] }, BATCHES)

  t.match(JSON.parse((await client.send([call(1, 'a')])).text), [{ id: 1 }])
})

t.test('a batch of notifications and answers is accepted with 202 and no body', async t => {
  const client = await session(t, {}, BATCHES)

  const reply = await client.send([
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 'unasked', result: {} },
  ])

  t.strictSame([reply.status, reply.text], [202, ''])
})

t.test('an empty batch, and one of more than twenty, is refused', async t => {
  const client = await session(t, { tools: [echo] }, BATCHES)
  const many = Array.from({ length: 21 }, (_, index) => call(index, 'x'))

  t.match(await client.send([]), { status: 400, error: { code: -32600 } })
  t.match(await client.send(many), { status: 400, error: { code: -32600 } })
  t.equal((await client.send(many.slice(1))).messages.length, 20)
})

t.test('what is no message is answered for itself, and the others are served', async t => {
  const client = await session(t, { tools: [echo] }, BATCHES)

  const { messages } = await client.send([
    call(1, 'a'),
    7,
    { jsonrpc: '2.0', id: 2 },
    { id: 3, method: 'ping' },
    [call(4, 'x')],
  ])

  t.strictSame(
    messages.map(({ id, error }) => [id, error?.code]),
    [
      [1, undefined],
      [undefined, -32600],
      [2, -32600],
      [3, -32600],
      [undefined, -32600],
    ],
  )
})

t.test('initialize does not come in a batch', async t => {
  const client = await session(t, {}, BATCHES)

  const within = await client.send([initializing(BATCHES, 'i')])
  const headers = { 'mcp-session-id': undefined }
  const alone = await client.send([initializing(BATCHES, 'j')], headers)

  t.match(within.error, { code: -32600, message: /alone/ })
  t.match(alone.error, { code: -32600, message: /alone/ })
  t.notOk('mcp-session-id' in alone.headers)
})

t.test('a request of 2026-07-28 does not come in a batch', async t => {
  const client = await session(t, {}, BATCHES)
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }

  const reply = await client.send([{ jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta } }])

  t.match(reply.error, { code: -32600 })
})

t.test('each message of a batch is counted by the rate limit', async t => {
  const client = await session(t, { tools: [echo], rateLimit: { max: 6 } }, BATCHES)

  const { status, messages } = await client.send([1, 2, 3, 4, 5, 6].map(id => call(id, 'x')))

  t.equal(status, 200)
  t.strictSame(
    messages.map(({ error }) => error?.code),
    [undefined, undefined, undefined, undefined, 42900, 42900],
  )
})

t.test('a batch whose calls notify is answered over one stream, each response an event', async t => {
  const talk = tool('talk', ({ progress }, { text }) => {
    progress(1)
    return text
  })
  const client = await connected(t, { tools: [talk] }, BATCHES)
  const batch = [1, 2].map(id => ({
    ...client.request('tools/call', { name: 'talk', arguments: { text: id }, _meta: { progressToken: id } }, id),
  }))

  const stream = await client.post(batch)
  await stream.ended

  t.equal(stream.messages.length, 4)
  t.strictSame(
    stream.messages.filter(({ result }) => result !== undefined).map(({ id }) => id),
    [1, 2],
  )
})

t.test('a batch may cancel its own call, which is answered no more', async t => {
  const { stuck } = stuckTool()
  const client = await session(t, { tools: [stuck, echo] }, BATCHES)

  const reply = await client.send([
    client.request('tools/call', { name: 'stuck' }, 'out'),
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'out' } },
    call('in', 'a'),
  ])

  t.strictSame(
    reply.messages.map(({ id }) => id),
    ['in'],
  )
})

t.test('a batch whose only call is cancelled is accepted without an answer', async t => {
  const { stuck } = stuckTool()
  const client = await session(t, { tools: [stuck] }, BATCHES)

  const reply = await client.send([
    client.request('tools/call', { name: 'stuck' }, 'out'),
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'out' } },
  ])

  t.strictSame([reply.status, reply.messages], [202, []])
})

t.test('an id that comes twice in a batch is refused the second time, while the first is under way', async t => {
  const { gated, started, open } = gatedTool()
  const client = await session(t, { tools: [gated] }, BATCHES)
  const request = client.request('tools/call', { name: 'slow' }, 'same')

  const sent = client.send([request, request])
  await started
  await new Promise(setImmediate)
  open()

  const { messages } = await sent
  t.strictSame(
    messages.map(({ id, error }) => [id, error?.code]),
    [
      ['same', undefined],
      ['same', -32600],
    ],
  )
})

t.test('answers to questions may come in a batch', async t => {
  const capabilities = { sampling: {}, roots: {} }
  const asker = tool('asker', async ctx => {
    const [one, two] = await Promise.all([ctx.listRoots('one'), ctx.listRoots('two')])
    return `${one.roots.length} ${two.roots.length}`
  })
  const client = await connected(t, { tools: [asker] }, { ...BATCHES, capabilities })
  const stream = await client.postTool('asker')
  await stream.next(1)

  const reply = await client.send(stream.messages.map(({ id }) => ({ jsonrpc: '2.0', id, result: { roots: [] } })))

  t.equal(reply.status, 202)
  t.equal((await stream.last()).result.content[0].text, '0 0')
})

t.test('2025-03-26: users cannot be asked', async t => {
  const client = await session(t, { tools: [tool('asker', ctx => ctx.elicit('name', form('name')))] }, BATCHES)

  const { result } = await client.callTool('asker')

  t.match(result, { isError: true, content: [{ text: /elicitation\.form/ }] })
})
