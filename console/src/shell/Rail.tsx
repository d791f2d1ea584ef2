// The sections: at the left, on a phone at the bottom.
import { Icon, type IconName } from '../parts/Icon.tsx'
import { type Section, toHash } from './router.ts'

interface Item {
  readonly section: Section
  readonly title: string
  readonly icon: IconName
  /** Below More on a phone. */
  readonly isMinor?: true
  /** What stands before it. */
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

export const Rail = ({ section }: { section: Section }) => (
  <nav class="rail" aria-label="Sections">
    {ITEMS.map(({ section: each, title, icon, isMinor, before }) => (
      <>
        {before !== undefined && <span class={before} />}
        <a
          key={each}
          href={toHash({ section: each })}
          class={isMinor && 'minor'}
          aria-current={each === section ? 'page' : undefined}
        >
          <Icon name={icon} size={20} />
          <span>{title}</span>
        </a>
      </>
    ))}
  </nav>
)
