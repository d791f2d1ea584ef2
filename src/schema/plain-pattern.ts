// Tells which patterns V8 runs in a time that grows with the length of the text, and with nothing
// else. V8 tries one way after another, so what counts is how many ways there are, and how long
// each is.
//
// A pattern is plain if it has no lookaround, no backreference and no repeated group, and at most
// one repetition without end. The start counts as one if `^` does not fix it. Then of a text of n
// characters there are at most n + 1 places at which that repetition (or the start) can end. At
// each place the rest offers at most 2 ways for each choice, and each way looks at no more
// characters than the pattern has atoms, counts multiplied. So V8 takes at most
// (n + 1) × 2^choices × atoms steps, and without such a repetition 2^choices × atoms for any text.

/** Steps for each character. A step takes some 4 ns, so a text of a MiB takes 300 ms at most. */
const MAX_STEPS_PER_CHARACTER = 64
/** Steps of a pattern without such a repetition. */
const MAX_STEPS = 1_000_000
/** A repetition that may differ by more rounds counts as one without end. */
const MAX_ROUNDS = 2

const LITERAL = /\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]/gsu
const BACKREFERENCE = /^\\[1-9k]/
const LOOKAROUND_OR_BACKREFERENCE = /\(\?<?[=!]|\\/
const GROUP_OPENING = /\((?:\?(?::|<[^>]*>))?/g
const QUANTIFIER = /(?:[*+?]|\{(?<from>\d+)(?<comma>,)?(?<to>\d*)\})\??/g

/** @param pattern a regular expression of ECMAScript, flag `u` */
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
  /** Repetitions without end. */
  readonly openEnds: number
  /** Ways to go on are two for each: an alternative, or a round that may be left out. */
  readonly choices: number
  /** Most that a way looks at, beside the repetition without end. */
  readonly atoms: number
}

/** @returns undefined if a group is repeated */
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

/** Whether `^` fixes the start of each alternative that does not stand in a group. */
function isAnchored(bare: string): boolean {
  let depth = 0
  for (const character of bare) {
    if (character === '(') depth++
    else if (character === ')') depth--
    else if (character === '|' && depth === 0) return false
  }
  return bare.startsWith('^')
}

/** How often what stands before a quantifier is there, at least and at most. */
function roundsOf(quantifier: string, { from, comma, to }: Readonly<Record<string, string | undefined>>) {
  const [sign] = quantifier
  if (from === undefined) return { from: sign === '+' ? 1 : 0, to: sign === '?' ? 1 : Number.POSITIVE_INFINITY }
  if (comma === undefined) return { from: Number(from), to: Number(from) }
  return { from: Number(from), to: to === '' ? Number.POSITIVE_INFINITY : Number(to) }
}
