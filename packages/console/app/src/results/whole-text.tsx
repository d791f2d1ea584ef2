// The whole of a text that its cell cuts, on hover and on focus. WCAG 2.2, 1.4.13: it stays under the pointer, and Esc
// hides it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Visible } from '../parts/Visible.tsx'

interface Shown {
  readonly text: string
  readonly top: number
  readonly left: number
}

const GAP = 4
/** Room that it needs below its cell, else it stands above. */
const HEIGHT = 160
const WIDTH = 420

/** `handlers` go on the element that holds the cells; a cell has its text as `data-whole`. */
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
      // Not for the view around it.
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
  // In the top layer: a pane would cut it off, and hold it in its own place.
  useEffect(() => box.current?.showPopover(), [])
  return (
    <div ref={box} class="whole-text" popover="manual" role="tooltip" style={{ top: `${top}px`, left: `${left}px` }}>
      <Visible text={text} />
    </div>
  )
}
