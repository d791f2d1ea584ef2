// What is asked of the servers that were written with the official SDKs.
import { type Case, call, describe, fails, get, NOT_FOUND, READ, refuses, SHARED, says } from './cases.ts'

export const SDK1: readonly Case[] = [
  ...SHARED,
  READ,
  {
    what: 'refuses an argument of another type',
    ...call('get_price', { sku: 'ABC-1234', count: '2' }),
    there: fails(/Input validation error: .* expected number, received string at count$/),
    here: fails('Invalid arguments for get_price: count must be integer'),
  },
  {
    what: 'refuses an unknown tool',
    ...call('get_prices', {}),
    there: fails(/Tool get_prices not found/),
    here: refuses(/Unknown tool: get_prices/),
  },
  { what: 'gives a text', ...call('list_products'), both: says('ABC-1234, ABC-5678') },
  {
    what: 'returns an error result',
    ...call('list_products', { prefix: 'Z' }),
    both: fails('Nothing begins with Z.'),
  },
  {
    what: 'cleans what it says',
    ...call('list_products', { prefix: '\u001b[31mZ in /srv/shop/prices.json' }),
    there: fails('Nothing begins with \u001b[31mZ in /srv/shop/prices.json.'),
    here: fails('Nothing begins with Z in /srv/shop/prices.json.'),
  },
  { what: 'logs', ...call('count_stock'), both: { logged: [{ level: 'info', data: { counted: 12 } }] } },
  {
    what: 'asks the user',
    ...call('buy', { sku: 'ABC-1234' }),
    both: { ...says('Bought ABC-1234.'), asked: [{ message: 'Buy ABC-1234?' }] },
  },
  { what: 'hears the user decline', ...call('buy', { sku: 'REFUSED' }), both: says('Bought nothing.') },
  {
    what: 'asks the model',
    ...call('write_slogan', { sku: 'ABC-1234' }),
    both: { ...says('Buy two!'), asked: [{ maxTokens: 50 }] },
  },
  {
    what: 'reads a resource',
    ...get('docs://style'),
    both: { result: { contents: [{ uri: 'docs://style', mimeType: 'text/markdown', text: '# Style' }] } },
  },
  {
    what: 'has no such resource',
    ...get('products://none'),
    there: { result: { contents: [] } },
    here: refuses(/Resource not found: products:\/\/none/, NOT_FOUND),
  },
  {
    what: 'completes a variable',
    method: 'completion/complete',
    params: {
      ref: { type: 'ref/resource', uri: 'products://{sku}' },
      argument: { name: 'sku', value: 'ABC-5' },
    },
    both: { result: { completion: { values: ['ABC-5678'] } } },
  },
  {
    what: 'gives a prompt',
    ...describe({ sku: 'ABC-1234' }),
    there: { result: { description: undefined, messages: [{ content: { text: 'Describe ABC-1234.' } }] } },
    here: { result: { description: 'Describes a product.', messages: [{ content: { text: 'Describe ABC-1234.' } }] } },
  },
  {
    what: 'refuses a prompt without its argument',
    ...describe({}),
    there: refuses(/Invalid arguments for prompt describe: .* at sku/),
    here: refuses(/Invalid arguments: sku is required/),
  },
]

export const SDK2: readonly Case[] = [
  ...SHARED,
  READ,
  {
    what: 'refuses an argument of another type',
    ...call('get_price', { sku: 'ABC-1234', count: '2' }),
    there: fails(/Input validation error: .* count: Invalid input: expected number, received string$/),
    here: fails('Invalid arguments for get_price: count must be integer'),
  },
  {
    what: 'refuses an unknown tool',
    ...call('get_prices', {}),
    there: refuses(/Tool get_prices not found/),
    here: refuses(/Unknown tool: get_prices/),
  },
  {
    what: 'cleans the message of an error',
    ...call('get_price', { sku: 'a\n\u202eb' }),
    there: fails('There is no product a\n\u202eb.'),
    here: fails('There is no product a b.'),
  },
  {
    what: 'refuses what only the schema library checks',
    ...call('order', { sku: 'ABC-1234', day: '31.1.2026' }),
    there: fails('Input validation error: Invalid arguments for tool order: day: Invalid ISO date'),
    here: fails('Invalid arguments for order: day Invalid ISO date'),
  },
  {
    what: 'gives a prompt of several messages',
    ...describe({ sku: 'ABC-1234' }),
    there: { result: { description: undefined, messages: [{ role: 'assistant' }, { role: 'user' }] } },
    here: { result: { description: String, messages: [{ role: 'assistant' }, { role: 'user' }] } },
  },
]

const ORDERED = 'ABC-1234 comes on Sat, 31 Jan 2026 00:00:00 GMT.'
const ORDER = call('order', { sku: 'abc-1234', day: '2026-01-31' })

/** An original in SDK 2.x asks clients of 2026-07-28 only. */
export const SDK2_MODERN: readonly Case[] = [
  {
    what: 'asks the user, with arguments that the schema has transformed',
    ...ORDER,
    both: { ...says(ORDERED), asked: [{ message: 'Order ABC-1234?' }] },
  },
  {
    what: 'hears the user decline',
    ...call('order', { sku: 'refused', day: '2026-01-31' }),
    both: says('Ordered nothing.'),
  },
  { what: 'has no such resource', ...get('docs://none'), both: refuses(/^Resource not found: docs:\/\/none$/) },
]

export const SDK2_LEGACY: readonly Case[] = [
  { what: 'asks the user in a session', ...ORDER, there: fails(/^Cannot request input/), here: says(ORDERED) },
  {
    what: 'has no such resource',
    ...get('docs://none'),
    there: refuses(/Resource not found: docs:\/\/none/),
    here: refuses(/Resource not found: docs:\/\/none/, -32002),
  },
]
