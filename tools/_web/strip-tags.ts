// Turns HTML into text in one pass and without a tree, for snippets and for pages that no tree can
// be built from.
import { decodeHTML } from 'entities'

const TAG_NAME = /^\/?([a-z][a-z0-9-]*)/i
const RAW = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'head', 'title', 'textarea'])
const COMMENT = '!--'
const NO_BREAK_SPACE = '\u00a0'
const INLINE = new Set(
  'a abbr b bdi bdo cite code em font i kbd mark q s samp small span strong sub sup time u var'.split(' '),
)

/** Time and memory grow only with the length, even if tags are nested or not closed. */
export function stripTags(html: string): string {
  const [first = '', ...pieces] = html.split('<')
  const kept = [first]
  let inside: string | undefined
  for (const piece of pieces) {
    if (inside === COMMENT || (inside === undefined && piece.startsWith(COMMENT))) {
      const end = piece.indexOf('-->')
      inside = end === -1 ? COMMENT : undefined
      if (end !== -1) kept.push(piece.slice(end + 3))
      continue
    }
    const name = TAG_NAME.exec(piece)?.[1]?.toLowerCase()
    if (inside !== undefined) {
      if (!piece.startsWith('/') || name !== inside) continue
      inside = undefined
    }
    if (name === undefined) {
      kept.push(isMarkup(piece) ? textBehind(piece) : `<${piece}`)
      continue
    }
    if (RAW.has(name) && !piece.startsWith('/')) inside = name
    else kept.push(INLINE.has(name) ? '' : '\n', textBehind(piece))
  }
  return tidy(decodeHTML(kept.join('')).replaceAll(NO_BREAK_SPACE, ' '))
}

/** Keeps at most one empty line in a row, and removes white space at the ends of lines. */
export function tidy(text: string): string {
  return text
    .split('\n')
    .map(line => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

// Doctypes, instructions and end tags; any other "<" is an unescaped character of the text.
const isMarkup = (piece: string) => /^[!?/]/.test(piece)

function textBehind(piece: string): string {
  const end = piece.indexOf('>')
  return end === -1 ? '' : piece.slice(end + 1)
}
