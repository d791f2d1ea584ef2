// The icons: 16 px on a grid of 16. Each is drawn in place, so a page needs no sprite.
import type { JSX } from 'preact'

const SHAPES = {
  activity: <path d="M1.5 8h3l2-5 3 10 2-5h3" />,
  alert: (
    <>
      <path d="M8 2.25 14.25 13.25H1.75z" />
      <path d="M8 6.5v3M8 11.4v.1" />
    </>
  ),
  box: <path d="M8 1.75 13.75 4.75v6.5L8 14.25 2.25 11.25v-6.5zM2.5 5 8 7.75 13.5 5M8 7.75v6.25" />,
  braces: (
    <path d="M6 2.5c-1.75 0-2 .75-2 2v1.75C4 7.5 3.5 8 2.5 8 3.5 8 4 8.5 4 9.75v1.75c0 1.25.25 2 2 2M10 2.5c1.75 0 2 .75 2 2v1.75C12 7.5 12.5 8 13.5 8c-1 0-1.5.5-1.5 1.75v1.75c0 1.25-.25 2-2 2" />
  ),
  connect: <path d="M5.5 1.75v3.5M10.5 1.75v3.5M3.75 5.25h8.5v2.5a4.25 4.25 0 0 1-8.5 0zM8 12v2.25" />,
  copy: (
    <>
      <rect x="5.75" y="5.75" width="8" height="8" rx="1.5" />
      <path d="M3.25 10.25h-.5a.5.5 0 0 1-.5-.5v-7a.5.5 0 0 1 .5-.5h7a.5.5 0 0 1 .5.5v.5" />
    </>
  ),
  down: <path d="M4 6l4 4 4-4" />,
  download: <path d="M8 2v8M5 7l3 3 3-3M2.75 13.25h10.5" />,
  external: <path d="M6.5 3H3v10h10V9.5M9.25 2.5h4.25v4.25M13.5 2.5 7.5 8.5" />,
  globe: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="M1.75 8h12.5M8 1.75c4 4 4 8.5 0 12.5-4-4-4-8.5 0-12.5" />
    </>
  ),
  left: <path d="M10 4 6 8l4 4" />,
  link: <path d="M6.5 9.5l3-3M7 5l1.75-1.75a2.8 2.8 0 0 1 4 4L11 9M9 11l-1.75 1.75a2.8 2.8 0 0 1-4-4L5 7" />,
  loader: <path d="M8 1.75a6.25 6.25 0 1 0 6.25 6.25" />,
  lock: (
    <>
      <rect x="3" y="7" width="10" height="7" rx="1.5" />
      <path d="M5.25 7V4.75a2.75 2.75 0 0 1 5.5 0V7" />
    </>
  ),
  messages: <path d="M2.5 5.25h10.75M10.5 2.5l2.75 2.75L10.5 8M13.5 10.75H2.75M5.5 8l-2.75 2.75L5.5 13.5" />,
  more: <path d="M3.5 8h.1M8 8h.1M12.5 8h.1" stroke-width="2.25" />,
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" />,
  pencil: <path d="M10.75 2.5l2.75 2.75L5.75 13H3v-2.75z" />,
  plus: <path d="M8 3v10M3 8h10" />,
  prompts: <path d="M2.25 2.75h11.5v8.5H8L5 13.75v-2.5H2.25z" />,
  refresh: <path d="M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3" />,
  resources: (
    <>
      <path d="M3.75 1.75H9l3.25 3.25v9.25h-8.5z" />
      <path d="M9 1.75V5h3.25" />
    </>
  ),
  right: <path d="M6 4l4 4-4 4" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="M10.25 10.25 13.5 13.5" />
    </>
  ),
  stop: <rect x="4" y="4" width="8" height="8" rx="1" />,
  tasks: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="M8 4.5V8l2.5 1.5" />
    </>
  ),
  terminal: (
    <>
      <rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1.5" />
      <path d="M4.5 6.25 6.5 8l-2 1.75M8.5 10h3" />
    </>
  ),
  theme: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 2.25a5.75 5.75 0 0 1 0 11.5z" fill="currentColor" />
    </>
  ),
  tools: (
    <>
      <path d="M8 1.75 13.4 4.9v6.2L8 14.25 2.6 11.1V4.9z" />
      <circle cx="8" cy="8" r="2.25" />
    </>
  ),
  trash: <path d="M2.75 4.25h10.5M6.25 4V2.25h3.5V4M4.25 4.25l.5 9.5h6.5l.5-9.5" />,
  up: <path d="M8 13V3.25M4.5 6.5 8 3l3.5 3.5" />,
  upload: <path d="M8 10V2M5 5l3-3 3 3M2.75 13.25h10.5" />,
  user: (
    <>
      <circle cx="8" cy="5.25" r="2.75" />
      <path d="M2.75 13.75c.5-2.75 2.5-4.25 5.25-4.25s4.75 1.5 5.25 4.25" />
    </>
  ),
  x: <path d="M4 4l8 8M12 4l-8 8" />,
} satisfies Record<string, JSX.Element>

export type IconName = keyof typeof SHAPES

interface Props {
  readonly name: IconName
  /** Pixels: 12, 16 or 20. */
  readonly size?: 12 | 16 | 20
}

/** Decoration: the text is beside it, or is the `aria-label` of its button. */
export const Icon = ({ name, size = 16 }: Props) => (
  <svg class={size === 16 ? 'i' : `i i-${size}`} viewBox="0 0 16 16" aria-hidden="true">
    {SHAPES[name]}
  </svg>
)
