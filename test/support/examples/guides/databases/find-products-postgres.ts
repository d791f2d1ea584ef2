import { defineTool, Type } from 'toolrack'
import { reader } from './_postgres.ts'

export { close, setup } from './_postgres.ts'

const MOST = 50
const Product = Type.Object({ sku: Type.String(), name: Type.String(), stock: Type.Integer() })
type Product = { sku: string; name: string; stock: number }

export default defineTool({
  name: 'find_products',
  description: 'Finds products by a part of their name. Example: { "text": "lamp" }.',
  inputSchema: Type.Object({ text: Type.String({ minLength: 2, maxLength: 100 }) }),
  outputSchema: Type.Object({ products: Type.Array(Product), hasMore: Type.Boolean() }),
  annotations: { readOnlyHint: true },
  requires: ['SHOP_READ_URL', 'SHOP_WRITE_URL'],
  async handler({ text }) {
    const { rows } = await reader.query<Product>(
      'SELECT sku, name, stock FROM products WHERE name ILIKE $1 ORDER BY name LIMIT $2',
      [`%${text}%`, MOST + 1],
    )
    return { products: rows.slice(0, MOST), hasMore: rows.length > MOST }
  },
})
