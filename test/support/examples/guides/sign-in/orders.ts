import { defineTool, ToolError, Type } from 'toolrack'

const orders = new Map([
  [1, { owner: 'alice', state: 'open' }],
  [2, { owner: 'bob', state: 'open' }],
])

const findOrders = defineTool({
  name: 'find_orders',
  description: 'Lists your orders.',
  annotations: { readOnlyHint: true },
  scopes: ['orders:read'],
  handler(_args, { caller }) {
    const own = [...orders].filter(([, order]) => order.owner === caller?.subject)
    return own.map(([id, { state }]) => ({ id, state }))
  },
})

const cancelOrder = defineTool({
  name: 'cancel_order',
  description: 'Cancels one of your orders. Example: { "id": 1 }.',
  inputSchema: Type.Object({ id: Type.Integer() }),
  scopes: ['orders:write'],
  handler({ id }, { caller }) {
    const order = orders.get(id)
    if (order === undefined || order.owner !== caller?.subject) throw new ToolError(`You have no order ${id}.`)
    order.state = 'cancelled'
    return `Order ${id} is cancelled.`
  },
})

export default [findOrders, cancelOrder]
