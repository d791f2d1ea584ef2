// JSON text as tokens on lines. What fits into 64 characters stays on one line, and every number as it was written.

export interface JsonToken {
  readonly kind: 'key' | 'string' | 'number' | 'word' | 'mark' | 'space'
  readonly text: string
}

const MAX_LINE = 64
const INDENT = '  '
/** A string, a number, a word or a mark. The loop over a string takes no step back, however long it is. */
const TOKEN = /\s*(?:("[^"\\]*(?:\\.[^"\\]*)*")|(-?\d[\d.eE+-]*)|(true|false|null)|([{}[\],:]))/y

/** @returns undefined if the text is invalid JSON */
export function layOutJson(text: string): readonly JsonToken[] | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  const tokens = tokenize(text)
  return arrange(tokens, measure(tokens))
}

/** The text laid out, or as it is if it is invalid. */
export const reformatJson = (text: string): string =>
  layOutJson(text)
    ?.map(token => token.text)
    .join('') ?? text

function tokenize(text: string): JsonToken[] {
  const tokens: JsonToken[] = []
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [, string, number, word, mark] = match
    const before = tokens.at(-1)
    if (mark === ':' && before !== undefined) tokens[tokens.length - 1] = { kind: 'key', text: before.text }
    if (string !== undefined) tokens.push({ kind: 'string', text: string })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else tokens.push({ kind: 'mark', text: mark! })
  }
  return tokens
}

/** Of each opening bracket, how many characters it takes on one line up to its end. */
function measure(tokens: readonly JsonToken[]): readonly number[] {
  const lengths: number[] = []
  const starts: { readonly index: number; readonly at: number }[] = []
  let at = 0
  tokens.forEach(({ text, kind }, index) => {
    if (kind === 'mark' && isOpening(text)) starts.push({ index, at })
    at += text.length + (text === ',' || text === ':' || text === '{' || text === '}' ? 1 : 0)
    if (kind !== 'mark' || !isClosing(text)) return
    const start = starts.pop()!
    lengths[start.index] = at - start.at
  })
  return lengths
}

function arrange(tokens: readonly JsonToken[], lengths: readonly number[]): readonly JsonToken[] {
  const arranged: JsonToken[] = []
  /** Of each open bracket, whether it stays on its line. */
  const open: boolean[] = []
  const space = (text: string) => arranged.push({ kind: 'space', text })
  const breakLine = () => space(`\n${INDENT.repeat(open.length)}`)
  tokens.forEach((token, index) => {
    const { kind, text } = token
    const isMark = kind === 'mark'
    if (isMark && isClosing(text)) {
      const isFlat = open.pop()!
      const isEmpty = isOpening(tokens[index - 1]!.text) && tokens[index - 1]!.kind === 'mark'
      if (!isEmpty && !isFlat) breakLine()
      else if (!isEmpty && text === '}') space(' ')
    }
    arranged.push(token)
    if (!isMark) return
    if (isOpening(text)) {
      open.push(open.at(-1) === true || lengths[index]! <= MAX_LINE)
      const isEmpty = tokens[index + 1]!.kind === 'mark' && isClosing(tokens[index + 1]!.text)
      if (!isEmpty && !open.at(-1)) breakLine()
      else if (!isEmpty && text === '{') space(' ')
    } else if (text === ',') {
      if (open.at(-1)) space(' ')
      else breakLine()
    } else if (text === ':') space(' ')
  })
  return arranged
}

const isOpening = (text: string) => text === '{' || text === '['
const isClosing = (text: string) => text === '}' || text === ']'
