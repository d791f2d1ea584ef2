// Text of a server, for a terminal: what a terminal would obey is shown and does nothing.

// C0 without tab and line feed, C1, separators that end a line, bidirectional controls, invisible
// characters without the joiners that scripts and emoji need, and tags.
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\u{e0000}-\u{e007f}]/gu

/** Shows a control character as its code: `\x1b`. */
export const toVisible = (text: string): string => text.toWellFormed().replaceAll('\r\n', '\n').replace(UNSAFE, toCode)

/** The same on one line. */
export const toVisibleLine = (text: string): string => toVisible(text).replace(/\s+/g, ' ').trim()

function toCode(character: string): string {
  const code = character.codePointAt(0)!
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}
