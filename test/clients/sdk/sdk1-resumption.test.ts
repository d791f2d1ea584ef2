import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import t, { type Test } from 'tap'
import { definePrompt, defineTool, type ServerOptions } from '../../../src/index.ts'
import { listening } from '../../support/app.ts'
import { until } from '../../support/clients/connect.ts'
import { type ConnectOptions, connectSdk1 } from '../../support/clients/connect-sdk1.ts'
import { faultsOf } from '../../support/clients/faults.ts'
import { gated } from '../../support/clients/gate.ts'
import { proxyTo } from '../../support/clients/proxy.ts'
import type { Recorder } from '../../support/clients/recorder.ts'

// They mostly wait.
t.jobs = 4

/** A client whose connections can be cut; it takes each cut for a fault, which is none of the test's. */
async function behindProxy(t: Test, server: ServerOptions, options: ConnectOptions = {}) {
  const faults = faultsOf(t)
  const { app, port } = await listening(t, server)
  const proxy = await proxyTo(t, port)
  const connected = await connectSdk1(t, proxy.url, { ...options, isQuick: true })
  connected.client.onerror = error => {
    if (!/SSE stream disconnected|fetch failed|Failed to reconnect/.test(error.message)) faults.push(error)
  }
  // The stream of news has begun, so that nothing is under way but what the test does.
  await until(() => connected.http.of('GET')[0]?.status === 200, 'the stream of news')
  return { app, proxy, ...connected }
}

const returnsOf = (http: Recorder) => http.of('GET').filter(({ headers }) => headers.has('last-event-id'))

for (const how of ['cut', 'lose'] as const) {
  const what = how === 'cut' ? 'is cut' : 'is lost without the server noticing'
  t.test(`resumption: a call whose connection ${what} goes on, and its client gets the rest`, async t => {
    const { tool, runs, release } = gated()
    const steps: number[] = []
    const { client, http, proxy } = await behindProxy(t, { tools: [tool] })
    const call = client.callTool({ name: 'wait' }, undefined, { onprogress: step => steps.push(step.progress) })
    await until(() => steps.length === 1, 'the first step')

    proxy[how]()
    release()

    t.match(await call, { content: [{ text: 'done' }] })
    t.strictSame(steps, [1, 2])
    t.equal(runs.length, 1)
    t.ok(returnsOf(http).length >= 1)
  })
}

for (const version of ['2025-06-18', '2025-03-26']) {
  t.test(`resumption: a client of ${version} can come back too, once it has heard something`, async t => {
    const { tool, release } = gated()
    const steps: number[] = []
    const { client, http, proxy } = await behindProxy(t, { tools: [tool] }, { version })
    const call = client.callTool({ name: 'wait' }, undefined, { onprogress: step => steps.push(step.progress) })
    await until(() => steps.length === 1, 'the first step')

    proxy.cut()
    release()

    t.match(await call, { content: [{ text: 'done' }] })
    t.strictSame(steps, [1, 2])
    t.ok(returnsOf(http).length >= 1)
  })
}

t.test('resumption: what is said after the client is back reaches it too', async t => {
  const { tool, release } = gated()
  const steps: number[] = []
  const { client, http, proxy } = await behindProxy(t, { tools: [tool] })
  const call = client.callTool({ name: 'wait' }, undefined, { onprogress: step => steps.push(step.progress) })
  await until(() => steps.length === 1, 'the first step')

  proxy.cut()
  await until(() => returnsOf(http).filter(({ status }) => status === 200).length >= 2, 'the returns')
  release()

  t.match(await call, { content: [{ text: 'done' }] })
  t.strictSame(steps, [1, 2])
})

