// A long text by its lines: numbered, 500 at first, 500 more on demand.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../parts/Icon.tsx'
import { Scroll } from '../parts/Scroll.tsx'
import { formatNumber } from './format.ts'

const STEP = 500

interface Props {
  readonly label: string
  readonly lineCount: number
  /** Among other content; else it fills the pane. */
  readonly isBox?: boolean | undefined
  readonly isWrapped?: boolean
  /** Content above the lines, which scrolls with them. */
  readonly before?: ComponentChildren
  readonly after?: ComponentChildren
  readLine(index: number): ComponentChildren
  onDownload(): void
}

export function Lines({ label, lineCount, isBox, isWrapped, before, after, readLine, onDownload }: Props) {
  const [count, setCount] = useState(STEP)
  const shown = Math.min(count, lineCount)
  return (
    <>
      <Scroll label={label} isBox={isBox}>
        {before}
        <ol class={isWrapped ? 'lines lines-wrapped' : 'lines'}>
          {Array.from({ length: shown }, (_, index) => (
            <li key={index}>
              <span>{readLine(index)}</span>
            </li>
          ))}
        </ol>
        {after}
      </Scroll>
      {shown < lineCount && (
        <footer class="pane-bar table-foot">
          <span class="muted num">
            Lines 1–{formatNumber(shown)} of {formatNumber(lineCount)}
          </span>
          <div class="row">
            <button type="button" class="button button-s" onClick={() => setCount(count + STEP)}>
              {formatNumber(Math.min(STEP, lineCount - shown))} more
            </button>
            <button type="button" class="button button-s" onClick={onDownload}>
              <Icon name="download" />
              Download all
            </button>
          </div>
        </footer>
      )}
    </>
  )
}
