// Tools of two scopes, for users who sign in: reading is granted first, writing when it is asked for.
import { defineTool } from '../../../src/index.ts'

export const READ = 'prices:read'
export const WRITE = 'prices:write'

export const priceTools = [
  defineTool({
    name: 'get_price',
    scopes: [READ],
    annotations: { readOnlyHint: true },
    handler: (_, { caller }) => `a price for ${caller?.subject}`,
  }),
  defineTool({ name: 'set_price', scopes: [READ, WRITE], handler: (_, { caller }) => caller!.scopes.join(' ') }),
]
