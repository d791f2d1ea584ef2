// Shows text of others as plain text only, with marks for hidden characters.
import { useMemo } from 'preact/hooks'
import { toSegments } from './visible-text.ts'

export function Visible({ text }: { text: string }) {
  const segments = useMemo(() => toSegments(text), [text])
  // A million spans for marks would be too much for a page.
  if (segments.length > 5_000) return <>{segments.map(({ text }) => text).join('')}</>
  return <>{segments.map(({ text, isMark }, index) => (isMark ? <mark key={index}>{text}</mark> : text))}</>
}
