import { defineTool, ToolError, Type } from 'toolrack'

const orders = new Map([
  [1, 'open'],
  [2, 'shipped'],
])

export default defineTool({
  name: 'cancel_order',
  description: 'Cancels an order that is not shipped yet. Example: { "id": 1 }.',
  inputSchema: Type.Object({ id: Type.Integer() }),
  outputSchema: Type.Object({ cancelled: Type.Boolean() }),
  scopes: ['orders:write'],
  async handler({ id }, { elicit }) {
    if (orders.get(id) !== 'open') throw new ToolError(`Order ${id} cannot be cancelled.`)
    const answer = await elicit('confirm', {
      message: `Cancel order ${id}?`,
      requestedSchema: {
        type: 'object',
        properties: { sure: { type: 'boolean' } },
        required: ['sure'],
      },
    })
    return { cancelled: answer.content?.['sure'] === true }
  },
})
