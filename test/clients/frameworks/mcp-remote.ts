// mcp-remote: a proxy from stdio to HTTP, for clients that know no HTTP; here behind the official SDK.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { bearer, type Connect } from './agent.ts'

/** Its program. */
export const MCP_REMOTE = fileURLToPath(new URL('node_modules/mcp-remote/dist/proxy.js', import.meta.url))

export const mcpRemote: Connect = async (url, token) => {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-remote-'))
  const headers = Object.entries(bearer(token)).flatMap(([name, value]) => ['--header', `${name}:${value}`])
  const client = new Client({ name: 'desktop', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MCP_REMOTE, url, '--allow-http', '--transport', 'http-only', ...headers],
    env: { ...process.env, MCP_REMOTE_CONFIG_DIR: folder } as Record<string, string>,
    stderr: 'ignore',
  })
  await client.connect(transport)
  return {
    listTools: async () => (await client.listTools()).tools.map(tool => tool.name),
    callTool: async (name, args) => JSON.stringify(await client.callTool({ name, arguments: args })),
    async close() {
      await client.close()
      await rm(folder, { recursive: true })
    },
  }
}
