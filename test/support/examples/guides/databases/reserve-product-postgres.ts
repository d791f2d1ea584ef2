import { defineTool, ToolError, Type } from 'toolrack'
import { writer } from './_postgres.ts'

export { close, setup } from './_postgres.ts'

export default defineTool({
  name: 'reserve_product',
  description: 'Reserves pieces of a product. Example: { "sku": "LAMP-1", "quantity": 1 }.',
  inputSchema: Type.Object({ sku: Type.String(), quantity: Type.Integer({ minimum: 1 }) }),
  outputSchema: Type.Object({ reservation: Type.Integer() }),
  annotations: { destructiveHint: false },
  requires: ['SHOP_READ_URL', 'SHOP_WRITE_URL'],
  idempotency: true,
  async handler({ sku, quantity }) {
    const client = await writer.connect()
    try {
      await client.query('BEGIN')
      const taken = await client.query('UPDATE products SET stock = stock - $2 WHERE sku = $1 AND stock >= $2', [
        sku,
        quantity,
      ])
      if (taken.rowCount === 0) throw new ToolError(`There are not ${quantity} of ${sku}. Look with find_products.`)
      const { rows } = await client.query<{ id: number }>(
        'INSERT INTO reservations (sku, quantity) VALUES ($1, $2) RETURNING id',
        [sku, quantity],
      )
      await client.query('COMMIT')
      client.release()
      return { reservation: rows[0]!.id }
    } catch (error) {
      // The connection goes, and with it the transaction.
      client.release(true)
      throw error
    }
  },
})
