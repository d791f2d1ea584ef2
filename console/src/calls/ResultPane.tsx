// The pane of a tool's call: the request line, and the views of what came back.
import type { Tool } from '@modelcontextprotocol/client'
import { useStore } from '../client/use-store.ts'
import { useConsole } from '../shell/context.ts'
import { CallView } from '../tools/CallView.tsx'

export function ResultPane({ tool }: { tool: Tool }) {
  const { calls } = useConsole()
  useStore(calls.calls)
  const call = calls.find(tool.name)
  return (
    <section class="pane pane-result" aria-label="Result">
      <div class="pane-scroll pane-pad">{call !== undefined && <CallView call={call} />}</div>
    </section>
  )
}
