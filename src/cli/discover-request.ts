// What a client of the newest revision asks first, as a request to see whether a server wants a token.
// Spec 2026-07-28: server/discover.
import { META_CAPABILITIES, META_VERSION } from '../protocol/classify.ts'
import { MODERN_VERSIONS } from '../protocol/revisions/index.ts'

const [VERSION] = MODERN_VERSIONS as readonly [string, ...string[]]
const METHOD = 'server/discover'

export const DISCOVER_REQUEST = {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
    'mcp-method': METHOD,
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: METHOD,
    params: { _meta: { [META_VERSION]: VERSION, [META_CAPABILITIES]: {} } },
  }),
} as const
