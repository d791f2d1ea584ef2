// my-tools/get_price.ts
import { defineTool, ToolError, Type } from 'toolrack'

const prices = new Map([
  ['ABC-1234', 12.5],
  ['XYZ-9876', 80],
])

export default defineTool({
  name: 'get_price',
  description: 'Looks up the price of a product by its SKU. Example: { "sku": "ABC-1234" }.',
  inputSchema: Type.Object({ sku: Type.String({ pattern: '^[A-Z]{3}-\\d{4}$' }) }),
  outputSchema: Type.Object({ price: Type.Number(), currency: Type.String() }),
  annotations: { readOnlyHint: true },
  handler({ sku }) {
    const price = prices.get(sku)
    if (price === undefined) throw new ToolError(`There is no product ${sku}.`)
    return { price, currency: 'EUR' }
  },
})
