// Bounds of the door on stdin and stdout: garbage, lengths, a reader that does not read, and the end.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { defineTool, ToolError } from '../../../../src/index.ts'
import { holdCount } from '../../../../test/support/doors/held-count.ts'
import { aborted, connectPeer } from '../../../../test/support/doors/stdio-peer.ts'
import { until } from '../../../../test/support/eventually.ts'
import { MAX_RUNNING } from '../../src/conversation.ts'
import { LineReader } from '../../src/line-reader.ts'

const echo = defineTool({ name: 'echo', handler: () => 'x'.repeat(100_000) })

t.test('garbage is answered, line by line, and what follows is served', async t => {
  const peer = await connectPeer(t, { tools: [echo], limits: { maxBodyBytes: 1024 } })
  const meta = '"_meta":{}'
  for (const line of ['garbage', '{"a":1,"a":2}', '[]', '7', '{"jsonrpc":"2.0","id":5,"method":7}', 'x'.repeat(5000)])
    peer.input.write(`${line}\n`)
  // No message: blank lines, and lines with the end of Windows.
  peer.input.write(`\n \r\n{"jsonrpc":"2.0","id":6,"method":"ping","params":{${meta}}}\r\n`)

  await peer.answerTo(6)
  t.match(
    peer.got.map(({ id, error }) => [id, error?.code]),
    [
      [undefined, -32700],
      [undefined, -32600],
      [undefined, -32600],
      [undefined, -32600],
      [5, -32600],
      [undefined, 41300],
      [6, undefined],
    ],
  )
  t.notOk(
    peer.got.slice(0, 4).some(message => 'id' in message),
    'without a session, an id is left out',
  )
})

t.test('an error without a readable id has the id null in revisions before 2025-11-25', async t => {
  for (const [revision, hasNull] of [
    ['2024-11-05', true],
    ['2025-06-18', true],
    ['2025-11-25', false],
  ] as const) {
    const peer = await connectPeer(t, { tools: [echo] })
    await peer.open(revision)
    peer.input.write('garbage\n')
    const answer = await peer.next(({ error }) => error?.code === -32700)
    t.equal('id' in answer && answer.id === null, hasNull, revision)
  }
})

t.test('what is no request is refused without an answer', async t => {
  const peer = await connectPeer(t, { tools: [echo], rateLimit: { max: 4 } })
  await peer.open('2025-11-25')
  peer.write({ jsonrpc: '2.0', id: 1, result: 7 }, { jsonrpc: '2.0', id: 2, result: {} })
  peer.notify('notifications/initialized')
  t.match(await peer.send('ping', {}, 'late'), { id: 'late', error: { code: 42900, message: /at most 4 requests/ } })
  t.equal(peer.got.length, 2)
})

t.test('subscriptions are bounded', async t => {
  const peer = await connectPeer(t, { tools: [echo] })
  const filter = { notifications: { toolsListChanged: true } }
  for (let at = 0; at < 16; at++) peer.begin('subscriptions/listen', filter, { id: `s${at}` })
  t.match(await peer.ask('subscriptions/listen', filter), { error: { code: 42900 } })
  peer.notify('notifications/cancelled', { requestId: 's3' })
  peer.begin('subscriptions/listen', filter, { id: 'again' })
  await until(() => peer.got.filter(({ method }) => method?.endsWith('acknowledged')).length === 17, 'one more')
})

t.test('requests under way are bounded', async t => {
  const open = Promise.withResolvers<void>()
  const waits = defineTool({ name: 'waits', handler: () => open.promise.then(() => 'done') })
  const peer = await connectPeer(t, { tools: [waits], rateLimit: { max: 5000 }, limits: { maxQueuedCalls: 5000 } })
  for (let at = 0; at < MAX_RUNNING; at++) peer.begin('tools/call', { name: 'waits' }, { id: `c${at}` })
  t.match(await peer.ask('ping'), { error: { code: 50300, message: /1024 requests are under way/ } })
  open.resolve()
  await until(() => peer.got.length === MAX_RUNNING + 1, 'all answers')
})

t.test('a client that reads no answers gets no further ones made', async t => {
  let calls = 0
  const counted = defineTool({
    name: 'counted',
    handler() {
      calls++
      return 'x'.repeat(100_000)
    },
  })
  const peer = await connectPeer(t, { tools: [counted], outputSize: 1024 })
  peer.output.pause()
  for (let at = 0; at < 60; at++) {
    peer.begin('tools/call', { name: 'counted' }, { id: `c${at}` })
    await sleep(1)
  }
  await until(() => peer.input.isPaused(), 'the stop')
  t.ok(calls < 40, `${calls} calls`)
  peer.output.resume()
  await until(() => peer.got.length === 60, 'all answers')
  t.equal(calls, 60)
})

