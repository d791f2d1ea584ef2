// Text that is never more than text. Long text is cut, with a button for the rest.
import { useMemo, useState } from 'preact/hooks'
import { toSegments } from './visible-text.ts'

/** Characters that are shown at first, and for each "Show more". */
const STEP = 20_000
/** A page with more than that stops answering; the rest is in the download. */
const MOST = 2_000_000

export function PlainText({ text }: { text: string }) {
  const [length, setLength] = useState(STEP)
  const most = Math.min(text.length, MOST)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre class="plain-text" tabIndex={0}>
        <Visible text={text.slice(0, length)} />
      </pre>
      {length < most && (
        <p class="row hint">
          {STEP.toLocaleString('en')} of {text.length.toLocaleString('en')} characters.
          <button type="button" class="button button-small" onClick={() => setLength(MOST)}>
            Show {most < text.length ? `the first ${MOST.toLocaleString('en')}` : 'all'}
          </button>
        </p>
      )}
    </>
  )
}

/** A text of the server in paragraphs, such as a description. */
export const Prose = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <p class="prose">
      <Visible text={text} />
    </p>
  )

/** A short text in a line. */
export function Visible({ text }: { text: string }) {
  const segments = useMemo(() => toSegments(text), [text])
  // A span for each of a million marks would be too much for a page.
  if (segments.length > 5_000) return <>{segments.map(({ text }) => text).join('')}</>
  return <>{segments.map(({ text, isMark }, index) => (isMark ? <mark key={index}>{text}</mark> : text))}</>
}
