// Shows a name so that two names that differ look different, on one line.

/**
 * What cannot be seen or looks like a blank: controls, format characters, lone surrogates, other
 * blanks, and letters and symbols without a shape. A backslash only where it would look like an escape.
 */
const HIDDEN =
  /[\p{C}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}]|(?! )\p{Z}|\\(?=u\{)/gu
const PLAIN = /^[ -[\]-~]*$/
const NOT_ASCII = /[^ -~]/gu

/** Escapes what is hidden as `\u{200b}`, and all but ASCII if another text could look the same. */
export function showName(name: string): string {
  if (PLAIN.test(name)) return name
  const shown = name.replace(HIDDEN, escapeCharacter)
  return name === name.normalize('NFKC') ? shown : shown.replace(NOT_ASCII, escapeCharacter)
}

const escapeCharacter = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`
