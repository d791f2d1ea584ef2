// Markdown of a tool or a server as elements of the page. HTML in it stays text, pictures become
// links, and a link shows its target.
import type { MarkedToken, Token, Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { Visible } from '../parts/Visible.tsx'
import { toLinkTarget } from './files.ts'
import { useInline, useMarkdown } from './use-markdown.ts'

/** A whole text: headings, lists, tables, code. A text that is too large or complex stays plain. */
export function Markdown({ text }: { text: string }) {
  const tokens = useMarkdown(text)
  return (
    <div class="prose">
      {tokens === undefined ? (
        <p class="plain">
          <Visible text={text} />
        </p>
      ) : (
        <Blocks tokens={tokens} />
      )}
    </div>
  )
}

/**
 * One or a few sentences: code in backticks, links and emphasis. For descriptions, notices and
 * questions.
 */
export function InlineText({ text }: { text: string }) {
  const tokens = useInline(text)
  return tokens === undefined ? <Visible text={text} /> : <Inlines tokens={tokens} />
}

/**
 * Shows words in backticks as code, and all other text unchanged, such as a tool's own words on a
 * failure.
 */
export const CodeText = ({ text }: { text: string }) =>
  text
    .split(/(`[^`\n]+`)/)
    .map((each, index) =>
      index % 2 === 1 ? <Code key={index} text={each.slice(1, -1)} /> : <Visible key={index} text={each} />,
    )

const Code = ({ text }: { text: string }) => (
  <code>
    <Visible text={text} />
  </code>
)

interface List {
  readonly tokens: readonly Token[] | undefined
}

const Blocks = ({ tokens = [] }: List) =>
  tokens.map((token, index) => <Block key={index} token={token as MarkedToken} />)

const Inlines = ({ tokens = [] }: List) =>
  tokens.map((token, index) => <Inline key={index} token={token as MarkedToken} />)

function Block({ token }: { token: MarkedToken }): ComponentChildren {
  switch (token.type) {
    case 'heading': {
      const Heading = `h${Math.min(6, token.depth + 1)}` as 'h2'
      return (
        <Heading>
          <Inlines tokens={token.tokens} />
        </Heading>
      )
    }
    case 'paragraph':
      return (
        <p>
          <Inlines tokens={token.tokens} />
        </p>
      )
    case 'list':
      return <ListBlock list={token} />
    case 'blockquote':
      return (
        <blockquote>
          <Blocks tokens={token.tokens} />
        </blockquote>
      )
    case 'code':
      return (
        <div class="code">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
          <pre tabIndex={0}>
            <Visible text={token.text} />
          </pre>
        </div>
      )
    case 'table':
      return <TableBlock table={token} />
    case 'hr':
      return <hr />
    case 'space':
    case 'def':
      return null
    case 'html':
      return (
        <p class="plain">
          <Visible text={token.raw.trimEnd()} />
        </p>
      )
    default:
      return <Inline token={token} />
  }
}

function ListBlock({ list: { ordered, start, items } }: { list: Tokens.List }) {
  const children = items.map((item, index) => (
    <li key={index} class={item.task ? 'task' : undefined}>
      <Blocks tokens={item.tokens} />
    </li>
  ))
  return ordered ? <ol start={Number(start) || 1}>{children}</ol> : <ul>{children}</ul>
}

const TableBlock = ({ table: { header, rows } }: { table: Tokens.Table }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
  <div class="grid-scroll" tabIndex={0} role="group" aria-label="Table">
    <table class="grid">
      <thead>
        <tr>
          {header.map(({ tokens, align }, index) => (
            <th key={index} scope="col" class={align === 'right' ? 'n' : undefined}>
              <Inlines tokens={tokens} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.map(({ tokens, align }, index) => (
              <td key={index} class={align === 'right' ? 'n' : undefined}>
                <Inlines tokens={tokens} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

function Inline({ token }: { token: MarkedToken }): ComponentChildren {
  switch (token.type) {
    case 'strong':
      return (
        <strong>
          <Inlines tokens={token.tokens} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <Inlines tokens={token.tokens} />
        </em>
      )
    case 'del':
      return (
        <del>
          <Inlines tokens={token.tokens} />
        </del>
      )
    case 'codespan':
      return <Code text={token.text} />
    case 'br':
      return <br />
    case 'checkbox':
      return <span aria-hidden="true">{token.checked ? '☑ ' : '☐ '}</span>
    case 'link':
      return (
        <Link
          href={token.href}
          tokens={token.tokens}
          isAutolink={token.raw.includes(token.href) && token.text === token.href}
        />
      )
    case 'image':
      return <Link href={token.href} tokens={[{ type: 'text', raw: token.text, text: token.text || 'Image' }]} />
    case 'text':
      return token.tokens === undefined ? (
        <Visible text={decodeReferences(token.text)} />
      ) : (
        <Inlines tokens={token.tokens} />
      )
    case 'escape':
      return <Visible text={token.text} />
    default:
      // HTML in a line: its tags are text.
      return <Visible text={token.raw} />
  }
}

interface LinkProps extends List {
  readonly href: string
  readonly isAutolink?: boolean
}

/** Shows the host after the text of the link, because the text may name another one. */
function Link({ href, tokens, isAutolink = false }: LinkProps) {
  const target = toLinkTarget(href)
  if (target === undefined) {
    return (
      <>
        <Inlines tokens={tokens} />
        {!isAutolink && (
          <span class="faint">
            {' ('}
            <Visible text={href.slice(0, 200)} />)
          </span>
        )}
      </>
    )
  }
  return (
    <>
      <a href={target.href} target="_blank" rel="noopener noreferrer">
        <Inlines tokens={tokens} />
      </a>
      {!isAutolink && <span class="faint"> ({target.place})</span>}
    </>
  )
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  rarr: '→',
  times: '×',
  euro: '€',
  copy: '©',
}

/** Decodes common character references; others stay as they are. */
const decodeReferences = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? NAMED[name]! : all
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all
  })
