import { FastMCP, imageContent, UserError } from 'fastmcp'
import { z } from 'zod'

const PRICES: Record<string, number> = { 'ABC-1234': 42, 'ABC-5678': 7 }
const USERS: Record<string, { name: string; role: string }> = {
  'key-of-ada': { name: 'ada', role: 'admin' },
  'key-of-bob': { name: 'bob', role: 'clerk' },
}
const GIF = 'R0lGODlhAQABAAAAACw='
const carts = new Map<string, string[]>()

const server = new FastMCP({
  name: 'shop',
  version: '1.0.0',
  authenticate: async request => {
    const user = USERS[String(request.headers['x-api-key'])]
    if (user === undefined) throw new Response(null, { status: 401 })
    return user
  },
})

server.addTool({
  name: 'get_price',
  description: 'Looks up the price of a product.',
  annotations: { title: 'Price', readOnlyHint: true },
  parameters: z.object({ sku: z.string(), count: z.number().int().min(1).default(1) }),
  outputSchema: z.object({ price: z.number(), currency: z.string() }),
  execute: async ({ sku, count }) => {
    const price = PRICES[sku]
    if (price === undefined) throw new UserError(`There is no product ${sku}.`)
    return { price: price * count, currency: 'EUR' }
  },
})

server.addTool({
  name: 'count_stock',
  description: 'Counts the stock.',
  timeoutMs: 5000,
  execute: async (_args, { log, reportProgress, signal }) => {
    for (const shelf of [1, 2, 3]) {
      if (signal.aborted) break
      await reportProgress({ progress: shelf, total: 3, message: `Shelf ${shelf}` })
    }
    log.info('counted', { products: 12 })
    return '12 products'
  },
})

server.addTool({
  name: 'show_product',
  description: 'Shows a picture of a product.',
  parameters: z.object({ sku: z.string() }),
  execute: async ({ sku }) => {
    const picture = await imageContent({ buffer: Buffer.from(GIF, 'base64') })
    return { content: [{ type: 'text', text: `This is ${sku}.` }, picture] }
  },
})

server.addTool({
  name: 'add_to_cart',
  description: 'Puts a product into the cart.',
  parameters: z.object({ sku: z.string() }),
  execute: async ({ sku }, { session, sessionId }) => {
    const cart = [...(carts.get(sessionId!) ?? []), sku]
    carts.set(sessionId!, cart)
    return `${session?.name} has ${cart.join(', ')}`
  },
})

server.addTool({
  name: 'set_price',
  description: 'Sets the price of a product.',
  parameters: z.object({ sku: z.string(), price: z.number().positive() }),
  canAccess: user => user.role === 'admin',
  execute: async ({ sku, price }) => {
    PRICES[sku] = price
  },
})

server.addResource({
  name: 'Style guide',
  uri: 'docs://style',
  mimeType: 'text/markdown',
  load: async () => ({ text: '# Style' }),
})

server.addResourceTemplate({
  name: 'Product',
  uriTemplate: 'products://{sku}',
  mimeType: 'application/json',
  arguments: [{ name: 'sku', required: true }],
  load: async ({ sku }) => ({ text: JSON.stringify({ price: PRICES[sku] }) }),
})

server.addPrompt({
  name: 'describe',
  description: 'Describes a product.',
  arguments: [{ name: 'sku', description: 'Which product', required: true }],
  load: async ({ sku }) => `Describe ${sku}.`,
})

const port = Number(process.env.PORT ?? 3000)
await server.start({ transportType: 'httpStream', httpStream: { host: '127.0.0.1', port } })
console.log(`Server listening at http://127.0.0.1:${port}/mcp`)
