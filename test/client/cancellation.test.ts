import { once } from 'node:events'
import t from 'tap'
import { defineTool } from '../../src/index.ts'
import { connect } from './connect.ts'
import { repeated } from './gate.ts'

// Who waits for the tool's deadline finds another reason.
const LEFT = { name: 'AbortError', message: 'The client left' }

function waiting() {
  const started = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<unknown>()
  const tool = defineTool({
    name: 'wait',
    async handler(_args, ctx) {
      started.resolve()
      ctx.progress(1)
      if (!ctx.signal.aborted) await once(ctx.signal, 'abort')
      aborted.resolve(ctx.signal.reason)
      return 'never seen'
    },
  })
  return { tool, started: started.promise, aborted: aborted.promise }
}

for (const [what, onprogress] of [
  ['before any message', undefined],
  ['after progress', () => {}],
] as const) {
  t.test(`cancellation: a call that the client aborts ${what} aborts the tool's signal`, async t => {
    const { tool, started, aborted } = waiting()
    const { client } = await connect(t, { tools: [tool] })
    const abort = new AbortController()
    const call = client.callTool({ name: 'wait' }, { signal: abort.signal, onprogress })
    call.catch(() => {})
    await started

    abort.abort()

    await t.rejects(call)
    t.match(await aborted, LEFT)
  })
}

t.test('cancellation: a client that closes aborts the tool', async t => {
  const { tool, started, aborted } = waiting()
  const { client, faults } = await connect(t, { tools: [tool] })
  const call = client.callTool({ name: 'wait' })
  call.catch(() => {})
  await started

  await client.close()

  await t.rejects(call)
  t.match(await aborted, LEFT)
  t.match(faults.splice(0), [{ name: 'AbortError' }])
})

t.test('cancellation: a timeout of the client aborts the tool', async t => {
  const { tool, aborted } = waiting()
  const { client } = await connect(t, { tools: [tool] })

  // On a busy machine the time may pass before the call is with the tool.
  const timeOut = () => t.rejects(client.callTool({ name: 'wait' }, { timeout: 300 }), { code: 'REQUEST_TIMEOUT' })
  t.match(await repeated(timeOut, aborted), LEFT)
})

t.test('cancellation: other calls of the same client go on', async t => {
  const { tool, started, aborted } = waiting()
  const open = Promise.withResolvers<void>()
  const slow = defineTool({ name: 'slow', handler: () => open.promise.then(() => 'done') })
  const { client } = await connect(t, { tools: [tool, slow] })
  const abort = new AbortController()
  const other = client.callTool({ name: 'slow' })
  client.callTool({ name: 'wait' }, { signal: abort.signal }).catch(() => {})
  await started

  abort.abort()
  await aborted
  open.resolve()

  t.match((await other).content, [{ type: 'text', text: 'done' }])
})
