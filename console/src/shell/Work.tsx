// The panel of a view: its panes stand side by side, and scroll by themselves.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useStore } from '../client/use-store.ts'
import { useConsole } from './context.ts'
import type { Pane } from './view-state.ts'

interface Props {
  /** The section, for a screen reader. */
  readonly label: string
  /** What the view is about: the title of the tab, and the heading that takes the focus. */
  readonly title: string
  /** `tools`: list, form, result. `split`: list, detail. `list`: narrow list, detail. */
  readonly layout?: 'tools' | 'split' | 'list' | undefined
  readonly pane: Pane
  readonly children: ComponentChildren
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
  const heading = useFocusOnChange(title)
  return (
    <main class={layout === undefined ? 'work' : `work work-${layout}`} id="main" tabIndex={-1} aria-label={label}>
      <h1 class="vh" tabIndex={-1} ref={heading}>
        {title}
      </h1>
      {children}
    </main>
  )
}

/** A screen reader goes on at the heading of the new view. The first view leaves the focus alone. */
function useFocusOnChange(title: string) {
  const heading = useRef<HTMLHeadingElement>(null)
  const before = useRef(shown)
  useEffect(() => {
    if (before.current !== undefined && before.current !== title) heading.current?.focus()
    before.current = title
    shown = title
  }, [title])
  return heading
}

let shown: string | undefined
