// Patterns of schemas, none of which can hold the thread for long, whatever the text. V8 tries one way after another,
// so it is given only what leaves it few; all else goes to RE2, which follows all ways at once.
import { createRequire } from 'node:module'
import { toRe2 } from './re2-syntax.ts'

/** What the texts of one check may take together, some 100 ms: ways that V8 tries, instructions that RE2 looks at. */
const MAX_STEPS = 8_000_000
/** Choices beside repetitions that V8 may be left with in any text. */
const MAX_CHOICES = 4
/** Likewise, in texts that are counted. */
const MAX_COUNTED_CHOICES = 10
/** Most patterns that are remembered, the latest. */
const MAX_REMEMBERED = 256

// Loaded by the first pattern that needs it: most do not, and a start should not wait for it.
const load = createRequire(import.meta.url)

interface Tester {
  test(text: string): boolean
  /** Unlike that of any other pattern: Ajv tells patterns apart by it. */
  toString(): string
}

class UnboundedPattern extends Error {
  override name = 'UnboundedPattern'
}

let steps = MAX_STEPS
const remembered = new Map<string, Tester>()

/** Begins a check: its texts have all their steps before them. */
export function renewSteps(): void {
  steps = MAX_STEPS
}

/** Whether the texts of the check that was begun last could all be followed to their ends. */
export function hasStepsLeft(): boolean {
  return steps >= 0
}

/** What Ajv makes its patterns with. @throws UnboundedPattern for one that nothing runs in bounded time */
export const boundedPattern = Object.assign(rememberedTester, { code: 'boundedPattern' })

// A schema is looked at before it is compiled, and compiled again for all its faults; RE2 takes milliseconds each time.
function rememberedTester(pattern: string, flags: string): Tester {
  const key = `/${pattern}/${flags}`
  let tester = remembered.get(key)
  if (tester === undefined) {
    remembered.set(key, (tester = testerOf(pattern, flags)))
    if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!)
  }
  return tester
}

function testerOf(pattern: string, flags: string): Tester {
  const plain = new RegExp(pattern, flags)
  const { powers, choices, repeatsGroups } = measure(pattern)
  if (!repeatsGroups && powers <= 1 && choices <= MAX_CHOICES) return plain
  const linear = linearOf(pattern, flags)
  if (linear !== undefined) return linear
  if (!repeatsGroups && choices <= MAX_COUNTED_CHOICES) {
    return counted(plain, `${plain}`, length => waysOf(length, powers, choices))
  }
  throw new UnboundedPattern(
    'may take exponential time: do without lookarounds, backreferences, properties such as \\p{Script=…} and counts ' +
      'over 1000, or repeat no group',
  )
}

/** A text that is not followed to its end does not match. */
function counted(pattern: Tester, name: string, cost: (length: number) => number): Tester {
  return {
    test(text) {
      steps -= cost(text.length)
      return steps >= 0 && pattern.test(text)
    },
    toString: () => name,
  }
}

function linearOf(pattern: string, flags: string): Tester | undefined {
  const translated = toRe2(pattern)
  if (translated === undefined) return undefined
  const { RE2JS } = load('re2js') as typeof import('re2js')
  try {
    const linear = RE2JS.compile(translated)
    const size = linear.programSize()
    return counted(linear, `/${pattern}/${flags}`, length => length * size)
  } catch {
    return undefined
  }
}

/** Repetitions in a row share the text between them: n characters in n^p / p! ways. */
function waysOf(length: number, powers: number, choices: number): number {
  let ways = 2 ** choices
  for (let power = 1; power <= powers; power++) ways *= (length + 1) / power
  return ways
}

interface Measure {
  /** Repetitions without end, and the start where it is open: the ways may grow by a power of the length with each. */
  readonly powers: number
  readonly choices: number
  readonly repeatsGroups: boolean
}

const LITERAL = /\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]/gsu
const LOOKAROUND = /\(\?<?[=!](?<body>[^()]*)\)/g
const GROUP_OPENING = /\((?:\?(?:<?[=!]|:|<[^>]*>))?/g
const QUANTIFIER = /(?:[*+?]|\{(?<from>\d+)(?<comma>,)?(?<to>\d*)\})\??/g
/** A repetition of more rounds counts as one without end. */
const MANY = 2

function measure(pattern: string): Measure {
  const bare = pattern.replace(LITERAL, 'x')
  // A lookaround is done with once it is passed, so of several the worst counts.
  const within = [...bare.matchAll(LOOKAROUND)].map(({ groups }) => measureParts(groups!['body']!))
  const around = measureParts(bare.replace(LOOKAROUND, '').replace(GROUP_OPENING, '('))
  const isAnchored = /^\^[^|]*$/.test(bare)
  return {
    powers: around.powers + Math.max(0, ...within.map(({ powers }) => powers)) + (isAnchored ? 0 : 1),
    choices: [around, ...within].reduce((sum, { choices }) => sum + choices, 0),
    repeatsGroups: around.repeatsGroups,
  }
}

function measureParts(bare: string): Measure {
  let choices = bare.split('|').length - 1
  let powers = 0
  let repeatsGroups = false
  for (const { 0: quantifier, index, groups } of bare.matchAll(QUANTIFIER)) {
    const rounds = roundsOf(quantifier, groups)
    if (rounds > MANY) powers++
    else choices += rounds
    if (bare[index - 1] === ')' && quantifier[0] !== '?') repeatsGroups = true
  }
  return { powers, choices, repeatsGroups }
}

/** By how many rounds a repetition may differ from itself. */
function roundsOf(quantifier: string, { from, comma, to }: Readonly<Record<string, string | undefined>> = {}): number {
  if (from === undefined) return quantifier[0] === '?' ? 1 : Number.POSITIVE_INFINITY
  if (comma === undefined) return 0
  return to === '' ? Number.POSITIVE_INFINITY : Number(to) - Number(from)
}
