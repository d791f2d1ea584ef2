// A modal dialog: the rest of the page cannot be reached while it is open. It returns the focus when
// it closes.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface Props {
  /** The id of its heading. */
  readonly labelledBy: string
  readonly describedBy?: string | undefined
  /** `alertdialog` if an answer can do harm. */
  readonly role?: 'dialog' | 'alertdialog'
  readonly isWide?: boolean
  /** Until then, only Escape works, so that a key for the page does not answer by accident. ms */
  readonly deafMs?: number
  readonly children: ComponentChildren
  /** Called for Escape. */
  onCancel(): void
}

/**
 * The first focus: an element that requests it, else the first field, else the first button of the
 * foot.
 */
const FIRST = ['[data-first]', '.dialog-body :is(input, textarea, select)', '.dialog-foot button', 'button']

export function Dialog({ labelledBy, describedBy, role = 'dialog', isWide, deafMs = 0, children, onCancel }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const opened = useRef(0)
  // At once, so that the next key reaches the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement
    const box = dialog.current!
    opened.current = performance.now()
    box.showModal()
    const [first] = FIRST.map(selector => box.querySelector<HTMLElement>(selector)).filter(each => each !== null)
    first?.focus()
    return () => {
      box.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'dialog dialog-wide' : 'dialog'}
      role={role}
      aria-modal="true"
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      onCancel={event => {
        event.preventDefault()
        onCancel()
      }}
      onKeyDownCapture={event => {
        const isDeaf = performance.now() - opened.current < deafMs
        if (!isDeaf || event.key === 'Escape') return
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      {children}
    </dialog>
  )
}
