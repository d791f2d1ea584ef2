// Tabs: arrow keys move between them. WAI-ARIA: Tabs pattern.
import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'

export interface Tab {
  readonly name: string
  render(): ComponentChildren
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }

export function Tabs({ tabs, label }: { tabs: readonly Tab[]; label: string }) {
  const id = useId()
  const [index, select] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const chosen = Math.min(index, tabs.length - 1)
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = (chosen + step + tabs.length) % tabs.length
    select(next)
    ;(list.current?.children[next] as HTMLElement | undefined)?.focus()
  }
  return (
    <div>
      <div class="tabs" role="tablist" aria-label={label} tabIndex={-1} ref={list} onKeyDown={move}>
        {tabs.map(({ name }, each) => (
          <button
            key={name}
            type="button"
            role="tab"
            class="tab"
            id={`${id}-${each}`}
            aria-controls={`${id}-panel`}
            aria-selected={each === chosen}
            tabIndex={each === chosen ? 0 : -1}
            onClick={() => select(each)}
          >
            {name}
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a panel without controls is reached by Tab */}
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${chosen}`} tabIndex={0}>
        {tabs[chosen]?.render()}
      </div>
    </div>
  )
}
