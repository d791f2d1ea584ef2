// The call as other programs make it.
import type { Tool } from '@modelcontextprotocol/client'
import type { JsonObject } from '../client/json-rpc.ts'
import { createParamHeaders } from '../client/mirrored-params.ts'
import { toPublicUrl } from '../client/public-url.ts'
import { FIRST_MODERN } from '../client/revisions.ts'
import { useStore } from '../client/use-store.ts'
import { Code } from '../parts/Code.tsx'
import { useConsole } from '../shell/context.ts'
import { createCurl, createMcpJson, createTypeScript } from './snippets.ts'

const LANGUAGES = { curl: createCurl, TypeScript: createTypeScript, MCP: createMcpJson } as const

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
  return (
    <details class="extras">
      <summary>The same call elsewhere</summary>
      {Object.entries(LANGUAGES).map(([name, create]) => (
        <Code key={name} head={name} label={`Copy ${name}`} text={create(context)} />
      ))}
    </details>
  )
}
