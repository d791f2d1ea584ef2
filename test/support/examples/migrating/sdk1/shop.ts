import { definePrompt, defineResource, defineTool, ToolError, text } from 'toolrack'
import { z } from 'zod'

const PRICES: Record<string, number> = { 'ABC-1234': 42, 'ABC-5678': 7 }

export default [
  defineTool({
    name: 'get_price',
    title: 'Price',
    description: 'Looks up the price of a product.',
    inputSchema: z.object({
      sku: z.string().regex(/^[A-Z]{3}-\d{4}$/),
      count: z.number().int().min(1).default(1),
    }),
    outputSchema: z.object({ price: z.number(), currency: z.string() }),
    annotations: { readOnlyHint: true },
    handler({ sku, count }) {
      const price = PRICES[sku]
      if (price === undefined) throw new ToolError(`There is no product ${sku}.`)
      return { price: price * count, currency: 'EUR' }
    },
  }),

  defineTool({
    name: 'list_products',
    description: 'Lists the products whose SKU begins with a prefix.',
    inputSchema: z.object({ prefix: z.string().optional() }),
    handler({ prefix = '' }) {
      const found = Object.keys(PRICES).filter(sku => sku.startsWith(prefix))
      if (found.length === 0) {
        return { content: [text(`Nothing begins with ${prefix}.`)], isError: true }
      }
      return found.join(', ')
    },
  }),

  defineTool({
    name: 'count_stock',
    description: 'Counts the stock.',
    handler(_args, { progress, log }) {
      for (const shelf of [1, 2, 3]) progress(shelf, 3, `Shelf ${shelf}`)
      log.info({ counted: 12 })
      return '12 products'
    },
  }),

  defineTool({
    name: 'buy',
    description: 'Buys a product, if the user agrees.',
    inputSchema: z.object({ sku: z.string() }),
    async handler({ sku }, ctx) {
      const answer = await ctx.elicit('sure', {
        message: `Buy ${sku}?`,
        requestedSchema: {
          type: 'object',
          properties: { sure: { type: 'boolean' } },
          required: ['sure'],
        },
      })
      const isBought = answer.action === 'accept' && answer.content?.sure === true
      return isBought ? `Bought ${sku}.` : 'Bought nothing.'
    },
  }),

  defineTool({
    name: 'write_slogan',
    description: 'Has a slogan written.',
    inputSchema: z.object({ sku: z.string() }),
    async handler({ sku }, ctx) {
      const { content } = await ctx.sample('slogan', {
        messages: [{ role: 'user', content: { type: 'text', text: `A slogan for ${sku}` } }],
        maxTokens: 50,
      })
      return [content].flat().map(block => block.text)[0]
    },
  }),

  defineResource({
    name: 'style',
    uri: 'docs://style',
    title: 'Style guide',
    mimeType: 'text/markdown',
    handler: () => '# Style',
  }),

  defineResource({
    name: 'product',
    uriTemplate: 'products://{sku}',
    mimeType: 'application/json',
    complete: { sku: value => Object.keys(PRICES).filter(sku => sku.startsWith(value)) },
    handler(_uri, { sku }) {
      const price = PRICES[sku!]
      return price === undefined ? undefined : JSON.stringify({ price })
    },
  }),

  definePrompt({
    name: 'describe',
    description: 'Describes a product.',
    arguments: [{ name: 'sku', required: true }],
    handler: ({ sku }) => `Describe ${sku}.`,
  }),
]
