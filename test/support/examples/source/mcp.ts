import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type CallToolResult, type Tool, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { defineTool } from 'toolrack'
import type { DefinitionSource } from 'toolrack/source'

/** The tools of another MCP server. */
export function mcpTools(url: string): DefinitionSource {
  let client: Client | undefined
  const createTool = ({ name, title, description, inputSchema, outputSchema, annotations }: Tool) =>
    defineTool({
      ...{ name, title, description, inputSchema, outputSchema, annotations },
      handler: async (args, { signal }) =>
        (await client!.callTool({ name, arguments: args }, undefined, { signal })) as CallToolResult,
    })
  return {
    name: url,
    async start({ put }) {
      const upstream = new Client({ name: 'bridge', version: '1.0.0' })
      client = upstream
      const refresh = async () => {
        let page = await upstream.listTools()
        const tools = [...page.tools]
        while (page.nextCursor !== undefined) {
          page = await upstream.listTools({ cursor: page.nextCursor })
          tools.push(...page.tools)
        }
        put(tools.map(createTool))
      }
      upstream.setNotificationHandler(ToolListChangedNotificationSchema, refresh)
      await upstream.connect(new StreamableHTTPClientTransport(new URL(url)))
      await refresh()
    },
    async close() {
      await client?.close()
    },
  }
}
