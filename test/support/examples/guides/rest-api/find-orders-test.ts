import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { testTools } from 'toolrack/testing'
import findOrders from './find-orders.ts'

/** What the fake shop answers next. */
let answer = { status: 200, headers: {}, body: '' }
const asked: http.IncomingMessage[] = []
const shop = http.createServer((request, response) => {
  asked.push(request)
  response.writeHead(answer.status, answer.headers).end(answer.body)
})

before(async () => {
  await once(shop.listen(0, '127.0.0.1'), 'listening')
  process.env['SHOP_API_URL'] = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/v1/`
  process.env['SHOP_API_KEY'] = 'key-of-the-test'
})
after(() => shop.close())

test('a page of orders, and where the next one begins', async () => {
  const tools = await testTools(findOrders)
  const orders = [{ id: 7, state: 'open', total: 12.5, internal: 'x' }]
  answer = { status: 200, headers: {}, body: JSON.stringify({ orders, next: 'p2' }) }

  const { structuredContent } = await tools.call('find_orders', { state: 'open' })

  assert.deepEqual(structuredContent, { orders: [{ id: 7, state: 'open', total: 12.5 }], nextCursor: 'p2' })
  assert.equal(asked.at(-1)?.url, '/v1/orders?limit=50&state=open')
  assert.equal(asked.at(-1)?.headers.authorization, 'Bearer key-of-the-test')
  await tools.close()
})

test('a long wait is for the model to decide', async () => {
  const tools = await testTools(findOrders)
  answer = { status: 429, headers: { 'retry-after': '120' }, body: '' }

  const { isError, text } = await tools.call('find_orders', {})

  assert.equal(isError, true)
  assert.equal(text, 'The shop is busy. Call again in 120 seconds.')
  await tools.close()
})
