// Markdown tables for the generated pages.

/** Formats a table with a header, and escapes `|` within cells. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => '---'), ...rows]
  return lines.map(cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')
}

export const code = (text: string | number | boolean) => `\`${text}\``
