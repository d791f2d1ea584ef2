import { randomUUID } from 'node:crypto'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js'
import express from 'express'
import { z } from 'zod'

const PRICES: Record<string, number> = { 'ABC-1234': 42, 'ABC-5678': 7 }

function createServer() {
  const info = { name: 'shop', version: '1.0.0' }
  const server = new McpServer(info, { capabilities: { logging: {} } })

  server.registerTool(
    'get_price',
    {
      title: 'Price',
      description: 'Looks up the price of a product.',
      inputSchema: {
        sku: z.string().regex(/^[A-Z]{3}-\d{4}$/),
        count: z.number().int().min(1).default(1),
      },
      outputSchema: { price: z.number(), currency: z.string() },
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

  server.tool(
    'list_products',
    'Lists the products whose SKU begins with a prefix.',
    { prefix: z.string().optional() },
    async ({ prefix = '' }) => {
      const found = Object.keys(PRICES).filter(sku => sku.startsWith(prefix))
      if (found.length === 0) {
        const text = `Nothing begins with ${prefix}.`
        return { content: [{ type: 'text', text }], isError: true }
      }
      return { content: [{ type: 'text', text: found.join(', ') }] }
    },
  )

  server.registerTool(
    'count_stock',
    { description: 'Counts the stock.', inputSchema: {} },
    async (_args, { _meta, sendNotification, sessionId }) => {
      for (const shelf of [1, 2, 3]) {
        if (_meta?.progressToken === undefined) continue
        await sendNotification({
          method: 'notifications/progress',
          params: {
            progressToken: _meta.progressToken,
            progress: shelf,
            total: 3,
            message: `Shelf ${shelf}`,
          },
        })
      }
      await server.sendLoggingMessage({ level: 'info', data: { counted: 12 } }, sessionId)
      return { content: [{ type: 'text', text: '12 products' }] }
    },
  )

  server.registerTool(
    'buy',
    { description: 'Buys a product, if the user agrees.', inputSchema: { sku: z.string() } },
    async ({ sku }) => {
      const answer = await server.server.elicitInput({
        message: `Buy ${sku}?`,
        requestedSchema: {
          type: 'object',
          properties: { sure: { type: 'boolean' } },
          required: ['sure'],
        },
      })
      const isBought = answer.action === 'accept' && answer.content?.sure === true
      return { content: [{ type: 'text', text: isBought ? `Bought ${sku}.` : 'Bought nothing.' }] }
    },
  )

  server.registerTool(
    'write_slogan',
    { description: 'Has a slogan written.', inputSchema: { sku: z.string() } },
    async ({ sku }) => {
      const { content } = await server.server.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: `A slogan for ${sku}` } }],
        maxTokens: 50,
      })
      return { content: [{ type: 'text', text: content.type === 'text' ? content.text : '–' }] }
    },
  )

  const style = { title: 'Style guide', mimeType: 'text/markdown' }
  server.registerResource('style', 'docs://style', style, async uri => ({
    contents: [{ uri: uri.href, mimeType: 'text/markdown', text: '# Style' }],
  }))

  server.registerResource(
    'product',
    new ResourceTemplate('products://{sku}', {
      list: undefined,
      complete: { sku: value => Object.keys(PRICES).filter(sku => sku.startsWith(value)) },
    }),
    { mimeType: 'application/json' },
    async (uri, { sku }) => {
      const price = PRICES[String(sku)]
      if (price === undefined) return { contents: [] }
      const text = JSON.stringify({ price })
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] }
    },
  )

  server.registerPrompt(
    'describe',
    { description: 'Describes a product.', argsSchema: { sku: z.string() } },
    ({ sku }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Describe ${sku}.` } }],
    }),
  )

  return server
}

const app = express()
app.use(express.json())
const transports = new Map<string, StreamableHTTPServerTransport>()

app.post('/mcp', async (req, res) => {
  const sessionId = req.header('mcp-session-id')
  let transport = sessionId === undefined ? undefined : transports.get(sessionId)
  if (transport === undefined) {
    if (sessionId !== undefined || !isInitializeRequest(req.body)) {
      res.status(sessionId === undefined ? 400 : 404).end()
      return
    }
    const opened = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => void transports.set(id, opened),
    })
    opened.onclose = () => void transports.delete(opened.sessionId!)
    await createServer().connect(opened)
    transport = opened
  }
  await transport.handleRequest(req, res, req.body)
})

for (const method of ['get', 'delete'] as const) {
  app[method]('/mcp', async (req, res) => {
    const transport = transports.get(req.header('mcp-session-id') ?? '')
    if (transport === undefined) res.status(404).end()
    else await transport.handleRequest(req, res)
  })
}

const port = Number(process.env.PORT ?? 3000)
app.listen(port, '127.0.0.1', () => {
  console.log(`Server listening at http://127.0.0.1:${port}/mcp`)
})
