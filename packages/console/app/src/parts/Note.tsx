// A sentence that the user must see. Colour, icon and text have the same meaning.
import type { ComponentChildren } from 'preact'
import { Icon } from './Icon.tsx'

interface Props {
  readonly kind?: 'quiet' | 'warning' | 'danger'
  /** A screen reader announces it when it appears. */
  readonly isAlert?: boolean
  readonly children: ComponentChildren
}

export const Note = ({ kind = 'quiet', isAlert, children }: Props) => (
  <div class={kind === 'quiet' ? 'note' : `note note-${kind}`} role={isAlert ? 'alert' : undefined}>
    {kind !== 'quiet' && <Icon name="alert" />}
    <div class="stack-4">{children}</div>
  </div>
)
