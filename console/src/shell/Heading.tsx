// The heading of a view that has no panes of its own yet.
import type { ComponentChildren } from 'preact'

export const Heading = ({ children }: { children: ComponentChildren }) => <h2>{children}</h2>
