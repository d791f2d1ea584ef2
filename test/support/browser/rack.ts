// Tools, resources and prompts that show every part of the console.
import { definePrompt, defineResource, defineTool, Type } from '../../../src/index.ts'

export const form = (name: string) => ({
  message: `Your ${name}?`,
  requestedSchema: { type: 'object' as const, properties: { [name]: { type: 'string' } }, required: [name] },
})

/** Says its arguments: tests read what the form sent. */
export const echo = defineTool({
  name: 'echo',
  title: 'Echo of every kind of field',
  description: 'Says its arguments.\n\n**Nothing** here is <b>HTML</b>.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  inputSchema: {
    type: 'object',
    properties: {
      sku: { type: 'string', description: 'Stock keeping unit, such as ABC-1234', minLength: 3 },
      amount: { type: 'integer', minimum: 1, default: 1 },
      share: { type: 'number' },
      isGift: { type: 'boolean', default: false },
      size: { type: 'string', enum: ['small', 'medium', 'large'] },
      day: { type: 'string', format: 'date' },
      address: {
        type: 'object',
        description: 'Where it goes',
        properties: { street: { type: 'string' }, town: { type: 'string' } },
        required: ['town'],
      },
      tags: { type: 'array', items: { type: 'string' } },
      payment: {
        oneOf: [
          {
            title: 'Card',
            type: 'object',
            properties: { kind: { const: 'card' }, number: { type: 'string' } },
            required: ['kind', 'number'],
          },
          {
            title: 'Invoice',
            type: 'object',
            properties: { kind: { const: 'invoice' }, days: { type: 'integer' } },
            required: ['kind', 'days'],
          },
        ],
      },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
    },
    required: ['sku'],
  },
  handler: args => args as Record<string, unknown>,
})

export const table = defineTool({
  name: 'list_orders',
  description: 'Orders as a table.',
  annotations: { readOnlyHint: true },
  inputSchema: Type.Object({ count: Type.Integer({ minimum: 1, maximum: 50, default: 3 }) }),
  outputSchema: Type.Object({
    orders: Type.Array(Type.Object({ id: Type.Integer(), town: Type.String(), total: Type.Number() })),
  }),
  handler: ({ count }) => ({
    orders: Array.from({ length: count }, (_, index) => ({ id: index + 1, town: 'Bern', total: 9.5 * (index + 1) })),
  }),
})

export const fail = defineTool({
  name: 'fail',
  description: 'Always fails.',
  annotations: { destructiveHint: true },
  handler: () => Promise.reject(new Error('The rack is empty')),
})

export const greet = defineTool({
  name: 'greet',
  description: 'Asks for a name and a town, both at once.',
  async handler(_args, ctx) {
    const [name, town] = await Promise.all([ctx.elicit('name', form('name')), ctx.elicit('town', form('town'))])
    if (name.action !== 'accept') return `No name: ${name.action}`
    return `Hello ${name.content?.['name']} of ${town.content?.['town']}`
  },
})

export const pay = defineTool({
  name: 'pay',
  description: 'Sends the user to a page.',
  handler: async (_args, ctx) =>
    (await ctx.elicit('pay', { mode: 'url', message: 'Pay here', url: 'https://pay.example/order/1?sum=9' })).action,
})

export const joke = defineTool({
  name: 'joke',
  description: 'Asks a model.',
  async handler(_args, ctx) {
    const { content, model } = await ctx.sample('joke', {
      messages: [{ role: 'user', content: { type: 'text', text: 'A joke, please' } }],
      systemPrompt: 'You are brief.',
      maxTokens: 100,
    })
    return `${model}: ${(content as { text: string }).text}`
  },
})

export const mirrored = defineTool({
  name: 'mirrored',
  description: 'Has a parameter that is repeated in a header.',
  inputSchema: {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    required: ['region'],
  },
  handler: args => `Region ${(args as { region: string }).region}`,
})

export const note = defineResource({
  uri: 'notes://1',
  name: 'note',
  title: 'The first note',
  mimeType: 'text/plain',
  handler: () => 'Buy more pegs.',
})

export const city = defineResource({
  uriTemplate: 'cities://{name}',
  name: 'city',
  description: 'A city by its name.',
  mimeType: 'application/json',
  complete: { name: value => ['Basel', 'Bern', 'Biel'].filter(each => each.startsWith(value)) },
  handler: uri => JSON.stringify({ uri: String(uri) }),
})

export const review = definePrompt({
  name: 'review',
  description: 'Asks for a review.',
  arguments: [
    { name: 'language', required: true, description: 'Of the code', complete: () => ['Rust', 'TypeScript'] },
    { name: 'tone' },
  ],
  handler: ({ language }) => `Review this ${language} code.`,
})

export const RACK = {
  tools: [echo, table, fail, greet, pay, joke, mirrored],
  resources: [note, city],
  prompts: [review],
}
