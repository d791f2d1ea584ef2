// Text for terminals, wrapped at words.

/** On narrower terminals, lines are not wrapped. */
const MIN_WIDTH = 20

/**
 * Breaks a text into lines of at most `width` characters, at spaces. A longer word, such as a URL,
 * stays whole, so that it can be clicked and copied.
 */
export function wrapText(text: string, width: number): readonly string[] {
  if (width < MIN_WIDTH) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (longer.length <= width || line === '') line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line]
}
