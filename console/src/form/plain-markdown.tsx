// Stands in for the Markdown renderer that @rjsf/core brings: a server's text stays text.
import type { ComponentChildren } from 'preact'

export const Markdown = ({ children }: { children?: ComponentChildren }) => <>{children}</>
