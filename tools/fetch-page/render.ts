// Turns an HTML tree into text with the Markdown that a reader needs: headings, lists, tables, code
// and links.
import { tidy } from '../_web/strip-tags.ts'
import { toText, withoutImages, withoutImagesInCode } from '../_web/without-images.ts'
import { codeOf, type DomElement, type DomNode, isElement, isSkipped, isText } from './dom.ts'

interface Part {
  readonly text: string
  readonly isCode: boolean
}

interface Writer {
  readonly parts: Part[]
  readonly base: URL
  /** What was written last: text, a list marker, or nothing on this line. */
  at: 'text' | 'mark' | 'line'
  /** The enclosing lists, each with its next item number; undefined for unnumbered lists. */
  readonly lists: (number | undefined)[]
}

const MAX_HREF = 2000
const MAX_INDENT = 20
const BLOCKS = new Set(
  (
    'P DIV SECTION ARTICLE MAIN HEADER FOOTER NAV ASIDE BLOCKQUOTE TABLE FORM FIELDSET FIGURE FIGCAPTION HR ADDRESS DL ' +
    'DT DD DETAILS SUMMARY BODY CAPTION CENTER OPTION'
  ).split(' '),
)

/** @param base of relative links @throws RangeError if the tree is too deep for the stack */
export function render(root: DomNode, base: URL): string {
  return tidy(rendered(root.childNodes, base))
}

function rendered(nodes: Iterable<DomNode>, base: URL): string {
  const writer: Writer = { parts: [], base, at: 'line', lists: [] }
  walk(nodes, writer)
  return joined(writer.parts)
}

// An image may be formed by several parts, such as a "!" before a link.
function joined(parts: readonly Part[]): string {
  let whole = ''
  let prose = ''
  for (const { text, isCode } of parts) {
    if (!isCode) prose += text
    else {
      whole += withoutImages(prose) + withoutImagesInCode(text)
      prose = ''
    }
  }
  return whole + withoutImages(prose)
}

function walk(nodes: Iterable<DomNode>, writer: Writer): void {
  for (const node of nodes) {
    if (isText(node)) write(writer, (node.textContent ?? '').replace(/\s+/g, ' '))
    else if (isElement(node)) element(node, writer)
  }
}

function element(node: DomElement, writer: Writer): void {
  const name = node.nodeName.toUpperCase()
  if (isSkipped(node)) return
  const put = PUTS.get(name) ?? (BLOCKS.has(name) ? putBlock : putInline)
  put(node, writer)
}

function write(writer: Writer, text: string, isCode = false): void {
  const shown = writer.at === 'text' ? text : text.trimStart()
  if (shown === '') return
  const indent = writer.at === 'line' ? indentOf(writer) : ''
  writer.parts.push({ text: indent + shown, isCode })
  writer.at = 'text'
}

const indentOf = ({ lists }: Writer) => '  '.repeat(Math.min(lists.length, MAX_INDENT))

function startLine(writer: Writer): void {
  if (writer.at === 'text') breakLine(writer)
}

function breakLine(writer: Writer): void {
  writer.parts.push({ text: '\n', isCode: false })
  writer.at = 'line'
}

// Within a list, an empty line would separate its items.
function startBlock(writer: Writer): void {
  startLine(writer)
  if (writer.lists.length === 0) breakLine(writer)
}

function block(writer: Writer, inner: () => void): void {
  startBlock(writer)
  inner()
  startBlock(writer)
}

const oneLine = (node: DomElement, base: URL) => rendered(node.childNodes, base).replace(/\s+/g, ' ').trim()

type Put = (node: DomElement, writer: Writer) => void

const putInline: Put = (node, writer) => walk(node.childNodes, writer)
const putBlock: Put = (node, writer) => block(writer, () => walk(node.childNodes, writer))

