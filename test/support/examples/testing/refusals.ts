import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type TestTools, testTools } from 'toolrack/testing'
import cancelOrder from './cancel-order.ts'

let tools: TestTools<typeof cancelOrder>
before(async () => {
  tools = await testTools(cancelOrder, { caller: { subject: 'ann', scopes: ['orders:write'] } })
})
after(() => tools.close())

test('a shipped order stays', async () => {
  const { isError, text } = await tools.call('cancel_order', { id: 2 })

  assert.equal(isError, true)
  assert.equal(text, 'Order 2 cannot be cancelled.')
})

test('an order stays if the user declines', async () => {
  const answers = { confirm: 'decline' }
  const { structuredContent } = await tools.call('cancel_order', { id: 1 }, { answers })

  assert.deepEqual(structuredContent, { cancelled: false })
})

test('a caller without the scope is refused', async () => {
  const call = tools.call('cancel_order', { id: 1 }, { caller: { subject: 'bob' } })

  await assert.rejects(call, { reason: 'INSUFFICIENT_SCOPE' })
})
