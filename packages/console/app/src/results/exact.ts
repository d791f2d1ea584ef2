// Numbers of a result as the server wrote them. JavaScript would round numbers with too many digits.
import { isExact } from '@toolrack/json-schema/exact-number'

/** A number that JavaScript cannot hold, by its text. */
export class ExactNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }

  toString(): string {
    return this.source
  }

  /** As it was written, if the browser can do it. */
  toJSON(): unknown {
    const { rawJSON } = JSON as unknown as { rawJSON?: (text: string) => unknown }
    return rawJSON === undefined ? Number(this.source) : rawJSON(this.source)
  }
}

const LONG_NUMBER = /[:[,]\s*-?(?:[\d.]{16}|[\d.]+[eE])/

/** Texts without such numbers, which are nearly all, are parsed the fast way. */
export const mayLose = (text: string): boolean => LONG_NUMBER.test(text)

/** Like `JSON.parse`, but each number that would be rounded becomes an `ExactNumber`. */
export function parseExact(text: string): unknown {
  if (!mayLose(text)) return JSON.parse(text)
  // The types do not know the third argument yet. Older browsers do not pass it, and round.
  const keep = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && !isExact(context.source)
      ? new ExactNumber(context.source)
      : value
  return JSON.parse(text, keep)
}
