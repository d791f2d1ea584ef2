// A sentence that the user has to see. Colour, icon and words say the same.
import type { ComponentChildren } from 'preact'
import { Icon } from './Icon.tsx'

interface Props {
  readonly kind?: 'quiet' | 'warning' | 'danger'
  /** Is read out when it appears. */
  readonly isAlert?: boolean
  readonly children: ComponentChildren
}

export const Note = ({ kind = 'quiet', isAlert, children }: Props) => (
  <div class={kind === 'quiet' ? 'note' : `note note-${kind}`} role={isAlert ? 'alert' : undefined}>
    {kind !== 'quiet' && <Icon name="alert" />}
    <div class="stack-4">{children}</div>
  </div>
)
