// Moves the focus when the view changes.

const FIELDS = '.pane-form .pane-scroll :is(input, textarea, select, button), .pane-form .pane-foot button'

/** @returns whether there was a form to focus */
export function focusForm(): boolean {
  const field = document.querySelector<HTMLElement>(FIELDS)
  field?.focus()
  return field !== null
}

/** So that a screen reader continues at the heading of the new view. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus()
}
