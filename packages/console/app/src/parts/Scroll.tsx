// The part of a pane that scrolls. It has a name, and can be reached by the keyboard.
import type { ComponentChildren } from 'preact'

interface Props {
  readonly label: string
  /** Without it, the content reaches the edges of the pane. */
  readonly isPadded?: boolean | undefined
  /** Among other content, with a limited height. */
  readonly isBox?: boolean | undefined
  readonly children: ComponentChildren
}

export const Scroll = ({ label, isPadded, isBox, children }: Props) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
  <div
    class={`${isBox ? 'box-scroll' : 'pane-scroll'}${isPadded ? ' pane-pad' : ''}`}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    tabIndex={0}
    role="group"
    aria-label={label}
  >
    {children}
  </div>
)
