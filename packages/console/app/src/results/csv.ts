// A table as CSV. RFC 4180. A cell that a spreadsheet would run as a formula is marked as text.
import { type Rows, toCellText } from './rows.ts'

/** Characters that start a formula in Excel, LibreOffice or Google Sheets. */
const FORMULA = /^[=+\-@\t\r\n]|^\s+[=+\-@]/

/** @param shown the rows, in their order */
export function toCsv({ columns, read }: Rows, shown: readonly unknown[]): string {
  const head = columns.map(({ name }) => quote(name)).join(',')
  const lines = shown.map(row => columns.map((_, index) => toField(read(row, index))).join(','))
  // Excel recognises UTF-8 only by this mark.
  return `\ufeff${[head, ...lines].join('\r\n')}\r\n`
}

const toField = (value: unknown): string =>
  value === null || typeof value === 'number' ? String(value ?? '') : quote(toCellText(value))

function quote(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