t.test('the end of stdin ends the server once what was asked is answered', async t => {
  const slow = defineTool({
    name: 'slow',
    async handler() {
      await sleep(100)
      return 'done'
    },
  })
  const peer = await connectPeer(t, { tools: [slow] })
  peer.begin('tools/call', { name: 'slow' }, { id: 'last' })
  peer.input.end('{"jsonrpc":"2.0","id":"unended","method":"ping"}')
  await until(() => peer.ends.length === 1, 'the end')
  await peer.app.close()
  t.strictSame(peer.ends, ['stdin has ended'])
  t.strictSame(new Set(peer.got.map(({ id }) => id)), new Set(['last', 'unended']))
})

t.test('a question that waits as stdin ends is over', async t => {
  const asks = defineTool({
    name: 'asks',
    async handler(_args, ctx) {
      const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' } } }
      await ctx.elicit('name', { message: 'Your name?', requestedSchema })
      return 'never'
    },
  })
  const peer = await connectPeer(t, { tools: [asks], drainMs: 60_000 })
  await peer.open('2025-11-25', { elicitation: { form: {} } })
  peer.write({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'asks' } })
  await peer.nextOf('elicitation/create')
  peer.input.end()
  t.match(await peer.answerTo('call'), { result: { isError: true } })
})

t.test('a question that comes after the end of stdin is over at once', async t => {
  const open = Promise.withResolvers<void>()
  const asks = defineTool({
    name: 'asks',
    async handler(_args, ctx) {
      await open.promise
      await ctx.listRoots('roots')
      return 'never'
    },
  })
  const peer = await connectPeer(t, { tools: [asks], drainMs: 60_000 })
  await peer.open('2025-11-25', { roots: {} })
  peer.write({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'asks' } })
  peer.input.end()
  await until(() => peer.ends.length === 1, 'the end')
  open.resolve()
  t.match(await peer.answerTo('call'), { result: { isError: true, content: [{ text: /sends no more/ }] } })
})

t.test('no further message is read while one is counted elsewhere', async t => {
  const { state, count } = holdCount()
  const peer = await connectPeer(t, { tools: [echo], state })
  for (const id of ['first', 'second']) peer.begin('ping', {}, { id })
  await until(() => peer.input.isPaused(), 'the stop')
  for (let at = 0; at < 100; at++) peer.input.write('x'.repeat(1000))
  t.ok(peer.input.readableLength > 0, 'what follows is not read')
  peer.input.write('\n')
  count()
  await peer.answerTo('second')
  await peer.next(({ error }) => error?.code === -32700)
})

t.test('a client that has gone cancels its calls', async t => {
  const stopped = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const waits = defineTool({
    name: 'waits',
    async handler(_args, { signal }) {
      begun.resolve()
      await aborted(signal)
      stopped.resolve()
      throw new ToolError('stopped')
    },
  })
  const peer = await connectPeer(t, { tools: [waits] })
  peer.begin('tools/call', { name: 'waits' })
  await begun.promise
  peer.output.destroy(Object.assign(new Error('broken pipe'), { code: 'EPIPE' }))
  await stopped.promise
  await until(() => peer.ends.length === 1, 'the end')
  t.strictSame(peer.ends, ['stdout is closed'])
})

t.test('lines are read from chunks of any size, and cut at their bound', async t => {
  const lines: string[] = []
  const reader = new LineReader(line => lines.push(String(line)), 4)
  for (const byte of 'ab\ncd\r\n\nefghij') reader.push(Buffer.from(byte))
  reader.push(Buffer.from('klm\nno'))
  reader.end()
  t.strictSame(lines, ['ab', 'cd', 'efghi', 'no'])
})

t.test('the log of a server with this door goes to stderr', async t => {
  const { spawn } = await import('node:child_process')
  const program = `
    import { createServer, defineTool } from './src/index.ts'
    import { stdio } from './packages/toolrack/door.ts'
    const tool = defineTool({ name: 'prints', handler: () => (console.log('to stderr'), 'printed') })
    const app = await createServer({ doors: [stdio()], tools: [tool] })
    await app.ready()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'pipe'] })
  const [out, err] = [child.stdout, child.stderr].map(async stream => (await stream.toArray()).join(''))
  const { request } = await import('../../../../test/support/request.ts')
  child.stdin.end(`${JSON.stringify(request('tools/call', { name: 'prints' }).message)}\n`)
  const [code] = await once(child, 'exit')
  t.equal(code, 0)
  t.match(JSON.parse((await out)!), { result: { content: [{ text: 'printed' }] } })
  t.match(await err, /to stderr/)
  t.match(await err, /"tool":"prints"/)
})
