// The pane of a tool's arguments: what the tool is, its form, and Call.
import type { Tool } from '@modelcontextprotocol/client'
import type { Call } from '../calls/call.ts'
import { Arguments } from './Arguments.tsx'

interface Props {
  readonly tool: Tool
  /** The newest call of the tool. */
  readonly call: Call | undefined
}

export const ArgumentsPane = ({ tool, call }: Props) => (
  <section class="pane pane-form" aria-label="Arguments">
    <div class="pane-scroll pane-pad">
      <Arguments key={JSON.stringify(tool.inputSchema)} tool={tool} call={call} />
    </div>
  </section>
)
