import { createServer, definePrompt, defineResource, defineTool, ToolError } from 'toolrack'
import { z } from 'zod'

const PRICES: Record<string, number> = { 'ABC-1234': 42, 'ABC-5678': 7 }

const Order = z.object({
  sku: z.string().toUpperCase(),
  day: z.iso.date().transform(text => new Date(text)),
})

const getPrice = defineTool({
  name: 'get_price',
  title: 'Price',
  description: 'Looks up the price of a product.',
  inputSchema: z.object({ sku: z.string(), count: z.number().int().min(1).default(1) }),
  outputSchema: z.object({ price: z.number(), currency: z.string() }),
  annotations: { readOnlyHint: true },
  handler({ sku, count }) {
    const price = PRICES[sku]
    if (price === undefined) throw new ToolError(`There is no product ${sku}.`)
    return { price: price * count, currency: 'EUR' }
  },
})

const countStock = defineTool({
  name: 'count_stock',
  description: 'Counts the stock.',
  handler(_args, { progress, signal }) {
    for (const shelf of [1, 2, 3]) {
      if (signal.aborted) break
      progress(shelf, 3, `Shelf ${shelf}`)
    }
    return '12 products'
  },
})

const order = defineTool({
  name: 'order',
  description: 'Orders a product, if the user agrees.',
  inputSchema: Order,
  async handler({ sku, day }, ctx) {
    const answer = await ctx.elicit('sure', {
      message: `Order ${sku}?`,
      requestedSchema: {
        type: 'object',
        properties: { sure: { type: 'boolean' } },
        required: ['sure'],
      },
    })
    const isSure = answer.action === 'accept' && answer.content?.sure === true
    return isSure ? `${sku} comes on ${day.toUTCString()}.` : 'Ordered nothing.'
  },
})

const products = Object.keys(PRICES).map(sku =>
  defineResource({
    name: sku,
    uri: `products://${sku}`,
    mimeType: 'application/json',
    handler: () => JSON.stringify({ price: PRICES[sku] }),
  }),
)

const product = defineResource({
  name: 'product',
  uriTemplate: 'products://{sku}',
  mimeType: 'application/json',
  handler: (_uri, { sku }) => JSON.stringify({ price: PRICES[sku!] }),
})

const describe = definePrompt({
  name: 'describe',
  description: 'Describes a product.',
  arguments: [{ name: 'sku', required: true }],
  handler: ({ sku }) => [
    { role: 'assistant', content: { type: 'text', text: 'I write for the catalogue.' } },
    { role: 'user', content: { type: 'text', text: `Describe ${sku}.` } },
  ],
})

const app = await createServer({
  name: 'shop',
  version: '1.0.0',
  tools: [getPrice, countStock, order],
  resources: [product, ...products],
  prompts: [describe],
})
await app.listen({ port: Number(process.env.PORT ?? 3000) })
