// The tools of the server, and the one that is open: the one that the address names, else the last, else the first.
import type { Tool } from '@modelcontextprotocol/client'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useStore } from '../client/use-store.ts'
import { useConsole } from '../shell/context.ts'
import { ListPane } from '../shell/ListPane.tsx'
import { toHash } from '../shell/router.ts'
import { Work } from '../shell/Work.tsx'
import { Signs } from './Signs.tsx'
import { ToolView } from './ToolView.tsx'

const PHONE = '(max-width: 899px)'

export function ToolsView({ name }: { name?: string | undefined }) {
  const { connection, view } = useConsole()
  const { tools } = useStore(connection.lists)
  const open = name ?? findOpen(tools, view.remember('tools'))
  usePaneOfRoute(name)
  const items = useMemo(() => tools?.map(toItem), [tools])
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
  useEffect(() => {
    if (tool !== undefined) view.remember('tools', tool.name)
  }, [view, tool])
  if (tool !== undefined) return <ToolView key={tool.name} tool={tool} list={list} />
  return (
    <Work label="Tools" title={open ?? 'Tools'} layout="tools" pane={open === undefined ? 'list' : 'form'}>
      {list}
      <section class="pane pane-form pane-span" aria-label="Arguments">
        {tools !== undefined && <NoTool name={open} />}
      </section>
    </Work>
  )
}

function findOpen(tools: readonly Tool[] | undefined, last: string | undefined): string | undefined {
  return tools?.find(({ name }) => name === last)?.name ?? tools?.[0]?.name
}

/** A tool shows its form first. Without a name, a phone shows the list, and a wide window what was open. */
function usePaneOfRoute(name: string | undefined): void {
  const { view } = useConsole()
  const isFirst = useRef(true)
  useEffect(() => {
    const showsList = name === undefined && (!isFirst.current || window.matchMedia(PHONE).matches)
    isFirst.current = false
    view.pane.set(showsList ? 'list' : 'form')
  }, [view, name])
}

const NoTool = ({ name }: { name: string | undefined }) =>
  name === undefined ? null : (
    <div class="empty grow">
      <strong>No tool named {name}</strong>
      <p>This server has no such tool, or you may not see it.</p>
      <div class="row">
        <a class="button button-s" href={toHash({ section: 'tools' })}>
          All tools
        </a>
      </div>
    </div>
  )

const toItem = (tool: Tool) => ({
  key: tool.name,
  href: toHash({ section: 'tools', name: tool.name }),
  name: tool.name,
  title: tool.title ?? tool.annotations?.title,
  text: toFirstSentence(tool.description),
  description: tool.description,
  signs: <Signs tool={tool} />,
})

const toFirstSentence = (text: string | undefined): string | undefined =>
  text
    ?.trim()
    .split(/(?<=[.!?])\s|\n/, 1)[0]
    ?.replace(/\.$/, '')
