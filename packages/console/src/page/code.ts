// Texts to copy, and sentences with code in them.
import { highlight, splitCode } from '../clients/highlight.ts'
import type { Snippet } from '../clients/index.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'

interface CodeBlock {
  /** Of the element, on the whole page. */
  readonly id: string
  readonly snippet: Snippet
  /** The name of the copied text, for a screen reader: `the command`. */
  readonly label?: string
}

/** A command is one line that wraps; a file has its name in the head, and scrolls. */
export function renderCode({ id, snippet, label }: CodeBlock): Html {
  const { file, text, language } = snippet
  const spans = highlight(text, language).map(({ kind, text }) =>
    kind === undefined ? text : html`<span class="tok-${kind}">${text}</span>`,
  )
  const pre = html`<pre id="${id}" tabindex="0">${spans}</pre>`
  const button = copyButton(id, label ?? file ?? 'the command')
  if (file === undefined) return html`<div class="code code-line">${pre}${button}</div>`
  return html`<div class="code"><div class="code-head"><span class="grow cut">${file}</span>${button}</div>${pre}</div>`
}

export const copyButton = (id: string, label: string): Html =>
  html`<button type="button" class="button button-ghost button-s needs-script" data-copy="${id}" aria-label="Copy ${label}">${icon('copy')}Copy</button>`

/** Words in backticks are code. */
export const renderText = (text: string): readonly (Html | string)[] =>
  splitCode(text).map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))
