// HTML as a template that escapes, for the pages of the broker.
export { Html, html } from '../console/src/page/html.ts'
