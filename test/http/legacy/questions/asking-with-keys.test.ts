// Calls with an idempotency key that ask the client of a session.
import { mock } from 'node:test'
import t from 'tap'
import { build } from '../../../support/app.ts'
import { type AppClient, connected, open } from '../../../support/client/app-client.ts'
import { type TestReply, textOf } from '../../../support/client/reply.ts'
import { accept, form } from '../../../support/input/rounds.ts'
import { tool } from '../../../support/steered-tools.ts'

const KEY = { idempotencyKey: '1' }

t.test('a cancellation reaches a call that goes on after an answer', async t => {
  let begin = () => {}
  const begun = new Promise<void>(resolve => (begin = resolve))
  const writer = tool('write', async ctx => {
    await ctx.elicit('name', form('name'))
    const aborted = new Promise<string>(resolve => {
      ctx.signal.addEventListener('abort', () => resolve(ctx.signal.reason.message))
    })
    begin()
    return aborted
  })
  const client = await connected(t, { tools: [{ ...writer, idempotency: true }] })
  const request = client.request('tools/call', { name: 'write', arguments: KEY })
  const call = await client.post(request)
  await client.answer(await call.next(0), accept({ name: 'Ada' }))
  await begun

  await client.notify('notifications/cancelled', { requestId: request.id })
  await call.ended

  t.match(textOf(await client.callTool('write', KEY)), /^write was cancelled by the client\. It may have acted/)
})

interface Asked {
  client: AppClient
  requestId: unknown
}

/** Waits without a timer, since a test replaces them. */
function nextMessage(call: TestReply): Promise<void> {
  return new Promise(resolve => {
    const look = () => (call.messages[0] ? resolve() : setImmediate(look))
    look()
  })
}

const ends: Record<string, (asked: Asked) => unknown> = {
  'is cancelled': ({ client, requestId }) => client.notify('notifications/cancelled', { requestId }),
  'finds its session ended': ({ client }) => client.end(),
  'gets no answer within ten minutes': () => mock.timers.tick(10 * 60 * 1000),
}

for (const [what, end] of Object.entries(ends)) {
  t.test(`a call that ${what} while its user is asked does not use its key up`, async t => {
    const runs: string[] = []
    const writer = tool('write', async ctx => {
      runs.push('begun')
      const { action } = await ctx.elicit('name', form('name'))
      runs.push(action)
      return action
    })
    const app = await build(t, { tools: [{ ...writer, idempotency: true }] })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const client = await open(t, app)
    const other = await open(t, app)
    const request = client.request('tools/call', { name: 'write', arguments: KEY })
    mock.timers.enable({ apis: ['setTimeout'] })
    t.teardown(() => mock.timers.reset())
    const call = await client.post(request)
    await nextMessage(call)

    await end({ client, requestId: request.id })
    await call.ended
    mock.timers.reset()

    const again = await other.post(other.request('tools/call', { name: 'write', arguments: KEY }))
    await other.answer(await again.next(0), accept({ name: 'Ada' }))
    t.equal(await again.last().then(textOf), 'accept')
    t.strictSame(runs, ['begun', 'begun', 'begun', 'accept'])
  })
}
