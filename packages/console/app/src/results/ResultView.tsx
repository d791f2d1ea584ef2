// The result of a tool call, part by part. Nothing in it can run: it gets into the page as text,
// <img>, <audio> or a download. The pane of a call shows a result with one part without these boxes.
import type { CallToolResult } from '@modelcontextprotocol/client'
import { useMemo } from 'preact/hooks'
import { isObject } from '../client/json-rpc.ts'
import { Icon } from '../parts/Icon.tsx'
import { Folded } from './Extras.tsx'
import { formatNumber } from './format.ts'
import { CodeText } from './Markdown.tsx'
import { PartBox } from './PartBox.tsx'
import { type Fields, MAX_BLOCKS, type Parts, toParts } from './parts.ts'
import { toJson } from './values.ts'

interface Props {
  readonly result: CallToolResult
  /** For downloads, without extension. */
  readonly fileName?: string
}

export function ResultView({ result, fileName = 'result' }: Props) {
  const parts = useMemo(() => toParts(result as Fields), [result])
  return (
    <div class="result stack-12">
      {result.isError ? (
        <ToolError parts={parts} fileName={fileName} />
      ) : (
        <PartList parts={parts} fileName={fileName} />
      )}
      <Leftovers parts={parts} meta={result._meta} />
    </div>
  )
}

interface PartsProps {
  readonly parts: Parts
  readonly fileName: string
}

export const PartList = ({ parts: { shown }, fileName }: PartsProps) =>
  shown.length === 0 ? (
    <p class="muted">The result is empty.</p>
  ) : (
    shown.map(({ part, block }, index) => (
      <section key={index} aria-label={`Part ${index + 1} of ${shown.length}`}>
        <PartBox part={part} block={block} fileName={shown.length === 1 ? fileName : `${fileName}-${index + 1}`} />
      </section>
    ))
  )

/** The tool's own words, in red. A model reads the same text. */
export function ToolError({ parts: { shown, ...rest }, fileName }: PartsProps) {
  const texts = shown.flatMap(({ part }) => (part.kind === 'text' ? [part.text] : []))
  const others = shown.filter(({ part }) => part.kind !== 'text')
  return (
    <>
      <section class="verdict verdict-danger" role="alert">
        <div class="verdict-line">
          <Icon name="alert" />
          <p>
            {texts.length === 0 ? (
              'The tool failed, and says nothing about it.'
            ) : (
              <CodeText text={texts.join('\n\n')} />
            )}
          </p>
        </div>
      </section>
      <p class="muted">
        The tool says so itself (<code>isError</code>), and a model reads the same. The call reached it and came back.
      </p>
      {others.length > 0 && <PartList parts={{ shown: others, ...rest }} fileName={fileName} />}
    </>
  )
}

/** Every result of the newest revision names the server. Only additions of a tool are shown. */
export const hasOwnMeta = (meta: unknown): boolean =>
  isObject(meta) && Object.keys(meta).some(key => !key.startsWith('io.modelcontextprotocol/'))

/** The rest of a result besides its parts. */
export const Leftovers = ({ parts: { copies, blockCount }, meta }: { parts: Parts; meta: unknown }) => (
  <>
    {blockCount > MAX_BLOCKS && (
      <p class="muted">
        {MAX_BLOCKS} of {formatNumber(blockCount)} content blocks. The tab JSON has all.
      </p>
    )}
    {copies.length > 0 && <Folded summary="The same as text" text={copies.join('\n')} />}
    {hasOwnMeta(meta) && <Folded summary="_meta" text={toJson(meta)} />}
  </>
)
