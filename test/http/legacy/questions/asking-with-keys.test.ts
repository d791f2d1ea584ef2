// Calls with an idempotency key that ask the client of a session.
import t from 'tap'
import { accept, form } from '../../../support/input/rounds.ts'
import { connected, textOf, tool } from '../../../support/legacy/session.ts'

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
