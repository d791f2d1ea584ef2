// JSON in colours, or a text, by its lines.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { saveFile } from '../parts/download.ts'
import { JsonTokens } from '../parts/JsonText.tsx'
import { type JsonToken, layoutJson } from '../parts/json-layout.ts'
import { Visible } from '../parts/Visible.tsx'
import { formatNumber } from './format.ts'
import { Lines } from './Lines.tsx'

/** A browser takes seconds to lay out a line of a million characters. */
const MAX_LINE = 5_000

interface Props {
  readonly text: string
  readonly label: string
  readonly fileName: string
  readonly isBox?: boolean | undefined
  readonly isWrapped?: boolean
  readonly before?: ComponentChildren
  readonly after?: ComponentChildren
}

/** @param text JSON */
export function JsonLines({ text, fileName, ...rest }: Props) {
  const layout = useMemo(() => layoutJson(text), [text])
  return (
    <Lines
      lineCount={layout.lineCount}
      readLine={index => <JsonTokens tokens={layout.readLine(index).map(cut)} />}
      onDownload={() => saveFile(fileName, text)}
      {...rest}
    />
  )
}

export function TextLines({ text, fileName, ...rest }: Props) {
  const lines = useMemo(() => text.split(/\r?\n/), [text])
  return (
    <Lines
      lineCount={lines.length}
      readLine={index => <Visible text={cutText(lines[index]!)} />}
      onDownload={() => saveFile(fileName, text)}
      {...rest}
    />
  )
}

const cut = ({ kind, text }: JsonToken): JsonToken => ({ kind, text: cutText(text) })

const cutText = (text: string): string =>
  text.length <= MAX_LINE
    ? text
    : `${text.slice(0, MAX_LINE)} … ${formatNumber(text.length - MAX_LINE)} more characters`
