// The panel of a view: its panes are side by side, and each scrolls.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useStore } from '../client/use-store.ts'
import { useConsole } from './context.ts'
import { OfflineBanner } from './OfflineBanner.tsx'
import { type BorderName, PaneBorder } from './PaneBorder.tsx'
import type { Pane } from './view-state.ts'

type Layout = 'tools' | 'split' | 'list'

interface Props {
  /** The section, for a screen reader. */
  readonly label: string
  /** The subject of the view: the title of the tab, and the heading that takes the focus. */
  readonly title: string
  /** `tools`: list, form, result. `split`: list, detail. `list`: narrow list, detail. */
  readonly layout?: Layout | undefined
  readonly pane: Pane
  readonly children: ComponentChildren
}

/** The borders that the user can drag. */
const BORDERS: Readonly<Record<Layout, readonly BorderName[]>> = {
  tools: ['list', 'form'],
  split: ['detail'],
  list: ['master'],
}

export function Work({ label, title, layout, pane, children }: Props) {
  const { config, connection } = useConsole()
  const { server = config } = useStore(connection.state)
  const waiting = useStore(connection.questions.open).length
  const name = server.title ?? server.name
  useEffect(() => {
    document.title = `${waiting > 0 ? '● ' : ''}${title} · ${name}`
  }, [title, name, waiting])
  useEffect(() => {
    document.body.dataset['pane'] = pane
  }, [pane])
  return (
    <main class={layout === undefined ? 'work' : `work work-${layout}`} id="main" tabIndex={-1} aria-label={label}>
      <h1 class="vh" tabIndex={-1}>
        {title}
      </h1>
      <OfflineBanner />
      {children}
      {layout !== undefined && BORDERS[layout].map(border => <PaneBorder key={border} name={border} />)}
    </main>
  )
}
