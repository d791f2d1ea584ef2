// Views of the same thing; arrow keys move between them. WAI-ARIA: Tabs pattern. The panel is
// elsewhere on the page, with `panelId` as its id.
import { useRef } from 'preact/hooks'

export interface Tab<T extends string> {
  readonly id: T
  readonly label: string
  /** Number of things in the view; 0 is not shown. */
  readonly count?: number | undefined
}

interface Props<T extends string> {
  readonly label: string
  readonly tabs: readonly Tab<T>[]
  readonly chosen: T
  readonly panelId: string
  onChoose(id: T): void
}

const STEPS: Readonly<Record<string, (at: number, length: number) => number>> = {
  ArrowRight: (at, length) => (at + 1) % length,
  ArrowLeft: (at, length) => (at - 1 + length) % length,
  Home: () => 0,
  End: (_, length) => length - 1,
}

export function Tabs<T extends string>({ label, tabs, chosen, panelId, onChoose }: Props<T>) {
  const list = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = tabs.findIndex(({ id }) => id === chosen)
    const next = step(at, tabs.length)
    onChoose(tabs[next]!.id)
    ;(list.current?.children[next] as HTMLElement | undefined)?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} tabIndex={-1} ref={list} onKeyDown={move}>
      {tabs.map(({ id, label: name, count }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`${panelId}-${id}`}
          aria-controls={panelId}
          aria-selected={id === chosen}
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          {name}
          {count ? (
            <>
              {' '}
              <span class="count">{count}</span>
            </>
          ) : null}
        </button>
      ))}
    </div>
  )
}

interface PanelProps {
  readonly id: string
  readonly chosen: string
  readonly children: preact.ComponentChildren
}

/** The content of the chosen tab. It scrolls in its pane. */
export const TabPanel = ({ id, chosen, children }: PanelProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a panel without controls is reached by Tab
  <div class="pane-scroll pane-pad" id={id} role="tabpanel" aria-labelledby={`${id}-${chosen}`} tabIndex={0}>
    {children}
  </div>
)
