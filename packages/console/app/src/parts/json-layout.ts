// Lays out JSON as lines without parsing it into values, so numbers and keys stay unchanged, and
// depth costs nothing. Text that fits into 64 characters stays on one line. Stores only the starts
// of lines, since a result may have millions of tokens.
export type TokenKind = 'key' | 'string' | 'number' | 'word' | 'mark'

export interface JsonToken {
  readonly kind: TokenKind
  readonly text: string
}

export interface JsonLayout {
  readonly lineCount: number
  /** The tokens of a line; the first one is its indentation. @param index from 0 */
  readLine(index: number): readonly JsonToken[]
}

const ONE_LINE = 64
const INDENT = 2
/** Maximum indentation: otherwise 5,000 levels would produce 25 million blanks. */
const MAX_INDENT = 80

// Codes of characters, because comparing them is much faster than comparing texts.
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
const isOpener = (code: number) => code === OPEN_OBJECT || code === OPEN_LIST
const isCloser = (code: number) => code === CLOSE_OBJECT || code === CLOSE_LIST
const isMark = (code: number) => isOpener(code) || isCloser(code) || code === COMMA || code === COLON

/** @param text JSON; for other text, the lines are arbitrary */
export function layoutJson(text: string): JsonLayout {
  const starts = new Ints()
  const depths = new Ints()
  let depth = 0
  const startLine = (at: number) => {
    starts.push(at)
    depths.push(depth)
  }
  startLine(0)
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const code = text.charCodeAt(at)
    const end = isOpener(code) ? findShortEnd(text, at) : undefined
    if (end !== undefined) {
      at = end
    } else if (isOpener(code)) {
      depth++
      startLine(++at)
    } else if (isCloser(code)) {
      depth--
      startLine(at++)
    } else if (code === COMMA) {
      startLine(++at)
    } else {
      at = findEnd(text, at, code)
    }
  }
  const readLine = (index: number) =>
    readTokens(text, starts.at(index), index + 1 < starts.length ? starts.at(index + 1) : text.length, depths.at(index))
  return { lineCount: starts.length, readLine }
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  return at
}

function findEnd(text: string, at: number, code: number): number {
  if (isMark(code)) return at + 1
  if (code === QUOTE) return findEndOfString(text, at)
  let end = at + 1
  while (end < text.length && isPartOfWord(text.charCodeAt(end))) end++
  return end
}

const isPartOfWord = (code: number) => !isMark(code) && !isSpace(code) && code !== QUOTE

function findEndOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) at++
  }
  return text.length
}

/** The end of a list or an object that fits on one line, including the added blanks. */
function findShortEnd(text: string, from: number): number | undefined {
  let width = 0
  let depth = 0
  for (let at = from; at < text.length; at = skipSpace(text, at)) {
    const code = text.charCodeAt(at)
    const end = findEnd(text, at, code)
    if (isOpener(code)) depth++
    if (isCloser(code)) depth--
    width += end - at + (needsBlank(code, 0) || code === CLOSE_OBJECT ? 1 : 0)
    if (width > ONE_LINE) return undefined
    if (depth === 0) return end
    at = end
  }
  return undefined
}

const needsBlank = (code: number, next: number): boolean =>
  code === COMMA || code === COLON || (code === OPEN_OBJECT && next !== CLOSE_OBJECT)

function readTokens(text: string, from: number, to: number, depth: number): JsonToken[] {
  const tokens: JsonToken[] = [{ kind: 'mark', text: ' '.repeat(Math.max(0, Math.min(depth * INDENT, MAX_INDENT))) }]
  for (let at = skipSpace(text, from); at < to; ) {
    const code = text.charCodeAt(at)
    const end = Math.min(to, findEnd(text, at, code))
    const after = skipSpace(text, end)
    const next = after < to ? text.charCodeAt(after) : 0
    const kind = code === QUOTE && next === COLON ? 'key' : toKind(code)
    tokens.push({ kind, text: text.slice(at, end) })
    const isBeforeEnd = next === CLOSE_OBJECT && code !== OPEN_OBJECT
    if (after < to && (needsBlank(code, next) || isBeforeEnd)) tokens.push({ kind: 'mark', text: ' ' })
    at = after
  }
  return tokens
}

function toKind(code: number): TokenKind {
  if (code === QUOTE) return 'string'
  if (isMark(code)) return 'mark'
  return code === 0x2d || (code >= 0x30 && code <= 0x39) ? 'number' : 'word'
}

/** All lines as one text. */
export function writeLayout({ lineCount, readLine }: JsonLayout): string {
  const lines = Array.from({ length: lineCount }, (_, index) =>
    readLine(index)
      .map(({ text }) => text)
      .join(''),
  )
  return lines.join('\n')
}

/** The text laid out; unchanged if it is invalid. */
export const reformatJson = (text: string): string => (isJson(text) ? writeLayout(layoutJson(text)) : text)

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The text of an object's member, as it is written. @param text an object of JSON */
export function sliceMember(text: string, name: string): string | undefined {
  const wanted = JSON.stringify(name)
  let depth = 0
  let key = ''
  let start: number | undefined
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const code = text.charCodeAt(at)
    const end = findEnd(text, at, code)
    if (isOpener(code)) depth++
    if (isCloser(code)) depth--
    const isMemberEnd = (depth === 1 && code === COMMA) || (depth === 0 && isCloser(code))
    if (isMemberEnd && start !== undefined) return text.slice(start, at).trim()
    if (depth === 1 && code === QUOTE) key = text.slice(at, end)
    if (depth === 1 && code === COLON && key === wanted) start = skipSpace(text, end)
    at = end
  }
  return undefined
}

/** A list of millions of numbers. A plain array would take ten times as long to grow. */
class Ints {
  length = 0
  #data = new Int32Array(1_024)

  push(value: number): void {
    if (this.length === this.#data.length) {
      const larger = new Int32Array(this.length * 2)
      larger.set(this.#data)
      this.#data = larger
    }
    this.#data[this.length++] = value
  }

  at(index: number): number {
    return this.#data[index]!
  }
}
