// Text of others, such as clients and files, for one line of a log or a message.

/** Control and format characters, such as those that start an escape sequence, become spaces. */
export const toOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')

/** Cuts to `maxLength` characters, of which the last is `…`; keeps no half of a surrogate pair. */
export const cutText = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…` : text

/** For a bound that counts what is kept, and not the `…` behind it. */
export const ELLIPSIS_LENGTH = 1
