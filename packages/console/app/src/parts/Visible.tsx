// Text that is never more than text: what others wrote, with marks for the characters that cannot be seen.
import { useMemo } from 'preact/hooks'
import { toSegments } from './visible-text.ts'

export function Visible({ text }: { text: string }) {
  const segments = useMemo(() => toSegments(text), [text])
  // A span for each of a million marks would be too much for a page.
  if (segments.length > 5_000) return <>{segments.map(({ text }) => text).join('')}</>
  return <>{segments.map(({ text, isMark }, index) => (isMark ? <mark key={index}>{text}</mark> : text))}</>
}
