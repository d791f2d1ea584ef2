// The same call for other programs: curl, MCP as JSON, TypeScript.
import { quoteShell } from '../../../src/clients/quote.ts'
import type { JsonObject } from '../client/json-rpc.ts'
import { encodeHeader } from '../client/mirrored-params.ts'
import { FIRST_MODERN, isModern } from '../client/revisions.ts'

export interface SnippetContext {
  readonly tool: string
  readonly args: JsonObject
  /** The MCP endpoint, as clients use it. */
  readonly url: string
  /** The URL of `GET /tools`; undefined if the server has no plain HTTP. */
  readonly plainHttp?: string | undefined
  readonly needsToken: boolean
  readonly revision: string
  /** `Mcp-Param-…`, which mirror arguments. */
  readonly paramHeaders?: Readonly<Record<string, string>> | undefined
}

const lines = (parts: readonly string[]): string => parts.join(' \\\n  ')

export function createCurl(context: SnippetContext): string {
  const token = context.needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []
  if (context.plainHttp !== undefined) {
    const url = `${context.plainHttp}/${encodeURIComponent(context.tool)}`
    return lines([`curl ${quoteShell(url)}`, ...token, `--json ${quoteShell(JSON.stringify(context.args))}`])
  }
  const { revision } = context
  const headers = Object.entries({
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': FIRST_MODERN,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': encodeHeader(context.tool),
    ...context.paramHeaders,
  }).map(([name, value]) => `-H ${quoteShell(`${name}: ${value}`)}`)
  const body = JSON.stringify(createRequest({ ...context, revision: isModern(revision) ? revision : FIRST_MODERN }))
  return lines([`curl -N ${quoteShell(context.url)}`, ...token, ...headers, `--json ${quoteShell(body)}`])
}

/** The request as JSON-RPC, with what the revision needs in it. */
function createRequest({ tool, args, revision }: SnippetContext): JsonObject {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'my-client', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: tool, arguments: args, ...(isModern(revision) && { _meta: meta }) }
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
}

export const createMcpJson = (context: SnippetContext): string => JSON.stringify(createRequest(context), null, 2)

export function createTypeScript({ tool, args, url, needsToken }: SnippetContext): string {
  const options = needsToken
    ? `, {\n  requestInit: { headers: { Authorization: \`Bearer \${process.env.TOKEN}\` } },\n}`
    : ''
  return [
    "import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'",
    '',
    `const transport = new StreamableHTTPClientTransport(new URL(${JSON.stringify(url)})${options})`,
    'const client = new Client(',
    "  { name: 'my-client', version: '1.0.0' },",
    "  { versionNegotiation: { mode: 'auto' } },",
    ')',
    'await client.connect(transport)',
    'const result = await client.callTool({',
    `  name: ${JSON.stringify(tool)},`,
    `  arguments: ${JSON.stringify(args, null, 2).replaceAll('\n', '\n  ')},`,
    '})',
    'console.log(result)',
    'await client.close()',
  ].join('\n')
}
