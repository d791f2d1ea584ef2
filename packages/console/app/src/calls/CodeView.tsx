// The call in the form for other programs. It always follows the current arguments, also before a call.
import type { Tool } from '@modelcontextprotocol/client'
import { createParamHeaders } from '../client/mirrored-params.ts'
import { findSent } from '../client/own-headers.ts'
import { toPublicUrl } from '../client/public-url.ts'
import { FIRST_MODERN } from '../client/revisions.ts'
import { useStore } from '../client/use-store.ts'
import { formatJson } from '../form/json-text.ts'
import { Code } from '../parts/Code.tsx'
import { JsonText, JsonTokens } from '../parts/JsonText.tsx'
import { Scroll } from '../parts/Scroll.tsx'
import { useConsole } from '../shell/context.ts'
import { useDraft } from '../tools/draft.ts'
import { toCodeTokens } from './code-tokens.ts'
import { createHeaders, type Language, SNIPPETS } from './snippets.ts'

export const LANGUAGES = [
  ['curl', 'curl'],
  ['typescript', 'TypeScript'],
  ['python', 'Python'],
  ['mcp', 'MCP'],
] as const satisfies readonly (readonly [Language, string])[]

export function CodeView({ tool, language }: { tool: Tool; language: Language }) {
  const { config, connection } = useConsole()
  const { revision = FIRST_MODERN } = useStore(connection.state)
  const own = useStore(connection.ownHeaders)
  const { text, args, last, fault } = useDraft(tool)
  const { head, label, create } = SNIPPETS[language]
  const context = {
    tool: tool.name,
    argsText: args === undefined ? formatJson(last) : text,
    url: config.publicUrl,
    plainHttp: config.plainHttp === null ? undefined : toPublicUrl(config, config.plainHttp),
    needsToken: config.access === 'token',
    revision,
    ownHeaders: findSent(own),
    paramHeaders: createParamHeaders(tool.inputSchema, args ?? last),
  }
  const code = create(context)
  return (
    <Scroll label="Code" isPadded>
      {language === 'mcp' && (
        <Code
          head={`POST ${new URL(config.publicUrl).pathname}`}
          label="Copy the headers"
          text={createHeaders(context)}
        />
      )}
      <Code head={head} label={label} text={code}>
        {language === 'mcp' ? <JsonText text={code} /> : <JsonTokens tokens={toCodeTokens(code, language)} />}
      </Code>
      <p class="hint lang-hint">
        {fault === undefined
          ? 'It follows the form as you type. '
          : 'The JSON of the arguments has a fault, so these are those before it. '}
        {HINTS[language]}
        For another address, set <code>PUBLIC_URL</code>.
      </p>
    </Scroll>
  )
}

const HINTS = {
  curl: null,
  typescript: (
    <>
      It needs <code>npm install @modelcontextprotocol/client</code>.{' '}
    </>
  ),
  python: (
    <>
      It needs <code>pip install "mcp&gt;=2"</code>.{' '}
    </>
  ),
  mcp: null,
} as const satisfies Record<Language, unknown>
