// Questions, cancellation and tasks on stdin and stdout.
import t from 'tap'
import { defineTool } from '../../../../src/index.ts'
import { aborted, connectPeer, type StdioPeer } from '../../../../test/support/doors/stdio-peer.ts'
import { until } from '../../../../test/support/eventually.ts'

const form = {
  message: 'Your name?',
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' } }, required: ['name'] },
}
const greet = defineTool({
  name: 'greet',
  async handler(_args, ctx) {
    const { content } = await ctx.elicit('name', form)
    return `Hello ${content?.['name']}`
  },
})
const think = defineTool({
  name: 'think',
  async handler(_args, ctx) {
    const thought = await ctx.sample('thought', {
      messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
      maxTokens: 5,
    })
    const { roots } = await ctx.listRoots('roots')
    return JSON.stringify([thought, roots])
  },
})
const ABLE = { elicitation: { form: {} }, sampling: {}, roots: {} }

const waiting = () => {
  const signals: AbortSignal[] = []
  const waits = defineTool({
    name: 'waits',
    async handler(_args, { signal }) {
      signals.push(signal)
      await aborted(signal)
      return 'stopped'
    },
  })
  return { waits, signals }
}

async function answer(peer: StdioPeer, method: string, result: object): Promise<void> {
  const { id } = await peer.nextOf(method)
  peer.write({ jsonrpc: '2.0', id, result })
}

t.test('a session is asked by requests', async t => {
  const peer = await connectPeer(t, { tools: [greet, think] })
  await peer.open('2025-11-25', ABLE)

  const greeting = peer.send('tools/call', { name: 'greet' })
  await answer(peer, 'elicitation/create', { action: 'accept', content: { name: 'Ada' } })
  t.match(await greeting, { result: { content: [{ text: 'Hello Ada' }] } })

  const thought = peer.send('tools/call', { name: 'think' })
  const content = { type: 'text', text: 'Hello' }
  await answer(peer, 'sampling/createMessage', { role: 'assistant', content, model: 'm' })
  await answer(peer, 'roots/list', { roots: [{ uri: 'file:///home' }] })
  t.match((await thought).result.content[0].text, /Hello.*file:\/\/\/home/)
})

t.test('2026-07-28: questions come back, and the request is repeated with the answers', async t => {
  const peer = await connectPeer(t, { tools: [greet] })
  const able = { capabilities: ABLE }
  const { result } = await peer.ask('tools/call', { name: 'greet' }, able)
  t.match(result, { resultType: 'input_required', inputRequests: { name: { method: 'elicitation/create' } } })

  const inputResponses = { name: { action: 'accept', content: { name: 'Ada' } } }
  const { requestState } = result
  const params = { name: 'greet', requestState, inputResponses }
  t.match(await peer.ask('tools/call', params, able), { result: { content: [{ text: 'Hello Ada' }] } })
})

t.test('a request that is cancelled is stopped, and gets no answer, in both eras', async t => {
  const { waits, signals } = waiting()
  const peer = await connectPeer(t, { tools: [waits] })
  await peer.open('2025-11-25')
  const { length } = peer.got

  peer.begin('tools/call', { name: 'waits' }, { id: 'modern' })
  peer.write({ jsonrpc: '2.0', id: 'legacy', method: 'tools/call', params: { name: 'waits' } })
  await until(() => signals.length === 2, 'both calls')
  t.match(await peer.ask('tools/call', { name: 'waits' }, { id: 'modern' }), { error: { code: -32600 } }, 'an id twice')
  peer.got.length = length
  for (const requestId of ['modern', 'legacy', 'unknown', 1.5]) peer.notify('notifications/cancelled', { requestId })
  await Promise.all(signals.map(aborted))

  await peer.send('ping')
  t.equal(peer.got.length, length + 1, 'the answer to the ping alone')
  const outcomes = peer.app.audit.lines.filter(({ tool, outcome }) => tool === 'waits' && outcome === 'cancelled')
  t.equal(outcomes.length, 2)
})

t.test('a question that its call no longer needs is withdrawn', async t => {
  const peer = await connectPeer(t, { tools: [greet] })
  await peer.open('2025-11-25', ABLE)
  peer.write({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'greet' } })
  const { id } = await peer.nextOf('elicitation/create')
  peer.notify('notifications/cancelled', { requestId: 'call' })
  t.match(await peer.nextOf('notifications/cancelled'), { params: { requestId: id } })
})

t.test('tasks of a session tell their status, and end with it', async t => {
  const { waits, signals } = waiting()
  const peer = await connectPeer(t, { tools: [defineTool({ ...waits, task: 'optional' } as typeof waits)] })
  await peer.open('2025-11-25')

  const { result } = await peer.send('tools/call', { name: 'waits', task: {} })
  t.match(result, { task: { status: 'working' } })
  await until(() => signals.length === 1, 'the run')
  t.match(await peer.send('tasks/get', { taskId: result.task.taskId }), { result: { status: 'working' } })
  t.match(await peer.send('tasks/cancel', { taskId: result.task.taskId }), { result: { status: 'cancelled' } })
  await aborted(signals[0]!)
})

t.test('2026-07-28: a task is subscribed to, and cancelled', async t => {
  const { waits, signals } = waiting()
  const peer = await connectPeer(t, { tools: [defineTool({ ...waits, task: 'required' } as typeof waits)] })
  const able = { capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }

  const { result } = await peer.ask('tools/call', { name: 'waits' }, able)
  t.match(result, { resultType: 'task', taskId: String })
  const { taskId } = result
  peer.begin('subscriptions/listen', { notifications: { taskIds: [taskId] } }, { ...able, id: 'sub' })
  t.match(await peer.nextOf('notifications/tasks'), { params: { taskId, status: 'working' } })
  await until(() => signals.length === 1, 'the run')
  await peer.ask('tasks/cancel', { taskId }, able)
  await peer.next(({ method, params }) => method === 'notifications/tasks' && params.status === 'cancelled')
  await aborted(signals[0]!)
})
