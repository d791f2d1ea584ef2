// The prompts of the server, and the open one.
import type { Prompt } from '@modelcontextprotocol/client'
import { useMemo } from 'preact/hooks'
import { useStore } from '../client/use-store.ts'
import { useConsole } from '../shell/context.ts'
import { toFirstSentence } from '../shell/first-sentence.ts'
import { ListPane } from '../shell/ListPane.tsx'
import { Missing } from '../shell/Missing.tsx'
import { PhoneNav } from '../shell/PhoneNav.tsx'
import { toHash } from '../shell/router.ts'
import { useOpen } from '../shell/use-open.ts'
import { Work } from '../shell/Work.tsx'
import { PromptView } from './PromptView.tsx'

export function PromptsView({ name }: { name?: string | undefined }) {
  const { connection, view } = useConsole()
  const { prompts } = useStore(connection.lists)
  const items = useMemo(() => prompts?.map(toItem), [prompts])
  const open = useOpen('prompts', name, items)
  const pane = useStore(view.pane)
  const prompt = prompts?.find(each => each.name === open)
  return (
    <Work label="Prompts" title={open ?? 'Prompts'} layout="tools" pane={open === undefined ? 'list' : pane}>
      {prompt !== undefined && (
        <PhoneNav section="prompts" title="Prompts" label="Parts of the prompt" result="Messages" />
      )}
      <ListPane
        kind="prompts"
        title="Prompts"
        one="prompt"
        items={items}
        current={open}
        none={
          <>
            <strong>No prompts</strong>
            <p>A file in prompts/ makes one.</p>
          </>
        }
      />
      {prompt !== undefined ? (
        <PromptView key={open} prompt={prompt} />
      ) : (
        <Missing one="prompt" section="prompts" name={prompts && open} />
      )}
    </Work>
  )
}

const toItem = (prompt: Prompt) => ({
  key: prompt.name,
  href: toHash({ section: 'prompts', name: prompt.name }),
  name: prompt.name,
  title: prompt.title,
  text: toFirstSentence(prompt.description),
  description: prompt.description,
})
