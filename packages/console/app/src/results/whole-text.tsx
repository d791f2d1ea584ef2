// Shows the whole text of a cut cell, on hover and on focus. WCAG 2.2, 1.4.13: it stays while the
// pointer is on it, and Esc hides it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Visible } from '../parts/Visible.tsx'

interface Shown {
  readonly text: string
  readonly top: number
  readonly left: number
}

const GAP = 4
/** Height that it needs below its cell; if there is less, it is above. */
const HEIGHT = 160
const WIDTH = 420

/** `handlers` go on the element with the cells; a cell has its text as `data-whole`. */
export function useWholeText() {
  const [shown, show] = useState<Shown>()
  const open = ({ target }: Event) => {
    const cell = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-whole]') : null
    show(cell !== null && isCut(cell) ? place(cell) : undefined)
  }
  const handlers = {
    onPointerOver: open,
    onFocusIn: open,
    onPointerLeave: () => show(undefined),
    onFocusOut: () => show(undefined),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || shown === undefined) return
      // The surrounding view must not handle the key, too.
      event.stopPropagation()
      show(undefined)
    },
  }
  return { handlers, view: shown === undefined ? null : <Whole shown={shown} /> }
}

const isCut = (cell: HTMLElement) => cell.scrollWidth > cell.clientWidth || (cell.dataset['whole'] ?? '').includes('\n')

function place(cell: HTMLElement): Shown {
  const { left, top, bottom } = cell.getBoundingClientRect()
  const fits = bottom + HEIGHT < window.innerHeight
  return {
    text: cell.dataset['whole'] ?? '',
    top: fits ? bottom + GAP : Math.max(GAP, top - HEIGHT - GAP),
    left: Math.max(GAP, Math.min(left, window.innerWidth - WIDTH - GAP)),
  }
}

function Whole({ shown: { text, top, left } }: { shown: Shown }) {
  const box = useRef<HTMLDivElement>(null)
  // In the top layer, because a pane would cut it off.
  useEffect(() => box.current?.showPopover(), [])
  return (
    <div ref={box} class="whole-text" popover="manual" role="tooltip" style={{ top: `${top}px`, left: `${left}px` }}>
      <Visible text={text} />
    </div>
  )
}
