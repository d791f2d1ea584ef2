// The heading of a view: it takes the focus when the user goes there.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export function Heading({ children }: { children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${heading.current?.textContent ?? ''} · console`
  })
  return (
    <h1 tabIndex={-1} ref={heading} data-view-heading>
      {children}
    </h1>
  )
}
