// Finds patterns that V8 runs in linear time. V8 backtracks: the number and length of paths count.
//
// A plain pattern has no lookaround, backreference or repeated group, and at most one unbounded
// repetition; a start without `^` counts as one. In a text of n characters that repetition can end
// at n + 1 places. From each place there are 2^choices paths of at most `atoms` characters, so V8
// takes at most (n + 1) × 2^choices × atoms steps, or 2^choices × atoms without the repetition.

/** Steps per character, about 4 ns each: at most 300 ms for a text of 1 MiB. */
const MAX_STEPS_PER_CHARACTER = 64
/** Steps of a pattern without an unbounded repetition. */
const MAX_STEPS = 1_000_000
const MAX_ROUNDS = 2

const LITERAL = /\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]/gsu
const BACKREFERENCE = /^\\[1-9k]/
const LOOKAROUND_OR_BACKREFERENCE = /\(\?<?[=!]|\\/
const GROUP_OPENING = /\((?:\?(?::|<[^>]*>))?/g
const QUANTIFIER = /(?:[*+?]|\{(?<from>\d+)(?<comma>,)?(?<to>\d*)\})\??/g

export function isPlain(pattern: string): boolean {
  const bare = pattern.replace(LITERAL, literal => (BACKREFERENCE.test(literal) ? '\\' : 'x'))
  if (LOOKAROUND_OR_BACKREFERENCE.test(bare)) return false
  const measured = measure(bare.replace(GROUP_OPENING, '('))
  if (measured === undefined) return false
  const openEnds = measured.openEnds + (isAnchored(bare) ? 0 : 1)
  const steps = 2 ** measured.choices * measured.atoms
  return openEnds === 0 ? steps <= MAX_STEPS : openEnds === 1 && steps <= MAX_STEPS_PER_CHARACTER
}

interface Measure {
  /** Unbounded repetitions. */
  readonly openEnds: number
  /** Alternatives and optional rounds; each one doubles the number of paths. */
  readonly choices: number
  /** Maximum length of a path, without the unbounded repetition. */
  readonly atoms: number
}

/** @returns undefined if a group repeats */
function measure(bare: string): Measure | undefined {
  let openEnds = 0
  let choices = bare.split('|').length - 1
  let atoms = bare.replace(QUANTIFIER, '').length
  for (const { 0: quantifier, index, groups = {} } of bare.matchAll(QUANTIFIER)) {
    const { from, to } = roundsOf(quantifier, groups)
    if (bare[index - 1] === ')' && to > 1) return undefined
    if (to - from > MAX_ROUNDS) openEnds++
    else choices += to - from
    atoms += (to - from > MAX_ROUNDS ? from : to) - 1
  }
  return { openEnds, choices, atoms }
}

/** Whether `^` starts the pattern and no alternative outside of groups exists. */
function isAnchored(bare: string): boolean {
  let depth = 0
  for (const character of bare) {
    if (character === '(') depth++
    else if (character === ')') depth--
    else if (character === '|' && depth === 0) return false
  }
  return bare.startsWith('^')
}

function roundsOf(quantifier: string, { from, comma, to }: Readonly<Record<string, string | undefined>>) {
  const [sign] = quantifier
  if (from === undefined) return { from: sign === '+' ? 1 : 0, to: sign === '?' ? 1 : Number.POSITIVE_INFINITY }
  if (comma === undefined) return { from: Number(from), to: Number(from) }
  return { from: Number(from), to: to === '' ? Number.POSITIVE_INFINITY : Number(to) }
}
