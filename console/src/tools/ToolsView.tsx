// The tools of the server, or one of them.
import type { Tool } from '@modelcontextprotocol/client'
import { formatSignature } from '../../../src/signature.ts'
import { useStore } from '../client/use-store.ts'
import { Prose } from '../results/PlainText.tsx'
import { useConsole } from '../shell/context.ts'
import { Heading } from '../shell/Heading.tsx'
import { List, Loading } from '../shell/List.tsx'
import { toHash } from '../shell/router.ts'
import { Badges } from './Badges.tsx'
import { ToolPage } from './ToolPage.tsx'

export function ToolsView({ name }: { name?: string | undefined }) {
  const { connection } = useConsole()
  const { tools } = useStore(connection.lists)
  if (name === undefined) {
    return (
      <>
        <Heading>Tools</Heading>
        <Instructions />
        <List kind="tools" items={tools?.map(toItem)} />
      </>
    )
  }
  const tool = tools?.find(each => each.name === name)
  if (tool !== undefined) return <ToolPage key={tool.name} tool={tool} />
  return (
    <>
      <Heading>{name}</Heading>
      {tools === undefined ? <Loading /> : <p>This server has no such tool, or you may not see it.</p>}
      <a href={toHash({ section: 'tools' })}>All tools</a>
    </>
  )
}

function Instructions() {
  const { connection } = useConsole()
  const { instructions } = useStore(connection.state)
  if (!instructions) return null
  return (
    <details class="extras">
      <summary>Instructions of the server</summary>
      <Prose text={instructions} />
    </details>
  )
}

const toItem = (tool: Tool) => ({
  key: tool.name,
  href: toHash({ section: 'tools', name: tool.name }),
  name: tool.name,
  title: tool.title ?? tool.annotations?.title,
  description: tool.description,
  extra: (
    <>
      <Badges tool={tool} />
      <code class="signature">{formatSignature(tool)}</code>
    </>
  ),
})
