// Text from others, such as clients and files, for one line of a log or a message.

/** Control and format characters, such as those that start an escape sequence, become spaces. */
export const toOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')

/** Keeps the first `length` characters without splitting a surrogate pair; `…` stands for the rest. */
export const keepText = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…` : text

/** Cuts to `maxLength` characters; the last is `…`. */
export const cutText = (text: string, maxLength: number): string =>
  text.length > maxLength ? keepText(text, maxLength - 1) : text
