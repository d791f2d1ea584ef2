// Text from others for people, in a terminal or a log. Hidden characters are shown as codes, so that a
// terminal does not obey them.

// C0 without tab and line feed, C1, line separators, bidirectional controls, tags, and invisible
// characters without the joiners that scripts and emoji need.
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\u{e0000}-\u{e007f}]/gu

/** For a terminal, with line breaks: writes `\x1b` for a control character. */
export const toVisible = (text: string): string => text.toWellFormed().replaceAll('\r\n', '\n').replace(UNSAFE, toCode)

/** The same on one line. */
export const toVisibleLine = (text: string): string => toVisible(text).replace(/\s+/g, ' ').trim()

function toCode(character: string): string {
  const code = character.codePointAt(0)!
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : toEscape(character)
}

/**
 * Characters that cannot be seen or look like a blank: controls, format characters, lone surrogates, other
 * blanks, and letters and symbols without a shape. A backslash only if it would look like an escape.
 */
const HIDDEN =
  /[\p{C}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}]|(?! )\p{Z}|\\(?=u\{)/gu
const PLAIN = /^[ -[\]-~]*$/
const NOT_ASCII = /[^ -~]/gu

/** For names, on one line: escapes hidden characters, as `\u{200b}`. */
export const showHidden = (name: string): string => name.replace(HIDDEN, toEscape)

/** Makes different names look different: if another text could look the same, escapes all but ASCII. */
export function showName(name: string): string {
  if (PLAIN.test(name)) return name
  const shown = showHidden(name)
  return name === name.normalize('NFKC') ? shown : shown.replace(NOT_ASCII, toEscape)
}

const toEscape = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`
