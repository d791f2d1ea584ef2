// Calls that end before their result, as every official client ends them.
import t from 'tap'
import { until } from '../../support/clients/connect.ts'
import { connectSdk1, serveSdk1, TRANSPORTS } from '../../support/clients/connect-sdk1.ts'
import { EVERY_CLIENT } from '../../support/clients/every-client.ts'
import { gated, repeated } from '../../support/clients/gate.ts'
import { giveUpAtOnce } from '../../support/legacy/give-up.ts'

// A tool whose deadline passes finds another reason.
const LEFT = { name: 'AbortError', message: 'The client left' }
const CANCELLED = { name: 'AbortError', message: 'The client cancelled the request' }

for (const { name, sdk, isModern, connect } of EVERY_CLIENT) {
  t.test(name, async t => {
    for (const [what, progress] of [
      ['before any message', 'quiet'],
      ['after progress', 'reports'],
    ] as const) {
      t.test(`cancellation: a call that the client aborts ${what} aborts the tool's signal`, async t => {
        const { tool, started, aborted } = gated(progress)
        const { client } = await connect(t, { tools: [tool] })
        const abort = new AbortController()
        const reported = Promise.withResolvers<unknown>()
        const onprogress = progress === 'quiet' && isModern ? undefined : reported.resolve
        const call = client.callTool({ name: 'wait' }, { signal: abort.signal, onprogress })
        call.catch(() => {})
        await (progress === 'quiet' ? started : reported.promise)

        abort.abort('enough')

        await t.rejects(call, { message: sdk === 1 ? /enough/ : /./ })
        t.match(await aborted, isModern ? LEFT : CANCELLED)
      })
    }

    t.test('cancellation: a timeout of the client aborts the tool', async t => {
      const { tool, aborted } = gated()
      const { client } = await connect(t, { tools: [tool] })
      const code = sdk === 1 ? -32001 : 'REQUEST_TIMEOUT'

      // On a busy machine the time may pass before the call is with the tool, or the cancellation come before the call.
      const timeOut = () => t.rejects(client.callTool({ name: 'wait' }, { timeout: 300 }), { code })
      t.match(await repeated(timeOut, aborted), isModern ? LEFT : { name: 'AbortError' })
    })

    t.test('cancellation: other calls of the same client go on', async t => {
      const { tool, started, aborted } = gated()
      const other = gated()
      const { client } = await connect(t, { tools: [tool, { ...other.tool, name: 'other' }] })
      const abort = new AbortController()
      const call = client.callTool({ name: 'other' })
      client.callTool({ name: 'wait' }, { signal: abort.signal }).catch(() => {})
      await Promise.all([started, other.started])

      abort.abort()
      await aborted
      other.release()

      t.match(await call, { content: [{ text: 'done' }] })
    })

    if (isModern)
      t.test('cancellation: a client that closes aborts the tool', async t => {
        const { tool, started, aborted } = gated()
        const { client, faults } = await connect(t, { tools: [tool] })
        const call = client.callTool({ name: 'wait' })
        call.catch(() => {})
        await started

        await client.close()

        await t.rejects(call)
        t.match(await aborted, LEFT)
        t.match(faults.splice(0), [{ name: 'AbortError' }])
      })
  })
}

for (const over of TRANSPORTS) {
  t.test(`cancellation: an id cancels within its own session only, over ${over}`, async t => {
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
}

// This client comes back to a stream that has ended without a result, until it is told that there is none.
t.test('cancellation: the client that comes back for a cancelled call is told to stop', async t => {
  const { tool, started, aborted } = gated()
  const { client, http } = await serveSdk1(t, { tools: [tool] }, { isQuick: true })
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
  giveUpAtOnce(t)
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
