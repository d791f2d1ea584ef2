// The call as other programs make it.
import type { Tool } from '@modelcontextprotocol/client'
import type { JsonObject } from '../client/json-rpc.ts'
import { createParamHeaders } from '../client/mirrored-params.ts'
import { toPublicUrl } from '../client/public-url.ts'
import { FIRST_MODERN } from '../client/revisions.ts'
import { useStore } from '../client/use-store.ts'
import { CodeBlock } from '../shell/CodeBlock.tsx'
import { useConsole } from '../shell/context.ts'
import { Tabs } from '../shell/Tabs.tsx'
import { createCurl, createMcpJson, createTypeScript } from './snippets.ts'

export function SameCall({ tool, args }: { tool: Tool; args: JsonObject }) {
  const { config, connection } = useConsole()
  const { revision = FIRST_MODERN } = useStore(connection.state)
  const context = {
    tool: tool.name,
    args,
    url: config.publicUrl,
    plainHttp: config.plainHttp === null ? undefined : toPublicUrl(config, config.plainHttp),
    needsToken: config.access === 'token',
    revision,
    paramHeaders: createParamHeaders(tool.inputSchema, args),
  }
  const show = (name: string, create: (from: typeof context) => string) => ({
    name,
    render: () => <CodeBlock label={name} text={create(context)} />,
  })
  return (
    <details class="extras">
      <summary>The same call elsewhere</summary>
      <Tabs
        label="The same call"
        tabs={[show('curl', createCurl), show('MCP JSON', createMcpJson), show('TypeScript', createTypeScript)]}
      />
    </details>
  )
}
