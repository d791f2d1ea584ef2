// Where the focus goes when the view changes.

const FIELDS = '.pane-form .pane-scroll :is(input, textarea, select, button), .pane-form .pane-foot button'

/** @returns whether there is a form */
export function focusForm(): boolean {
  const field = document.querySelector<HTMLElement>(FIELDS)
  field?.focus()
  return field !== null
}

/** A screen reader goes on at the heading of the new view. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus()
}
