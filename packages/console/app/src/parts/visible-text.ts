// Makes hidden characters of a tool's text visible: a page would hide them, or reorder text because
// of them.

interface Segment {
  readonly text: string
  /** A mark that stands for a character. */
  readonly isMark: boolean
}

// Controls except tab and line break, characters that are not drawn (zero width, directions, tags),
// separators, halves of pairs. A joiner within an emoji stays, and so does one variant selector
// after its character.
const HIDDEN =
  /(?![\t\n\r\u200d]|\p{VS})[\p{Cc}\p{Cs}\p{DI}\u2028\u2029\ufff9-\ufffb]|\r(?!\n)|(?<=\p{VS})\p{VS}|(?<!\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d/gu

/** Marks replace hidden characters; all other text stays as it is. */
export function toSegments(text: string): Segment[] {
  const segments: Segment[] = []
  let from = 0
  for (const { 0: hidden, index } of text.matchAll(HIDDEN)) {
    if (index > from) segments.push({ text: text.slice(from, index), isMark: false })
    segments.push({ text: toMark(hidden), isMark: true })
    from = index + hidden.length
  }
  if (from < text.length) segments.push({ text: text.slice(from), isMark: false })
  return segments
}

/** The same as one string, for attributes and names. */
export const toVisible = (text: string): string => text.replace(HIDDEN, toMark)

const CONTROLS =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'

/**
 * The name of a control character (`[ESC]`), or a number (`[U+202E]`), since few fonts have pictures
 * of them.
 */
function toMark(hidden: string): string {
  const code = hidden.codePointAt(0)!
  const name = code === 0x7f ? 'DEL' : CONTROLS.split(' ')[code]
  return `[${name ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`}]`
}
