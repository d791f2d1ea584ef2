// Prompts of the server, or one of them.
import { useStore } from '../client/use-store.ts'
import { useConsole } from '../shell/context.ts'
import { Heading } from '../shell/Heading.tsx'
import { List, Loading } from '../shell/List.tsx'
import { toHash } from '../shell/router.ts'
import { PromptPage } from './PromptPage.tsx'

export function PromptsView({ name }: { name?: string | undefined }) {
  const { connection } = useConsole()
  const { prompts } = useStore(connection.lists)
  const prompt = prompts?.find(each => each.name === name)
  if (prompt !== undefined) return <PromptPage key={name} prompt={prompt} />
  if (name !== undefined) {
    return (
      <>
        <Heading>{name}</Heading>
        {prompts === undefined ? <Loading /> : <p>This server has no such prompt, or you may not see it.</p>}
      </>
    )
  }
  const items = prompts?.map(each => ({
    ...each,
    key: each.name,
    href: toHash({ section: 'prompts', name: each.name }),
  }))
  return (
    <>
      <Heading>Prompts</Heading>
      <List kind="prompts" items={items} />
    </>
  )
}
