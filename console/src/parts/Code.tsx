// A text to read and to copy: the head names it, the text scrolls below.
import type { ComponentChildren } from 'preact'
import { CopyButton } from './CopyButton.tsx'

interface Props {
  /** What is copied. */
  readonly text: string
  /** The name of the file, or what it is. Without it, Copy stands in the corner. */
  readonly head?: string
  /** For a screen reader: "Copy call.ts". */
  readonly label: string
  /** The text with its colours; else `text` itself. */
  readonly children?: ComponentChildren
}

export const Code = ({ text, head, label, children = text }: Props) => (
  <div class={head === undefined ? 'code code-plain' : 'code'}>
    <div class="code-head">
      <span class="grow cut">{head}</span>
      <CopyButton text={text} label={label} />
    </div>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
    <pre tabIndex={0}>{children}</pre>
  </div>
)
