// One tool: the list, its arguments and the result of its call, side by side.
import type { Tool } from '@modelcontextprotocol/client'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { ResultPane } from '../calls/ResultPane.tsx'
import { useStore } from '../client/use-store.ts'
import { useConsole } from '../shell/context.ts'
import { PhoneNav } from '../shell/PhoneNav.tsx'
import { Work } from '../shell/Work.tsx'
import { ArgumentsPane } from './ArgumentsPane.tsx'

export function ToolView({ tool, list }: { tool: Tool; list: ComponentChildren }) {
  const { calls, view } = useConsole()
  useStore(calls.calls)
  const call = calls.find(tool.name)
  const pane = useStore(view.pane)
  useResultOfCall(call?.id)
  return (
    <Work label="Tools" title={tool.name} layout="tools" pane={pane}>
      <PhoneNav section="tools" title="Tools" label="Parts of the tool" result="Result" />
      {list}
      {/* A changed tool starts with a new form. */}
      <ArgumentsPane key={JSON.stringify(tool.inputSchema)} tool={tool} call={call} />
      <ResultPane tool={tool} />
    </Work>
  )
}

/** If only one pane is visible, a call that begins shows its result. */
function useResultOfCall(id: number | undefined): void {
  const { view } = useConsole()
  const before = useRef(id)
  useEffect(() => {
    if (id !== before.current && id !== undefined) view.pane.set('result')
    before.current = id
  }, [view, id])
}
