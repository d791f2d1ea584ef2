// Tables for a terminal. In a separate file, so that a server does not load the package that
// measures text.
import measureWidth from 'fast-string-truncated-width'

/**
 * Rows as columns of equal width, two spaces apart. No row ends with spaces.
 *
 * @param isRight columns that end at the right, such as numbers
 */
export function formatTable(rows: readonly (readonly string[])[], isRight: readonly boolean[] = []): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, measure(cell))
  }
  const pad = (cell: string, index: number) => {
    const space = ' '.repeat(widths[index]! - measure(cell))
    if (isRight[index]) return space + cell
    return cell + space
  }
  return rows.map(row => row.map(pad).join('  ').trimEnd()).join('\n')
}

/** Width in columns of a terminal: colours take none, a Chinese character takes two. */
const measure = (cell: string): number => measureWidth(cell).width
