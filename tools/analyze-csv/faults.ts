// Turns errors of the parser into a position and advice. The parser's own messages quote the data,
// so they are not shown.
import type { CsvError } from 'csv-parse'
import { ToolError } from 'toolrack'

export const MAX_RECORD_BYTES = 1_000_000

/** @param line last line of the last good record */
export function faultOf(error: CsvError, line: number): ToolError {
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return new ToolError(
        `A quote in the record that starts at line ${line + 1} is never closed. Close it and try again.`,
      )
    case 'CSV_MAX_RECORD_SIZE':
      return largeRecord(line)
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH':
      return new ToolError(
        `The record at line ${error['lines']} has ${(error['record'] as unknown[]).length} fields, unlike the header. ` +
          'Quote fields that contain the delimiter, or complete the record, and try again.',
      )
    default:
      return new ToolError(
        `A quote stands in the wrong place at line ${error['lines']}. Quote whole fields, and double the quotes within.`,
      )
  }
}

/** @param line last line of the last good record */
export function largeRecord(line: number): ToolError {
  return new ToolError(
    `The record that starts at line ${line + 1} is larger than ${MAX_RECORD_BYTES} bytes. Is a quote in it not closed?`,
  )
}
