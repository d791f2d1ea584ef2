// The tools of the server, and the open one: the one in the address, else the last one, else the first.
import type { Tool } from '@modelcontextprotocol/client'
import { useMemo } from 'preact/hooks'
import { useStore } from '../client/use-store.ts'
import { useConsole } from '../shell/context.ts'
import { toFirstSentence } from '../shell/first-sentence.ts'
import { ListPane } from '../shell/ListPane.tsx'
import { Missing } from '../shell/Missing.tsx'
import { toHash } from '../shell/router.ts'
import { useOpen } from '../shell/use-open.ts'
import { Work } from '../shell/Work.tsx'
import { Signs } from './Signs.tsx'
import { ToolView } from './ToolView.tsx'

export function ToolsView({ name }: { name?: string | undefined }) {
  const { connection } = useConsole()
  const { tools } = useStore(connection.lists)
  const items = useMemo(() => tools?.map(toItem), [tools])
  const open = useOpen('tools', name, items)
  const list = (
    <ListPane
      kind="tools"
      title="Tools"
      one="tool"
      items={items}
      current={open}
      none={
        <>
          <strong>No tools yet</strong>
          <p>A file in tools/ makes one.</p>
        </>
      }
    />
  )
  const tool = tools?.find(each => each.name === open)
  if (tool !== undefined) return <ToolView key={tool.name} tool={tool} list={list} />
  return (
    <Work label="Tools" title={open ?? 'Tools'} layout="tools" pane={open === undefined ? 'list' : 'form'}>
      {list}
      <Missing one="tool" section="tools" name={tools && open} />
    </Work>
  )
}

const toItem = (tool: Tool) => ({
  key: tool.name,
  href: toHash({ section: 'tools', name: tool.name }),
  name: tool.name,
  title: tool.title ?? tool.annotations?.title,
  text: toFirstSentence(tool.description),
  description: tool.description,
  signs: <Signs tool={tool} />,
})