const putPre: Put = (node, writer) => {
  const code = codeOf(node.childNodes)
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd()
  if (code === '') return
  // A longer fence, so that fences within the code cannot end it.
  const longest = (code.match(/`{3,}/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  const fenced = `${fence}\n${code}\n${fence}`.replaceAll('\n', `\n${indentOf(writer)}`)
  block(writer, () => write(writer, fenced, true))
}

const putCode: Put = (node, writer) => {
  const text = rendered(node.childNodes, writer.base).trim()
  // No code marks around links, line breaks, or code within code.
  if (text === '' || /[`\n]|\]\(/.test(text)) write(writer, text)
  else write(writer, `\`${codeOf(node.childNodes).replace(/\s+/g, ' ').trim()}\``, true)
}

// 10 to the 6th must not become 106; for 1st, nothing is lost.
const putRaised: Put = (node, writer) => {
  const text = oneLine(node, writer.base)
  write(writer, /^[-+−]?\d|^\p{L}$/u.test(text) ? `^${text}` : text)
}

// Without its address, which a client that shows Markdown would fetch.
const putImage: Put = (node, writer) => {
  const alt = (node.getAttribute('alt') ?? '').replace(/\s+/g, ' ').trim()
  if (alt !== '') write(writer, `[image: ${alt}]`)
}

const putHeading =
  (level: number): Put =>
  (node, writer) => {
    const text = oneLine(node, writer.base)
    if (text !== '') block(writer, () => write(writer, `${'#'.repeat(level)} ${text}`))
  }

const putList =
  (firstOf: (node: DomElement) => number | undefined): Put =>
  (node, writer) => {
    startBlock(writer)
    writer.lists.push(firstOf(node))
    walk(node.childNodes, writer)
    writer.lists.pop()
    startBlock(writer)
  }

const putPoints = putList(() => undefined)
const putSteps = putList(node => {
  const start = Number.parseInt(node.getAttribute('start') ?? '', 10)
  return Number.isSafeInteger(start) ? start : 1
})

function startItem(writer: Writer, mark: string): void {
  startLine(writer)
  const indent = writer.at === 'line' ? indentOf(writer) : ''
  writer.parts.push({ text: indent + mark, isCode: false })
  writer.at = 'mark'
}

const putItem: Put = (node, writer) => {
  const { lists } = writer
  if (lists.length === 0) return putBlock(node, writer)
  const number = lists.pop()
  startItem(writer, number === undefined ? '- ' : `${number}. `)
  lists.push(number === undefined ? undefined : number + 1)
  walk(node.childNodes, writer)
  if (writer.at !== 'line') breakLine(writer)
}

// Cells that contain tables are layout.
const putRow: Put = (node, writer) => {
  if (node.querySelector('table') !== null) return putBlock(node, writer)
  const cells = [...node.childNodes].filter(isElement).filter(cell => !isSkipped(cell))
  startLine(writer)
  write(writer, `| ${cells.map(cell => oneLine(cell, writer.base).replaceAll('|', '\\|')).join(' | ')} |`)
  breakLine(writer)
}

const putLink: Put = (node, writer) => {
  // A heading mark has no meaning within a line.
  const text = rendered(node.childNodes, writer.base)
    .replace(/^#{1,6} /gm, '')
    .replace(/\s+/g, ' ')
  const href = node.getAttribute('href') ?? ''
  const url = href.length <= MAX_HREF && !href.startsWith('#') ? URL.parse(href, writer.base.href) : null
  const isLink = text.trim() !== '' && href !== '' && url !== null && /^https?:$/.test(url.protocol)
  write(writer, isLink ? `[${text.trim()}](${toText(url)})` : text)
}

const PUTS: ReadonlyMap<string, Put> = new Map<string, Put>([
  ['BR', (_node, writer) => breakLine(writer)],
  ['A', putLink],
  ['IMG', putImage],
  ['PRE', putPre],
  ['SUP', putRaised],
  ['TR', putRow],
  ['LI', putItem],
  ['OL', putSteps],
  ...['UL', 'MENU'].map((name): [string, Put] => [name, putPoints]),
  ...['CODE', 'KBD', 'SAMP'].map((name): [string, Put] => [name, putCode]),
  ...[1, 2, 3, 4, 5, 6].map((level): [string, Put] => [`H${level}`, putHeading(level)]),
])
