// Finds patterns in the source of a refinement, such as `text => /^(a+)+$/.test(text)`. A schema
// library does not report them.

/** Flags that do not change the matches of a pattern in JSON Schema, which always uses `u`. */
export const HARMLESS_FLAGS = /^[dgu]*$/

/** A source that keeps the pattern's speed: with the flag m, `^` matches at each line. */
export const toSource = ({ source, flags }: Pick<RegExp, 'source' | 'flags'>): string =>
  flags.includes('m') ? `(?m:${source})` : source

// A regular expression in JavaScript. A division may look like one; then only a pattern is tried
// that does not exist.
const LITERAL = /\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])*)\/([dgimsuvy]*)/g

/** Maximum length of a source that is read. */
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
