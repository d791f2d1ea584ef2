// Recognises Markdown in a text.

// Blocks, and marks within a line that plain text seldom has in pairs.
const MARKS = [
  /^ {0,3}#{1,6} \S/m,
  /^ {0,3}(?:[-*+]|\d{1,9}[.)]) \S/m,
  /^ {0,3}(?:```|~~~)/m,
  /^ {0,3}> \S/m,
  /^ {0,3}\|?.*\|.*\n {0,3}\|? *:?-+:? *(?:\||$)/m,
  /\*\*[^\s*](?:[^*\n]*[^\s*])?\*\*/,
  /\[[^\]\n]+\]\([^)\s]+\)/,
  /(?<!`)`[^`\n]+`(?!`)/,
]

/** Whether a text is worth a formatted view. */
export const isMarkdown = (text: string): boolean => {
  const head = text.slice(0, 20_000)
  return MARKS.some(mark => mark.test(head))
}
