// The same call for other programs: curl, TypeScript, Python, and the message of MCP.
import { quoteShell, toShell, toTs } from '../../../src/clients/quote.ts'
import { encodeHeader } from '../client/mirrored-params.ts'
import { FIRST_MODERN, isModern } from '../client/revisions.ts'
import { minify, toMessageJson, toPython, toTypeScript } from './literals.ts'

interface SnippetContext {
  readonly tool: string
  /** The arguments as JSON, as they are written. */
  readonly argsText: string
  /** The MCP endpoint, as clients use it. */
  readonly url: string
  /** The URL of `GET /tools`; undefined if plain HTTP is off. */
  readonly plainHttp?: string | undefined
  readonly needsToken: boolean
  readonly revision: string
  /** `Mcp-Param-…` headers, which mirror arguments. */
  readonly paramHeaders?: Readonly<Record<string, string>> | undefined
  /** The user's own headers, which are part of every request. */
  readonly ownHeaders?: Readonly<Record<string, string>> | undefined
}

export type Language = 'curl' | 'typescript' | 'python' | 'mcp'

export interface Snippet {
  /** Name of the file, or its kind. */
  readonly head: string
  /** For a screen reader: "Copy call.ts". */
  readonly label: string
  create(context: SnippetContext): string
}

export const SNIPPETS: Readonly<Record<Language, Snippet>> = {
  curl: { head: 'Shell', label: 'Copy the command', create: createCurl },
  typescript: { head: 'call.ts', label: 'Copy call.ts', create: createTypeScript },
  python: { head: 'call.py', label: 'Copy call.py', create: createPython },
  mcp: { head: 'Body', label: 'Copy the message', create: createMessage },
}

const lines = (parts: readonly string[]): string => parts.join(' \\\n  ')

export function createCurl(context: SnippetContext): string {
  const { tool, argsText, plainHttp, url, revision, needsToken, ownHeaders = {}, paramHeaders } = context
  const toOptions = (headers: Readonly<Record<string, string>>) =>
    Object.entries(headers).map(([name, value]) => `-H ${quoteShell(`${name}: ${value}`)}`)
  const common = [...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []), ...toOptions(ownHeaders)]
  if (plainHttp !== undefined) {
    const address = toShell(`${plainHttp}/${encodeURIComponent(tool)}`)
    return lines([`curl ${address}`, ...common, `--json ${quoteShell(minify(argsText))}`])
  }
  const headers = createModernHeaders(tool, FIRST_MODERN, paramHeaders)
  const body = minify(createMessage({ ...context, revision: isModern(revision) ? revision : FIRST_MODERN }))
  return lines([`curl -N ${toShell(url)}`, ...common, ...toOptions(headers), `--json ${quoteShell(body)}`])
}

const createModernHeaders = (tool: string, revision: string, paramHeaders: SnippetContext['paramHeaders']) => ({
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': revision,
  'Mcp-Method': 'tools/call',
  'Mcp-Name': encodeHeader(tool),
  ...paramHeaders,
})

/**
 * The headers of the request, one per line. In revisions with sessions, leaves out the session's id.
 */
export function createHeaders({ tool, revision, needsToken, ownHeaders, paramHeaders }: SnippetContext): string {
  const { Accept, ...modern } = createModernHeaders(tool, revision, paramHeaders)
  const headers = {
    'Content-Type': 'application/json',
    Accept,
    ...(isModern(revision) ? modern : { 'MCP-Protocol-Version': revision, 'Mcp-Session-Id': 'of the session' }),
    ...(needsToken && { Authorization: 'Bearer $TOKEN' }),
    ...ownHeaders,
  }
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

/** The request as JSON-RPC, with everything that the revision needs. */
export function createMessage({ tool, argsText, revision }: SnippetContext): string {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'my-client', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return toMessageJson(tool, argsText, isModern(revision) ? meta : undefined)
}

export function createTypeScript({ tool, argsText, url, needsToken, ownHeaders = {} }: SnippetContext): string {
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code of the snippet
    ...(needsToken ? ['Authorization: `Bearer ${process.env.TOKEN}`'] : []),
    ...Object.entries(ownHeaders).map(([name, value]) => `${toTs(name)}: ${toTs(value)}`),
  ]
  return [
    "import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'",
    '',
    'const transport = new StreamableHTTPClientTransport(',
    `  new URL(${toTs(url)}),`,
    ...(headers.length > 0 ? [`  { requestInit: { headers: { ${headers.join(', ')} } } },`] : []),
    ')',
    'const client = new Client(',
    "  { name: 'my-client', version: '1.0.0' },",
    "  { versionNegotiation: { mode: 'auto' } },",
    ')',
    'await client.connect(transport)',
    '',
    'const result = await client.callTool({',
    `  name: ${toTs(tool)},`,
    `  arguments: ${indent(toTypeScript(argsText), '  ')},`,
    '})',
    'console.log(result.structuredContent ?? result.content)',
    'await client.close()',
  ].join('\n')
}

/** For version 2 of the package `mcp`. */
export function createPython({ tool, argsText, url, needsToken, ownHeaders = {} }: SnippetContext): string {
  const headers = [
    ...(needsToken ? [`"Authorization": "Bearer " + os.environ["TOKEN"]`] : []),
    ...Object.entries(ownHeaders).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ]
  const hasHeaders = headers.length > 0
  const address = JSON.stringify(url)
  return [
    'import asyncio',
    ...(needsToken ? ['import os'] : []),
    '',
    ...(hasHeaders ? ['import httpx2'] : []),
    'from mcp import Client',
    ...(hasHeaders ? ['from mcp.client.streamable_http import streamable_http_client'] : []),
    '',
    '',
    'async def main():',
    ...(hasHeaders
      ? [
          `    http = httpx2.AsyncClient(headers={${headers.join(', ')}})`,
          `    transport = streamable_http_client(${address}, http_client=http)`,
        ]
      : []),
    `    async with Client(${hasHeaders ? 'transport' : address}) as client:`,
    `        result = await client.call_tool(${JSON.stringify(tool)}, ${indent(toPython(argsText), '        ')})`,
    '        print(result.structured_content or result.content)',
    '',
    '',
    'asyncio.run(main())',
  ].join('\n')
}

const indent = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`)
