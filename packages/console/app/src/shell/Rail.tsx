// The sections: on the left, or at the bottom of a phone, where some are below More.
import { useState } from 'preact/hooks'
import { useStore } from '../client/use-store.ts'
import { Icon, type IconName } from '../parts/Icon.tsx'
import { Popover } from '../parts/Popover.tsx'
import { hasEnded } from '../tasks/task-list.ts'
import { useConsole } from './context.ts'
import { type Section, toHash } from './router.ts'

interface Item {
  readonly section: Section
  readonly title: string
  readonly icon: IconName
  /** Below More on a phone. */
  readonly isMinor?: true
  /** The space before it. */
  readonly before?: 'gap' | 'push'
}

const ITEMS: readonly Item[] = [
  { section: 'tools', title: 'Tools', icon: 'tools' },
  { section: 'resources', title: 'Resources', icon: 'resources', isMinor: true },
  { section: 'prompts', title: 'Prompts', icon: 'prompts', isMinor: true },
  { section: 'tasks', title: 'Tasks', icon: 'tasks', before: 'gap' },
  { section: 'activity', title: 'Activity', icon: 'activity' },
  { section: 'messages', title: 'Messages', icon: 'messages', isMinor: true },
  { section: 'connect', title: 'Connect', icon: 'connect', before: 'push' },
]

const MINOR = ITEMS.filter(({ isMinor }) => isMinor)

export const Rail = ({ section }: { section: Section }) => (
  <nav class="rail" aria-label="Sections">
    {ITEMS.map(({ section: each, title, icon, isMinor, before }) => (
      <>
        {before !== undefined && <span class={before} />}
        <a
          key={each}
          href={toHash({ section: each })}
          class={isMinor ? 'minor' : undefined}
          aria-current={each === section ? 'page' : undefined}
        >
          <Icon name={icon} size={20} />
          <span>{title}</span>
          {each === 'tasks' && <RunningTasks />}
        </a>
      </>
    ))}
    <More section={section} />
  </nav>
)

/** Number of tasks of this page that have not ended. */
function RunningTasks() {
  const { tasks } = useConsole()
  const running = useStore(tasks.tasks).filter(task => !hasEnded(task))
  if (running.length === 0) return null
  return (
    <span class="pip num">
      {running.length}
      <span class="vh"> running</span>
    </span>
  )
}

function More({ section }: { section: Section }) {
  const [isOpen, open] = useState(false)
  const isHere = MINOR.some(({ section: each }) => each === section)
  return (
    <>
      <button
        type="button"
        class="more"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-current={isHere ? 'page' : undefined}
        onClick={() => open(!isOpen)}
      >
        <Icon name="more" size={20} />
        <span>More</span>
      </button>
      {isOpen && (
        <Popover label="More sections" class="more-popover" onClose={() => open(false)}>
          {MINOR.map(({ section: each, title, icon }) => (
            <a
              key={each}
              href={toHash({ section: each })}
              aria-current={each === section ? 'page' : undefined}
              onClick={() => open(false)}
            >
              <Icon name={icon} size={20} />
              {title}
            </a>
          ))}
        </Popover>
      )}
    </>
  )
}
