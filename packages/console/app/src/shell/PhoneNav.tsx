// Navigation below 900 px: back to the list, and a switch between two panes.
import { useStore } from '../client/use-store.ts'
import { Icon } from '../parts/Icon.tsx'
import { Segmented } from '../parts/Segmented.tsx'
import { useConsole } from './context.ts'
import { type Section, toHash } from './router.ts'

interface Props {
  readonly section: Section
  readonly title: string
  /** For a screen reader. */
  readonly label: string
  /** The label for the second of two panes; without it there is only one. */
  readonly result?: string
}

export function PhoneNav({ section, title, label, result }: Props) {
  const { view } = useConsole()
  const pane = useStore(view.pane)
  return (
    <nav class="phone-nav only-phone" aria-label={label}>
      <a class="button button-ghost button-s" href={toHash({ section })} onClick={() => view.pane.set('list')}>
        <Icon name="left" />
        {title}
      </a>
      {result !== undefined && (
        <Segmented
          label="Shown"
          choices={[
            ['form', 'Arguments'],
            ['result', result],
          ]}
          value={pane === 'list' ? 'form' : pane}
          onChange={view.pane.set}
        />
      )}
    </nav>
  )
}

/** Shown above the name of the open entry if the list has no room. */
export function BackToList({ section, children }: { section: Section; children: string }) {
  const { view } = useConsole()
  return (
    <a class="button button-ghost button-s back" href={toHash({ section })} onClick={() => view.pane.set('list')}>
      <Icon name="left" />
      {children}
    </a>
  )
}

/** Below 900 px, where a view has a list and one detail: back to the list. */
export const PhoneBack = ({ section, title }: Pick<Props, 'section' | 'title'>) => (
  <nav class="phone-nav only-phone" aria-label={`Back to ${title}`}>
    <a class="button button-ghost button-s" href={toHash({ section })}>
      <Icon name="left" />
      {title}
    </a>
  </nav>
)
