// The patterns of one schema and the time that a check may spend on them. V8 runs plain patterns;
// RE2 runs the others in time linear in the text and the size of the pattern.
import { createRequire } from 'node:module'
import { isPlain } from './plain-pattern.ts'
import { toRe2, UnknownToRe2 } from './re2-syntax.ts'

/** Steps of RE2 per check, about 100 ms: instructions times characters. */
const MAX_STEPS = 8_000_000

// Most schemas need no RE2, so load it on first use.
const load = createRequire(import.meta.url)

export interface Pattern {
  test(text: string): boolean
  /** Must be unique per pattern: Ajv uses it as a key. */
  toString(): string
}

/** Its message continues a sentence that starts with the pattern. */
export class PatternError extends Error {
  override name = 'PatternError'
}

export class Patterns {
  readonly engine: { (source: string): Pattern; code: string }
  readonly #compiled = new Map<string, Pattern>()
  #stepsLeft = MAX_STEPS
  #isCounted = false

  constructor() {
    this.engine = Object.assign((source: string) => this.compile(source), { code: 'patterns' })
  }

  /** Whether a check has to call `renew` first and read `isExhausted` afterwards. */
  get isCounted(): boolean {
    return this.#isCounted
  }

  /** If true, the result of the check does not count. */
  get isExhausted(): boolean {
    return this.#stepsLeft < 0
  }

  renew(): void {
    this.#stepsLeft = MAX_STEPS
  }

  /** @throws PatternError if it is not a regular expression, or cannot run in linear time */
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
    throw new PatternError('is not a regular expression of ECMAScript (flag u)')
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
  if ((error as { error?: unknown }).error === 'invalid repeat count')
    return 'so with counts up to 1000, those of groups multiplied'
  return `but RE2 says ${error.message}`
}
