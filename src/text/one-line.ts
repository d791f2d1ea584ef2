// Text of others, such as clients and files, for one line of a log, a message or a terminal.

/** Control and format characters, such as those that start an escape sequence, become spaces. */
export const toOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')

/** Keeps the first `maxLength` characters; `…` stands for the rest. */
export const cutText = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text
