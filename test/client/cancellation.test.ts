import { once } from 'node:events'
import t from 'tap'
import { defineTool } from '../../src/index.ts'
import { connect } from './connect.ts'

// Generous: a busy machine must not fail it, a server that waits for the tool's deadline must.
const SOON_MS = 2000

function waiting() {
  const started = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<{ atMs: number; reason: unknown }>()
  const tool = defineTool({
    name: 'wait',
    async handler(_args, ctx) {
      started.resolve()
      ctx.progress(1)
      if (!ctx.signal.aborted) await once(ctx.signal, 'abort')
      aborted.resolve({ atMs: performance.now(), reason: ctx.signal.reason })
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

    const fromMs = performance.now()
    abort.abort()

    await t.rejects(call)
    const { atMs, reason } = await aborted
    t.ok(atMs - fromMs < SOON_MS)
    t.match(reason, { name: 'AbortError' })
  })
}

t.test('cancellation: a client that closes aborts the tool', async t => {
  const { tool, started, aborted } = waiting()
  const { client, faults } = await connect(t, { tools: [tool] })
  const call = client.callTool({ name: 'wait' })
  call.catch(() => {})
  await started

  const fromMs = performance.now()
  await client.close()

  await t.rejects(call)
  t.ok((await aborted).atMs - fromMs < SOON_MS)
  t.match(faults.splice(0), [{ name: 'AbortError' }])
})

t.test('cancellation: a timeout of the client aborts the tool', async t => {
  const { tool, aborted } = waiting()
  const { client } = await connect(t, { tools: [tool] })

  await t.rejects(client.callTool({ name: 'wait' }, { timeout: 300 }), { code: 'REQUEST_TIMEOUT' })

  t.match((await aborted).reason, { name: 'AbortError' })
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
