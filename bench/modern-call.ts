// Builds a request of 2026-07-28: its headers and its body.
const META = 'io.modelcontextprotocol/'
const VERSION = '2026-07-28'

export interface Call {
  /** Default: `/mcp`. */
  readonly path?: string
  readonly headers: Record<string, string>
  readonly body: string
}

export function modernCall(method: string, params: Record<string, unknown>, capabilities: object = {}): Call {
  const _meta = {
    [`${META}protocolVersion`]: VERSION,
    [`${META}clientInfo`]: { name: 'bench', version: '1.0.0' },
    [`${META}clientCapabilities`]: capabilities,
  }
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
    'mcp-method': method,
  }
  if (typeof params['name'] === 'string') headers['mcp-name'] = params['name']
  return { headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }) }
}
