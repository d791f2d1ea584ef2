import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type CallToolResult, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { defineTool } from 'toolrack'
import type { DefinitionSource, SourceTarget } from 'toolrack/source'

/** The tools of another MCP server. */
export class McpTools implements DefinitionSource {
  readonly name: string
  #client: Client | undefined
  #target: SourceTarget | undefined

  constructor(url: string) {
    this.name = url
  }

  async start(target: SourceTarget) {
    this.#target = target
    this.#client = new Client({ name: 'bridge', version: '1.0.0' })
    await this.#client.connect(new StreamableHTTPClientTransport(new URL(this.name)))
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.reload())
    await this.reload()
  }

  async reload() {
    const client = this.#client!
    const { tools } = await client.listTools()
    const definitions = tools.map(({ name, title, description, inputSchema, annotations }) =>
      defineTool({
        ...{ name, title, description, inputSchema, annotations },
        handler: async (args, { signal }) =>
          (await client.callTool({ name, arguments: args }, undefined, { signal })) as CallToolResult,
      }),
    )
    this.#target?.put(definitions)
  }

  async close() {
    await this.#client?.close()
  }
}
