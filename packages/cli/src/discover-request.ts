// The first request of a client of the newest revision. A server that wants a token answers it with 401.
// Spec 2026-07-28: server/discover.
import { META_CAPABILITIES, META_VERSION, MODERN_VERSIONS } from 'toolrack/protocol'

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
