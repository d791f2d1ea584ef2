// One tool: what it is, its form, its call and the result.
import type { Tool } from '@modelcontextprotocol/client'
import { formatSignature } from '../../../src/signature.ts'
import { useStore } from '../client/use-store.ts'
import { Code } from '../parts/Code.tsx'
import { Prose, Visible } from '../results/PlainText.tsx'
import { toJson } from '../results/values.ts'
import { useConsole } from '../shell/context.ts'
import { Heading } from '../shell/Heading.tsx'
import { Arguments } from './Arguments.tsx'
import { Badges } from './Badges.tsx'
import { CallView } from './CallView.tsx'

export function ToolPage({ tool }: { tool: Tool }) {
  const { calls } = useConsole()
  useStore(calls.calls)
  const call = calls.find(tool.name)
  const title = tool.title ?? tool.annotations?.title
  return (
    <article class="tool">
      <Heading>
        <Visible text={tool.name} />
      </Heading>
      <p class="row">
        {title !== undefined && title !== tool.name && (
          <span>
            <Visible text={title} />
          </span>
        )}
        <Badges tool={tool} />
      </p>
      <p>
        <code class="signature">{formatSignature(tool)}</code>
      </p>
      <Prose text={tool.description} />
      <details class="extras">
        <summary>Schema</summary>
        <Code label="definition" text={toJson(tool)} />
      </details>
      {/* A tool that has changed starts with a new form. */}
      <Arguments key={JSON.stringify(tool.inputSchema)} tool={tool} call={call} />
      {call !== undefined && <CallView call={call} />}
    </article>
  )
}
