import { createServer } from 'node:http'
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node'
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

const PRICES: Record<string, number> = { 'ABC-1234': 42, 'ABC-5678': 7 }

const Order = z.object({
  sku: z.string().toUpperCase(),
  day: z.iso.date().transform(text => new Date(text)),
})
const Sure = z.object({ sure: z.boolean() })

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'shop', version: '1.0.0' })

  server.registerTool(
    'get_price',
    {
      title: 'Price',
      description: 'Looks up the price of a product.',
      inputSchema: z.object({ sku: z.string(), count: z.number().int().min(1).default(1) }),
      outputSchema: z.object({ price: z.number(), currency: z.string() }),
      annotations: { readOnlyHint: true },
    },
    async ({ sku, count }) => {
      const price = PRICES[sku]
      if (price === undefined) throw new Error(`There is no product ${sku}.`)
      const result = { price: price * count, currency: 'EUR' }
      return {
        content: [{ type: 'text', text: JSON.stringify(result) }],
        structuredContent: result,
      }
    },
  )

  server.registerTool('count_stock', { description: 'Counts the stock.' }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const shelf of [1, 2, 3]) {
      if (mcpReq.signal.aborted) break
      if (progressToken === undefined) continue
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress: shelf, total: 3, message: `Shelf ${shelf}` },
      })
    }
    return { content: [{ type: 'text', text: '12 products' }] }
  })

  server.registerTool(
    'order',
    { description: 'Orders a product, if the user agrees.', inputSchema: Order },
    async ({ sku, day }, { mcpReq }) => {
      if (mcpReq.inputResponses === undefined) {
        return inputRequired({
          inputRequests: {
            sure: inputRequired.elicit({ message: `Order ${sku}?`, requestedSchema: Sure }),
          },
        })
      }
      const isSure = acceptedContent(mcpReq.inputResponses, 'sure', Sure)?.sure === true
      const text = isSure ? `${sku} comes on ${day.toUTCString()}.` : 'Ordered nothing.'
      return { content: [{ type: 'text', text }] }
    },
  )

  server.registerResource(
    'product',
    new ResourceTemplate('products://{sku}', {
      list: async () => ({
        resources: Object.keys(PRICES).map(sku => ({ uri: `products://${sku}`, name: sku })),
      }),
    }),
    { mimeType: 'application/json' },
    async (uri, { sku }) => {
      const text = JSON.stringify({ price: PRICES[String(sku)] })
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] }
    },
  )

  server.registerPrompt(
    'describe',
    { description: 'Describes a product.', argsSchema: z.object({ sku: z.string() }) },
    ({ sku }) => ({
      messages: [
        { role: 'assistant', content: { type: 'text', text: 'I write for the catalogue.' } },
        { role: 'user', content: { type: 'text', text: `Describe ${sku}.` } },
      ],
    }),
  )

  return server
})

const serve = toNodeHandler(handler)
const isHostValid = localhostHostValidation()
const isOriginValid = localhostOriginValidation()
const port = Number(process.env.PORT ?? 3000)
createServer((req, res) => {
  if (isHostValid(req, res) && isOriginValid(req, res)) void serve(req, res)
}).listen(port, '127.0.0.1', () => {
  console.log(`Server listening at http://127.0.0.1:${port}/mcp`)
})
