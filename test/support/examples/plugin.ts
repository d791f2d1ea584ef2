import Fastify from 'fastify'
import toolrack, { defineTool, Type } from 'toolrack'

const getPrice = defineTool({
  name: 'get_price',
  inputSchema: Type.Object({ sku: Type.String() }),
  outputSchema: Type.Object({ price: Type.Number() }),
  handler: ({ sku }) => ({ price: sku.length }),
})

const app = Fastify({ logger: true })
await app.register(toolrack, {
  tools: [getPrice],
  name: 'shop',
  version: '1.0.0',
  publicUrl: 'https://shop.example/mcp',
})
app.get('/metrics', () => app.toolrack.metrics())
await app.listen({ host: '0.0.0.0', port: 3000 })
