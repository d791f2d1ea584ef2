import t from 'tap'
import { until } from './connect.ts'
import { connectSdk1, serveSdk1, TRANSPORTS } from './connect-sdk1.ts'
import { gated, repeated } from './gate.ts'

for (const over of TRANSPORTS) {
  t.test(`SDK 1.x over ${over}`, async t => {
    for (const [what, progress] of [
      ['before any message', 'quiet'],
      ['after progress', 'reports'],
    ] as const) {
      t.test(`cancellation: a call that the client aborts ${what} aborts the tool's signal`, async t => {
        const { tool, started, aborted } = gated(progress)
        const { client } = await serveSdk1(t, { tools: [tool] }, { over })
        const abort = new AbortController()
        const reported = Promise.withResolvers<unknown>()
        const options = { signal: abort.signal, onprogress: reported.resolve }
        const call = client.callTool({ name: 'wait' }, undefined, options)
        call.catch(() => {})
        await (progress === 'quiet' ? started : reported.promise)

        abort.abort('enough')

        await t.rejects(call, /enough/)
        t.match(await aborted, { name: 'AbortError', message: 'The client cancelled the request' })
      })
    }

    t.test('cancellation: a timeout of the client aborts the tool', async t => {
      const { tool, aborted } = gated()
      const { client } = await serveSdk1(t, { tools: [tool] }, { over })

      // On a busy machine the time may pass before the call is with the tool, or the cancellation come before the call.
      const timeOut = () => t.rejects(client.callTool({ name: 'wait' }, undefined, { timeout: 300 }), { code: -32001 })
      t.match(await repeated(timeOut, aborted), { name: 'AbortError' })
    })

    t.test('cancellation: other calls of the same client go on', async t => {
      const { tool, started, aborted } = gated()
      const other = gated()
      const { client } = await serveSdk1(t, { tools: [tool, { ...other.tool, name: 'other' }] }, { over })
      const abort = new AbortController()
      const call = client.callTool({ name: 'other' })
      client.callTool({ name: 'wait' }, undefined, { signal: abort.signal }).catch(() => {})
      await Promise.all([started, other.started])

      abort.abort()
      await aborted
      other.release()

      t.match(await call, { content: [{ text: 'done' }] })
    })

    t.test('cancellation: an id cancels within its own session only', async t => {
      const { tool, runs, release } = gated()
      const { client, url } = await serveSdk1(t, { tools: [tool] }, { over })
      const { client: stranger } = await connectSdk1(t, url, { over })
      const call = client.callTool({ name: 'wait' })
      await until(() => runs.length === 1, 'the call')

      await stranger.notification({ method: 'notifications/cancelled', params: { requestId: Number(runs[0]) } })
      await stranger.ping()
      release()

      t.match(await call, { content: [{ text: 'done' }] })
    })
  })
}

// This client comes back to a stream that has ended without a result, until it is told that there is none.
t.test('cancellation: the client that comes back for a cancelled call is told to stop', async t => {
  const { tool, started, aborted } = gated()
  const { client, http } = await serveSdk1(t, { tools: [tool] })
  const abort = new AbortController()
  client.callTool({ name: 'wait' }, undefined, { signal: abort.signal, onprogress() {} }).catch(() => {})
  await started
  await until(() => http.of('tools/call')[0]?.status === 200, 'the stream')

  abort.abort()
  await aborted
  const returns = () => http.of('GET').filter(({ headers }) => headers.has('last-event-id'))
  await until(() => returns().at(-1)?.status === 405, 'the refusal')

  t.ok(returns().length <= 2)
  t.strictSame(await client.ping(), {})
})

t.test('cancellation: a client of HTTP+SSE that closes aborts the tool', async t => {
  const { tool, started, aborted } = gated()
  const { client, http } = await serveSdk1(t, { tools: [tool] }, { over: 'HTTP+SSE' })
  const call = client.callTool({ name: 'wait' })
  call.catch(() => {})
  await started
  await until(() => http.of('tools/call')[0]?.status === 202, 'the receipt')

  await client.close()

  await t.rejects(call, { code: -32000 })
  t.match(await aborted, { name: 'AbortError' })
})
