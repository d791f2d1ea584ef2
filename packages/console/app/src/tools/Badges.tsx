// The annotations of a tool. They are hints, and nothing checks them.
import type { Tool } from '@modelcontextprotocol/client'
import { Icon } from '../parts/Icon.tsx'

type Annotations = NonNullable<Tool['annotations']>

interface Badge {
  readonly text: string
  readonly title: string
  readonly kind?: 'danger'
  applies(annotations: Annotations): boolean
}

const BADGES: readonly Badge[] = [
  { text: 'read-only', title: 'It says that it changes nothing', applies: ({ readOnlyHint }) => readOnlyHint === true },
  {
    text: 'destructive',
    title: 'It says that it may delete or overwrite',
    kind: 'danger',
    applies: ({ readOnlyHint, destructiveHint }) => readOnlyHint !== true && destructiveHint === true,
  },
  {
    text: 'idempotent',
    title: 'It says that a second call changes nothing more',
    applies: ({ readOnlyHint, idempotentHint }) => readOnlyHint !== true && idempotentHint === true,
  },
  {
    text: 'open world',
    title: 'It says that it reaches other systems',
    applies: ({ openWorldHint }) => openWorldHint === true,
  },
]

export function Badges({ tool: { annotations, execution } }: { tool: Tool }) {
  const badges = BADGES.filter(badge => annotations !== undefined && badge.applies(annotations))
  const task = execution?.taskSupport
  const hasTask = task === 'optional' || task === 'required'
  if (badges.length === 0 && !hasTask) return null
  return (
    <div class="badges">
      {badges.map(({ text, title, kind }) => (
        <span key={text} class={kind ? `badge badge-${kind}` : 'badge'} title={title}>
          {kind === 'danger' && <Icon name="alert" size={12} />}
          {text}
        </span>
      ))}
      {hasTask && (
        <span class="badge" title={task === 'required' ? 'It runs as a task only' : 'It can run as a task'}>
          task
        </span>
      )}
    </div>
  )
}
