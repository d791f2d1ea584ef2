// Patterns of JSON Schema (ECMAScript, flag `u`) in the syntax of RE2, where that can say the same.
// https://github.com/google/re2/wiki/Syntax

const SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'

/** What RE2 reads as something else. */
const OUTSIDE: Readonly<Record<string, string>> = {
  '.': '[^\\n\\r\\x{2028}\\x{2029}]',
  '\\s': `[${SPACE}]`,
  '\\S': `[${NO_SPACE}]`,
}
const WITHIN: Readonly<Record<string, string>> = { '[': '\\[', '\\b': '\\x{8}', '\\s': SPACE, '\\S': NO_SPACE }

const TOKEN =
  /\\u(?<high>[dD][89abAB][\da-fA-F]{2})\\u(?<low>[dD][c-fC-F][\da-fA-F]{2})|\\u(?<unit>[\da-fA-F]{4})|\\u\{(?<point>[\da-fA-F]+)\}|\\c(?<control>[a-zA-Z])|\\[pP]\{(?<property>[^}]*)\}|\\.|[^\\]/gsu

/** @returns undefined where RE2 has no word for what it says */
export function toRe2(pattern: string): string | undefined {
  let isWithin = false
  let written = ''
  for (const { 0: token, groups = {} } of pattern.matchAll(TOKEN)) {
    if (isForeign(token, groups['property'])) return undefined
    written += codePointOf(groups) ?? (isWithin ? WITHIN : OUTSIDE)[token] ?? token
    if (token === '[' || token === ']') isWithin = token === '['
  }
  return written
}

// Backreferences, and properties other than the general categories.
function isForeign(token: string, property: string | undefined): boolean {
  return /^\\[k1-9]$/.test(token) || (property !== undefined && !/^[A-Z][a-z]?$/.test(property))
}

function codePointOf({
  high,
  low,
  unit,
  point,
  control,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  if (control !== undefined) return hexOf(control.charCodeAt(0) % 32)
  if (high === undefined || low === undefined) return hexIn(unit ?? point)
  return hexOf(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0)!)
}

const hexIn = (digits: string | undefined) => digits && hexOf(Number.parseInt(digits, 16))
const hexOf = (codePoint: number) => `\\x{${codePoint.toString(16)}}`
