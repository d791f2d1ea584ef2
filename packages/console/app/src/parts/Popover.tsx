// A panel that a button opens. It takes the focus, and returns it. Escape and a click elsewhere
// close it.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface Props {
  readonly label: string
  /** Where it stands. */
  readonly class: string
  readonly children: ComponentChildren
  onClose(): void
}

export function Popover({ label, class: place, children, onClose }: Props) {
  const box = useRef<HTMLElement>(null)
  const close = useRef(onClose)
  close.current = onClose
  // At once, so that the next key reaches the panel.
  useLayoutEffect(() => {
    const opener = document.activeElement
    box.current?.focus()
    const leave = (event: Event) => {
      const isInside = [box.current, opener].some(each => each?.contains(event.target as Node))
      if (!isInside) close.current()
    }
    document.addEventListener('pointerdown', leave)
    document.addEventListener('focusin', leave)
    return () => {
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('focusin', leave)
      const isLost = document.activeElement === null || document.activeElement === document.body
      if (isLost && opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <section
      class={`popover ${place}`}
      role="dialog"
      aria-label={label}
      tabIndex={-1}
      ref={box}
      onKeyDown={event => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onClose()
      }}
    >
      {children}
    </section>
  )
}
