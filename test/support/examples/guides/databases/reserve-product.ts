import { defineTool, ToolError, Type } from 'toolrack'
import { writer } from './_sqlite.ts'

export { close, setup } from './_sqlite.ts'

export default defineTool({
  name: 'reserve_product',
  description: 'Reserves pieces of a product. Example: { "sku": "LAMP-1", "quantity": 1 }.',
  inputSchema: Type.Object({ sku: Type.String(), quantity: Type.Integer({ minimum: 1 }) }),
  outputSchema: Type.Object({ reservation: Type.Integer() }),
  annotations: { destructiveHint: false },
  idempotency: true,
  handler({ sku, quantity }) {
    writer.exec('BEGIN IMMEDIATE')
    try {
      const taken = writer
        .prepare('UPDATE products SET stock = stock - $quantity WHERE sku = $sku AND stock >= $quantity')
        .run({ sku, quantity })
      if (taken.changes === 0) throw new ToolError(`There are not ${quantity} of ${sku}. Look with find_products.`)
      const { lastInsertRowid } = writer
        .prepare('INSERT INTO reservations (sku, quantity) VALUES ($sku, $quantity)')
        .run({ sku, quantity })
      writer.exec('COMMIT')
      return { reservation: Number(lastInsertRowid) }
    } catch (error) {
      writer.exec('ROLLBACK')
      throw error
    }
  },
})
