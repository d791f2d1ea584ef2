// JSON in colours, laid out by `layoutJson`. Other text stays as it is.
import { useMemo } from 'preact/hooks'
import { isJson, type JsonToken, layoutJson, type TokenKind, writeLayout } from './json-layout.ts'
import { Visible } from './Visible.tsx'

/** With a span for each token of a longer text, a page would be slow. */
const MAX_COLOURED = 30_000

/** The content of a `<pre>`. */
export function JsonText({ text }: { text: string }) {
  const layout = useMemo(() => (isJson(text) ? layoutJson(text) : undefined), [text])
  if (layout === undefined) return <Visible text={text} />
  if (text.length > MAX_COLOURED) return <Visible text={writeLayout(layout)} />
  return Array.from({ length: layout.lineCount }, (_, index) => (
    <>
      {index > 0 && '\n'}
      <JsonTokens tokens={layout.readLine(index)} />
    </>
  ))
}

const CLASSES: Readonly<Record<TokenKind, string | undefined>> = {
  key: undefined,
  string: 'tok-s',
  number: 'tok-n',
  word: 'tok-w',
  mark: 'tok-p',
}

/** Tokens in their colours. Keys and blanks have none. */
export const JsonTokens = ({ tokens }: { tokens: readonly JsonToken[] }) =>
  tokens.map(({ kind, text }, index) => {
    const className = text.trim() === '' ? undefined : CLASSES[kind]
    return className === undefined ? (
      <Visible key={index} text={text} />
    ) : (
      <span key={index} class={className}>
        <Visible text={text} />
      </span>
    )
  })
