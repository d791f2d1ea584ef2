// The sections of the console; on narrow screens a bar at the top.
import { useStore } from '../client/use-store.ts'
import { hasEnded } from '../tasks/task-list.ts'
import { useConsole } from './context.ts'
import { SECTIONS, type Section, toHash } from './router.ts'

const TITLES: Readonly<Record<Section, string>> = {
  tools: 'Tools',
  resources: 'Resources',
  prompts: 'Prompts',
  tasks: 'Tasks',
  activity: 'Activity',
  messages: 'Messages',
  connect: 'Connect',
}

export function Sidebar({ section }: { section: Section }) {
  const { connection, tasks } = useConsole()
  const { tools, resources, templates, prompts } = useStore(connection.lists)
  const underWay = useStore(tasks.tasks).filter(task => !hasEnded(task)).length
  const counts: Partial<Record<Section, number | undefined>> = {
    tools: tools?.length,
    resources: resources && resources.length + (templates?.length ?? 0),
    prompts: prompts?.length,
    tasks: underWay || undefined,
  }
  return (
    <nav class="sidebar" aria-label="Sections">
      <ul>
        {SECTIONS.map(each => (
          <li key={each}>
            <a href={toHash({ section: each })} aria-current={each === section ? 'page' : undefined}>
              {TITLES[each]}
              {counts[each] !== undefined && <span class="count">{counts[each]}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
