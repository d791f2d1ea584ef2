import { defineTool, ToolError, Type } from 'toolrack'

export default defineTool({
  name: 'get_price',
  description: 'Looks up the price of a product by its SKU. Example: { "sku": "ABC-1234" }.',
  inputSchema: Type.Object({ sku: Type.String({ pattern: '^[A-Z]{3}-\\d{4}$' }) }),
  outputSchema: Type.Object({ price: Type.Number(), currency: Type.String() }),
  annotations: { readOnlyHint: true },
  async handler({ sku }, { signal }) {
    const response = await fetch(`https://prices.example/${sku}`, { signal })
    if (response.status === 404) throw new ToolError(`There is no product ${sku}.`)
    const { price } = (await response.json()) as { price: number }
    return { price, currency: 'EUR' }
  },
})
