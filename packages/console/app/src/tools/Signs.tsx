// The signs of a tool in the list: it changes something, it is destructive, it can be a task.
import type { Tool } from '@modelcontextprotocol/client'
import { Icon, type IconName } from '../parts/Icon.tsx'

export function Signs({ tool: { annotations, execution } }: { tool: Tool }) {
  const { readOnlyHint, destructiveHint } = annotations ?? {}
  const task = execution?.taskSupport
  return (
    <>
      {(task === 'optional' || task === 'required') && <Sign icon="tasks" words="Can run as a task" />}
      {readOnlyHint !== true &&
        (destructiveHint === true ? (
          <Sign icon="alert" words="Destructive" isDanger />
        ) : (
          <Sign icon="pencil" words="Changes something" />
        ))}
    </>
  )
}

interface Props {
  readonly icon: IconName
  readonly words: string
  readonly isDanger?: boolean
}

const Sign = ({ icon, words, isDanger }: Props) => (
  <span title={words} class={isDanger ? 'is-danger' : undefined}>
    <Icon name={icon} />
    <span class="vh">{words.toLowerCase()}</span>
  </span>
)
