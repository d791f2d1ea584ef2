import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testTools } from 'toolrack/testing'
import cancelOrder from './cancel-order.ts'

test('an open order is cancelled once the user is sure', async () => {
  const tools = await testTools(cancelOrder, {
    caller: { subject: 'ann', scopes: ['orders:write'] },
    answers: { confirm: { sure: true } },
  })

  const { structuredContent, questions } = await tools.call('cancel_order', { id: 1 })

  assert.deepEqual(structuredContent, { cancelled: true })
  assert.equal(questions[0]?.message, 'Cancel order 1?')
  await tools.close()
})
