// A text to read and to copy: its name is in the head, and the text scrolls below.
import type { ComponentChildren } from 'preact'
import { CopyButton } from './CopyButton.tsx'

interface Props {
  /** The text that the button copies. */
  readonly text: string
  /** The name of the file, or its kind. Without it, Copy is in the corner. */
  readonly head?: string
  /** For a command: it wraps, one click selects it, and Copy is beside it. */
  readonly isLine?: boolean
  /** For a screen reader: "Copy call.ts". */
  readonly label: string
  /** The text with its colours; else `text` itself. */
  readonly children?: ComponentChildren
}

export function Code({ text, head, isLine, label, children = text }: Props) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
  const pre = <pre tabIndex={0}>{children}</pre>
  const copy = <CopyButton text={text} label={label} />
  if (isLine) {
    return (
      <div class="code code-line">
        {pre}
        {copy}
      </div>
    )
  }
  return (
    <div class="code">
      <div class={head === undefined ? 'code-head code-head-bare' : 'code-head'}>
        <span class="grow cut">{head}</span>
        {copy}
      </div>
      {pre}
    </div>
  )
}
