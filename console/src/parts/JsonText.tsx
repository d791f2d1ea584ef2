// JSON in colours, to be read: laid out by `layOutJson`. Text that is something else stays as it is.
import { useMemo } from 'preact/hooks'
import { Visible } from '../results/PlainText.tsx'
import { type JsonToken, layOutJson, reformatJson } from './json-layout.ts'

/** A page with a span for each token of a longer text would answer slowly. */
const MAX_COLOURED = 30_000

const CLASSES: Readonly<Partial<Record<JsonToken['kind'], string>>> = {
  string: 'tok-s',
  number: 'tok-n',
  word: 'tok-w',
  mark: 'tok-p',
}

/** What stands in a `<pre>`. */
export function JsonText({ text }: { text: string }) {
  const tokens = useMemo(() => (text.length > MAX_COLOURED ? undefined : layOutJson(text)), [text])
  if (tokens === undefined) return <Visible text={text.length > MAX_COLOURED ? reformatJson(text) : text} />
  return <>{tokens.map(toSpan)}</>
}

function toSpan({ kind, text }: JsonToken, index: number) {
  const name = CLASSES[kind]
  if (name === undefined) return kind === 'space' ? text : <Visible key={index} text={text} />
  return (
    <span key={index} class={name}>
      {kind === 'string' ? <Visible text={text} /> : text}
    </span>
  )
}
