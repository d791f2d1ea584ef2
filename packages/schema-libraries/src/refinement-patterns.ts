// The patterns that stand in the source of a refinement, such as `text => /^(a+)+$/.test(text)`: a
// schema library does not say them.

/** The flags that change nothing of what a pattern finds in JSON Schema, whose own flag is `u`. */
export const HARMLESS_FLAGS = /^[dgu]*$/

/** As a source that keeps what counts for its speed: with the flag m, `^` matches at each line. */
export const toSource = ({ source, flags }: Pick<RegExp, 'source' | 'flags'>): string =>
  flags.includes('m') ? `(?m:${source})` : source

// A regular expression as JavaScript writes it. A division may look like one; then nothing is found
// but a pattern that is tried in vain.
const LITERAL = /\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])*)\/([dgimsuvy]*)/g

/** Bound of the source that is read. */
const MAX_SOURCE = 10_000

export function findRefinementPatterns(refinement: unknown): readonly string[] {
  if (typeof refinement !== 'function') return []
  const source = Function.prototype.toString.call(refinement).slice(0, MAX_SOURCE)
  return Array.from(source.matchAll(LITERAL), ([, source = '', flags = '']) => toSource({ source, flags })).filter(
    isPattern,
  )
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source) !== undefined
  } catch {
    return false
  }
}
