// What is asked of an original and of its translation: what both answer, or what each answers where they
// differ on purpose. docs/guides/migrating.md names each difference.

export interface Case {
  readonly what: string
  readonly method: string
  readonly params?: Record<string, unknown>
  /** A pattern for the answer of both, which is the same. */
  readonly both?: object
  /** Patterns for the answer of each. */
  readonly there?: object
  readonly here?: object
}

export const call = (name: string, args?: Record<string, unknown>) => ({
  method: 'tools/call',
  params: { name, ...(args && { arguments: args }) },
})
export const says = (text: string | RegExp) => ({ result: { content: [{ type: 'text', text }], isError: undefined } })
export const fails = (text: string | RegExp) => ({ result: { content: [{ type: 'text', text }], isError: true } })
export const refuses = (message: RegExp, code: number | RegExp = -32602) => ({ error: { code, message } })
export const get = (uri: string) => ({ method: 'resources/read', params: { uri } })
export const describe = (args: object) => ({ method: 'prompts/get', params: { name: 'describe', arguments: args } })

/** -32002 before 2026-07-28. */
export const NOT_FOUND = /^-32(?:002|602)$/
const PRICE = { price: 42, currency: 'EUR' }
const SHELVES = [1, 2, 3].map(shelf => ({ progress: shelf, total: 3, message: `Shelf ${shelf}` }))

export const CONTENTS = { uri: 'products://ABC-1234', mimeType: 'application/json', text: '{"price":42}' }
export const READ: Case = {
  what: 'reads a resource by its template',
  ...get('products://ABC-1234'),
  both: { result: { contents: [CONTENTS] } },
}

export const SHARED: readonly Case[] = [
  { what: 'lists resources', method: 'resources/list', both: { result: { resources: [{ uri: String }] } } },
  {
    what: 'lists templates',
    method: 'resources/templates/list',
    both: { result: { resourceTemplates: [{ uriTemplate: 'products://{sku}' }] } },
  },
  { what: 'lists prompts', method: 'prompts/list', both: { result: { prompts: [{ name: 'describe' }] } } },
  {
    what: 'gives a structured result, with a default argument',
    ...call('get_price', { sku: 'ABC-1234' }),
    both: { result: { structuredContent: PRICE, content: [{ text: JSON.stringify(PRICE) }] } },
  },
  {
    what: 'takes arguments that the schema does not name',
    ...call('get_price', { sku: 'ABC-1234', count: 2, colour: 'red' }),
    both: { result: { structuredContent: { ...PRICE, price: 84 } } },
  },
  {
    what: 'tells the model of an expected error',
    ...call('get_price', { sku: 'ABC-9999' }),
    both: fails('There is no product ABC-9999.'),
  },
  {
    what: 'reports progress',
    ...call('count_stock'),
    both: { ...says('12 products'), progress: SHELVES },
  },
  {
    what: 'drops arguments for a tool without a schema',
    ...call('count_stock', { fast: true }),
    both: { ...says('12 products'), progress: SHELVES },
  },
]
