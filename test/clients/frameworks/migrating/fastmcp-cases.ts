// What is asked of the server that was written with fastmcp.
import { type Case, CONTENTS, call, describe, fails, get, NOT_FOUND, refuses, SHARED, says } from './cases.ts'

export const FASTMCP: readonly Case[] = [
  ...SHARED,
  {
    what: 'refuses an argument of another type',
    ...call('get_price', { sku: 'ABC-1234', count: '2' }),
    there: refuses(/parameter validation failed: count: Invalid input: expected number, received string/),
    here: fails('Invalid arguments for get_price: count must be integer'),
  },
  {
    what: 'cleans the message of an error',
    ...call('get_price', { sku: 'a\n\u202eb' }),
    there: fails('There is no product a\n\u202eb.'),
    here: fails('There is no product a b.'),
  },
  {
    what: 'logs',
    ...call('count_stock'),
    there: { logged: [{ level: 'info', data: { message: 'counted', context: { products: 12 } } }] },
    here: { logged: [{ level: 'info', data: { message: 'counted', data: { products: 12 } } }] },
  },
  {
    what: 'shows a picture',
    ...call('show_product', { sku: 'ABC-1234' }),
    both: { result: { content: [{ text: 'This is ABC-1234.' }, { type: 'image', mimeType: 'image/gif' }] } },
  },
  { what: 'knows its caller', ...call('add_to_cart', { sku: 'ABC-1234' }), both: says('ada has ABC-1234') },
  {
    what: 'remembers',
    ...call('add_to_cart', { sku: 'ABC-5678' }),
    both: says('ada has ABC-1234, ABC-5678'),
  },
  {
    what: 'returns nothing',
    ...call('set_price', { sku: 'ABC-5678', price: 8 }),
    both: { result: { content: [] } },
  },
  {
    what: 'reads a resource by its template',
    ...get('products://ABC-1234'),
    there: { result: { contents: [{ ...CONTENTS, name: 'Product' }] } },
    here: { result: { contents: [{ ...CONTENTS, name: undefined }] } },
  },
  {
    what: 'has no such resource',
    ...get('docs://none'),
    there: refuses(/Resource not found: 'docs:\/\/none'/, -32601),
    here: refuses(/Resource not found: docs:\/\/none/, NOT_FOUND),
  },
  {
    what: 'gives a prompt',
    ...describe({ sku: 'ABC-1234' }),
    both: { result: { messages: [{ role: 'user', content: { text: 'Describe ABC-1234.' } }] } },
  },
  {
    what: 'refuses a prompt without its argument',
    ...describe({}),
    there: refuses(/requires argument 'sku'/, -32600),
    here: refuses(/Invalid arguments: sku is required/),
  },
]
