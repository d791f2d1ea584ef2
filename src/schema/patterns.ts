// The patterns of one schema, and how long a check may run them. V8 runs those that are plain. RE2
// runs all others: it follows all ways at once, so its time grows with the length of the text and
// the size of the pattern.
import { createRequire } from 'node:module'
import { isPlain } from './plain-pattern.ts'
import { toRe2, UnknownToRe2 } from './re2-syntax.ts'

/**
 * What RE2 may look at in one check, some 100 ms: of each pattern its instructions times the
 * characters of its texts.
 */
const MAX_STEPS = 8_000_000

// Loaded by the first pattern that needs it: most do not, and a start should not wait for it.
const load = createRequire(import.meta.url)

export interface Pattern {
  test(text: string): boolean
  /** Unlike that of any other pattern: Ajv tells patterns apart by it. */
  toString(): string
}

/** Thrown for a pattern that is not accepted. The message goes on after the pattern. */
export class PatternError extends Error {
  override name = 'PatternError'
}

export class Patterns {
  /** What Ajv makes its patterns with. */
  readonly engine: { (source: string): Pattern; code: string }
  readonly #compiled = new Map<string, Pattern>()
  #stepsLeft = MAX_STEPS
  #isCounted = false

  constructor() {
    this.engine = Object.assign((source: string) => this.compile(source), { code: 'patterns' })
  }

  /** Whether checks have to be begun with `renew`, and asked about with `isExhausted`. */
  get isCounted(): boolean {
    return this.#isCounted
  }

  /** Whether the check has used up its steps. Then its answer does not count. */
  get isExhausted(): boolean {
    return this.#stepsLeft < 0
  }

  /** Begins a check, with all its steps. */
  renew(): void {
    this.#stepsLeft = MAX_STEPS
  }

  /**
   * Compiles a pattern once.
   *
   * @throws PatternError if it is no regular expression, or nothing runs it in linear time
   */
  compile(source: string): Pattern {
    let pattern = this.#compiled.get(source)
    if (pattern === undefined) this.#compiled.set(source, (pattern = this.#create(source)))
    return pattern
  }

  #create(source: string): Pattern {
    const ecmascript = parse(source)
    if (isPlain(source)) return ecmascript
    const { RE2JS } = load('re2js') as typeof import('re2js')
    const linear = orPatternError(() => RE2JS.compile(toRe2(source)))
    const size = linear.programSize()
    this.#isCounted = true
    return {
      test: text => {
        this.#stepsLeft -= size * text.length
        return this.#stepsLeft >= 0 && linear.test(text)
      },
      toString: () => `${ecmascript}`,
    }
  }
}

function parse(source: string): RegExp {
  try {
    return new RegExp(source, 'u')
  } catch {
    throw new PatternError('is no regular expression of ECMAScript (flag u)')
  }
}

function orPatternError<T>(compile: () => T): T {
  try {
    return compile()
  } catch (cause) {
    const expected = 'is not supported: expected a regular expression of ECMAScript that runs in linear time'
    throw new PatternError(`${expected}, ${toCondition(cause as Error)}`, { cause })
  }
}

function toCondition(error: Error): string {
  if (error instanceof UnknownToRe2) return `so without ${error.message}`
  if (error.message.includes('repeat count')) return 'so with counts up to 1000, those of groups multiplied'
  return `but RE2 says ${error.message}`
}
