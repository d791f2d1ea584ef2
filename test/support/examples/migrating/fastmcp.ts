import Fastify from 'fastify'
import toolrack, { definePrompt, defineResource, defineTool, image, ToolError, text } from 'toolrack'
import { z } from 'zod'

const PRICES: Record<string, number> = { 'ABC-1234': 42, 'ABC-5678': 7 }
const USERS: Record<string, { name: string; role: string }> = {
  'key-of-ada': { name: 'ada', role: 'admin' },
  'key-of-bob': { name: 'bob', role: 'clerk' },
}
const GIF = 'R0lGODlhAQABAAAAACw='
const carts = new Map<string, string[]>()

const getPrice = defineTool({
  name: 'get_price',
  description: 'Looks up the price of a product.',
  annotations: { title: 'Price', readOnlyHint: true },
  inputSchema: z.object({ sku: z.string(), count: z.number().int().min(1).default(1) }),
  outputSchema: z.object({ price: z.number(), currency: z.string() }),
  handler({ sku, count }) {
    const price = PRICES[sku]
    if (price === undefined) throw new ToolError(`There is no product ${sku}.`)
    return { price: price * count, currency: 'EUR' }
  },
})

const countStock = defineTool({
  name: 'count_stock',
  description: 'Counts the stock.',
  timeout: 5000,
  handler(_args, { log, progress, signal }) {
    for (const shelf of [1, 2, 3]) {
      if (signal.aborted) break
      progress(shelf, 3, `Shelf ${shelf}`)
    }
    log.info('counted', { products: 12 })
    return '12 products'
  },
})

const showProduct = defineTool({
  name: 'show_product',
  description: 'Shows a picture of a product.',
  inputSchema: z.object({ sku: z.string() }),
  handler: ({ sku }) => [text(`This is ${sku}.`), image(Buffer.from(GIF, 'base64'), 'image/gif')],
})

const addToCart = defineTool({
  name: 'add_to_cart',
  description: 'Puts a product into the cart.',
  inputSchema: z.object({ sku: z.string() }),
  handler({ sku }, { caller }) {
    const { subject } = caller!
    const cart = [...(carts.get(subject) ?? []), sku]
    carts.set(subject, cart)
    return `${subject} has ${cart.join(', ')}`
  },
})

const setPrice = defineTool({
  name: 'set_price',
  description: 'Sets the price of a product.',
  inputSchema: z.object({ sku: z.string(), price: z.number().positive() }),
  visible: (_tool, caller) => caller?.scopes.includes('admin') === true,
  handler({ sku, price }) {
    PRICES[sku] = price
  },
})

const style = defineResource({
  name: 'Style guide',
  uri: 'docs://style',
  mimeType: 'text/markdown',
  handler: () => '# Style',
})

const product = defineResource({
  name: 'Product',
  uriTemplate: 'products://{sku}',
  mimeType: 'application/json',
  handler: (_uri, { sku }) => JSON.stringify({ price: PRICES[sku!] }),
})

const describe = definePrompt({
  name: 'describe',
  description: 'Describes a product.',
  arguments: [{ name: 'sku', description: 'Which product', required: true }],
  handler: ({ sku }) => `Describe ${sku}.`,
})

const app = Fastify({ logger: true })
app.decorateRequest('caller', undefined)
app.addHook('onRequest', async (request, reply) => {
  const user = USERS[String(request.headers['x-api-key'])]
  if (user === undefined) return reply.code(401).send()
  request.caller = { subject: user.name, scopes: [user.role] }
})
await app.register(toolrack, {
  name: 'shop',
  version: '1.0.0',
  tools: [getPrice, countStock, showProduct, addToCart, setPrice],
  resources: [style, product],
  prompts: [describe],
})
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) })
