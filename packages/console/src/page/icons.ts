// The icons of the page: one sprite, and each use shows a part of it. The console has the same shapes.
import { type Html, html } from './html.ts'

const sprite = html`<svg class="sprite" aria-hidden="true">
<symbol id="i-alert" viewBox="0 0 16 16"><path d="M8 2.25 14.25 13.25H1.75z"/><path d="M8 6.5v3M8 11.4v.1"/></symbol>
<symbol id="i-apis" viewBox="0 0 16 16"><path d="M6 2.5c-1.75 0-2 .75-2 2v1.75C4 7.5 3.5 8 2.5 8 3.5 8 4 8.5 4 9.75v1.75c0 1.25.25 2 2 2M10 2.5c1.75 0 2 .75 2 2v1.75C12 7.5 12.5 8 13.5 8c-1 0-1.5.5-1.5 1.75v1.75c0 1.25-.25 2-2 2"/></symbol>
<symbol id="i-chat-apps" viewBox="0 0 16 16"><path d="M2.25 2.75h11.5v8.5H8L5 13.75v-2.5H2.25z"/></symbol>
<symbol id="i-copy" viewBox="0 0 16 16"><rect x="5.75" y="5.75" width="8" height="8" rx="1.5"/><path d="M3.25 10.25h-.5a.5.5 0 0 1-.5-.5v-7a.5.5 0 0 1 .5-.5h7a.5.5 0 0 1 .5.5v.5"/></symbol>
<symbol id="i-editors" viewBox="0 0 16 16"><rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1.5"/><path d="M4.5 6.25 6.5 8l-2 1.75M8.5 10h3"/></symbol>
<symbol id="i-external" viewBox="0 0 16 16"><path d="M6.5 3H3v10h10V9.5M9.25 2.5h4.25v4.25M13.5 2.5 7.5 8.5"/></symbol>
<symbol id="i-frameworks" viewBox="0 0 16 16"><path d="M8 1.75 13.75 4.75v6.5L8 14.25 2.25 11.25v-6.5zM2.5 5 8 7.75 13.5 5M8 7.75v6.25"/></symbol>
<symbol id="i-lock" viewBox="0 0 16 16"><rect x="3" y="7" width="10" height="7" rx="1.5"/><path d="M5.25 7V4.75a2.75 2.75 0 0 1 5.5 0V7"/></symbol>
<symbol id="i-right" viewBox="0 0 16 16"><path d="M6 4l4 4-4 4"/></symbol>
<symbol id="i-task" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.25"/><path d="M8 4.5V8l2.5 1.5"/></symbol>
</svg>`

export const renderSprite = (): Html => sprite

/** Decoration: the words are beside it. @param size in pixels */
export const icon = (name: string, size: 12 | 16 | 20 = 16): Html =>
  html`<svg class="${size === 16 ? 'i' : `i i-${size}`}" aria-hidden="true"><use href="#i-${name}"/></svg>`

/** The sign of Toolrack, where a server has no icon of its own. */
export const MARK = html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6"/><path d="M5 7h14M8 7v6M12 7v10M16 7v4"/></svg>`

/** The same, in the tab of a browser. */
export const MARK_URL =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Crect width='24' height='24' rx='6' fill='%233550c4'/%3E%3Cpath d='M5 7h14M8 7v6M12 7v10M16 7v4' fill='none' stroke='%23fff' stroke-width='1.75' stroke-linecap='round'/%3E%3C/svg%3E"