t.test('resumption: a connection that is cut again and again', async t => {
  const { tool, release } = gated()
  const steps: number[] = []
  const { client, http, proxy } = await behindProxy(t, { tools: [tool] })
  const call = client.callTool({ name: 'wait' }, undefined, { onprogress: step => steps.push(step.progress) })
  await until(() => steps.length === 1, 'the first step')

  for (const times of [1, 2]) {
    proxy.cut()
    await until(() => returnsOf(http).filter(({ status }) => status === 200).length >= times * 2, 'the returns')
  }
  release()

  t.match(await call, { content: [{ text: 'done' }] })
  t.strictSame(steps, [1, 2])
})

t.test('resumption: a quiet call survives too, once its stream is open', async t => {
  const { tool, release } = gated('quiet')
  const { client, http, proxy } = await behindProxy(t, { tools: [tool] })
  const call = client.callTool({ name: 'wait' })
  await until(() => http.of('tools/call')[0]?.status === 200, 'the stream')

  proxy.cut()
  release()

  t.match(await call, { content: [{ text: 'done' }] })
})

t.test('resumption: a question that was asked while the client was away waits for it', async t => {
  const { tool, release } = gated()
  const ask = defineTool({
    name: 'ask',
    async handler(args, ctx) {
      await tool.handler(args, ctx)
      const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' } } }
      const { content } = await ctx.elicit('name', { message: 'Your name?', requestedSchema })
      return `Hello ${content?.['name']}`
    },
  })
  const { client, http, proxy } = await behindProxy(
    t,
    { tools: [ask] },
    {
      capabilities: { elicitation: {} },
      prepare: client =>
        client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } })),
    },
  )
  const call = client.callTool({ name: 'ask' }, undefined, { onprogress() {} })
  await until(() => http.of('tools/call')[0]?.status === 200, 'the stream')

  proxy.cut()
  release()

  t.match(await call, { content: [{ text: 'Hello Ada' }] })
})

t.test('resumption: a list that changed while the client was away', async t => {
  const heard: string[] = []
  const { app, proxy } = await behindProxy(
    t,
    { tools: [{ name: 'old', handler: () => '' }] },
    {
      prepare: client =>
        client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => void heard.push(method)),
    },
  )

  proxy.cut()
  app.toolrack.add({ name: 'new', handler: () => '' })
  await until(() => heard.length > 0, 'the change')

  t.strictSame(heard, ['notifications/tools/list_changed'])
})

t.test('polling: a tool that closes the stream is heard of again when it has something to say', async t => {
  const { promise: isBack, resolve: letGo } = Promise.withResolvers<void>()
  const poll = defineTool({
    name: 'poll',
    async handler(_args, ctx) {
      ctx.progress(1, 2)
      ctx.closeStream()
      await isBack
      ctx.progress(2, 2)
      return 'done'
    },
  })
  const steps: number[] = []
  const { client, http } = await behindProxy(t, { tools: [poll] })

  const call = client.callTool({ name: 'poll' }, undefined, { onprogress: step => steps.push(step.progress) })
  await until(() => returnsOf(http)[0]?.status === 200, 'the return')
  letGo()

  t.match(await call, { content: [{ text: 'done' }] })
  t.strictSame(steps, [1, 2])
  t.equal(returnsOf(http).length, 1)
})

// This client comes back also where the stream has ended with an error.
t.test('resumption: the client that comes back after an error is told to stop', async t => {
  const isOpen = Promise.withResolvers<void>()
  // A prompt has no result that says what went wrong.
  const ask = definePrompt({
    name: 'ask',
    async handler(_args, ctx) {
      await isOpen.promise
      return `${(await ctx.listRoots('roots')).roots.length}`
    },
  })
  const { client, http } = await behindProxy(t, { prompts: [ask] })
  const asking = client.getPrompt({ name: 'ask' })
  asking.catch(() => {})
  await until(() => http.of('prompts/get')[0]?.status === 200, 'its stream')
  isOpen.resolve()

  await t.rejects(asking, { code: -32600 })

  await until(() => returnsOf(http).at(-1)?.status === 405, 'the refusal')
  t.equal(returnsOf(http).length, 1)
})
