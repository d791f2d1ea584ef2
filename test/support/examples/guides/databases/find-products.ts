import { defineTool, Type } from 'toolrack'
import { reader } from './_sqlite.ts'

export { close, setup } from './_sqlite.ts'

const MOST = 50
const Product = Type.Object({ sku: Type.String(), name: Type.String(), stock: Type.Integer() })
type Product = { sku: string; name: string; stock: number }

export default defineTool({
  name: 'find_products',
  description: 'Finds products by a part of their name. Example: { "text": "lamp" }.',
  inputSchema: Type.Object({ text: Type.String({ minLength: 2, maxLength: 100 }) }),
  outputSchema: Type.Object({ products: Type.Array(Product), hasMore: Type.Boolean() }),
  annotations: { readOnlyHint: true },
  handler({ text }) {
    const rows = reader
      .prepare('SELECT sku, name, stock FROM products WHERE name LIKE $like ORDER BY name LIMIT $limit')
      .all({ like: `%${text}%`, limit: MOST + 1 }) as Product[]
    return { products: rows.slice(0, MOST), hasMore: rows.length > MOST }
  },
})
