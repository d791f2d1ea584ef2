// Patterns of schemas, with a bound on what they may be run over. One unbounded quantifier is linear work; with each
// more the time may grow by another power of the text's length, so the length that is accepted shrinks.

/** Longest text by the number of unbounded quantifiers; beyond the table, the last. */
const LONGEST: readonly number[] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 4096, 1024, 512]

const QUANTIFIER = /[*+]|\{\d+,\}/g
const LITERAL = /\\.|\[(?:\\.|[^\]\\])*\]/gs

/** A regular expression that no text which is too long for it fits. */
class BoundedPattern extends RegExp {
  readonly #longest: number

  constructor(pattern: string, flags: string) {
    super(pattern, flags)
    const quantifiers = pattern.replace(LITERAL, 'x').match(QUANTIFIER)?.length ?? 0
    this.#longest = LONGEST[Math.min(quantifiers, LONGEST.length - 1)]!
  }

  override test(text: string): boolean {
    return text.length <= this.#longest && super.test(text)
  }
}

/** What Ajv makes its patterns with. */
export const boundedPattern = Object.assign(
  (pattern: string, flags: string): RegExp => new BoundedPattern(pattern, flags),
  {
    code: 'boundedPattern',
  },
)
