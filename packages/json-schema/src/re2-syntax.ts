// Translates patterns of JSON Schema (ECMAScript, flag `u`) to RE2, as far as RE2 can express them.
// https://github.com/google/re2/wiki/Syntax

const SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'

/** Tokens that RE2 lacks or reads differently. */
const OUTSIDE: Readonly<Record<string, string>> = {
  '.': '[^\\n\\r\\x{2028}\\x{2029}]',
  '\\s': `[${SPACE}]`,
  '\\S': `[${NO_SPACE}]`,
  '[]': '[^\\x{0}-\\x{10ffff}]',
  '[^]': '[\\x{0}-\\x{10ffff}]',
}
const WITHIN: Readonly<Record<string, string>> = {
  '[': '\\[',
  '[]': '\\[]',
  '[^]': '\\[^]',
  '\\b': '\\x{8}',
  '\\s': SPACE,
  '\\S': NO_SPACE,
}
const CLASS_ENDS: ReadonlySet<string> = new Set([']', '[]', '[^]'])

const TOKEN =
  /\\u(?<high>[dD][89abAB][\da-fA-F]{2})\\u(?<low>[dD][c-fC-F][\da-fA-F]{2})|\\u(?<unit>[\da-fA-F]{4})|\\u\{(?<point>[\da-fA-F]+)\}|\\c(?<control>[a-zA-Z])|\\[pP]\{(?<property>[^}]*)\}|\\.|\(\?(?:<?[=!]|[a-z-])|\[\^?\]|[^\\]/gsu

type Groups = Readonly<Record<string, string | undefined>>

/** RE2 cannot run the pattern; the message names the missing feature. */
export class UnknownToRe2 extends Error {
  override name = 'UnknownToRe2'
}

export function toRe2(pattern: string): string {
  let isWithin = false
  let written = ''
  for (const { 0: token, groups = {} } of pattern.matchAll(TOKEN)) {
    if (!isWithin) assertKnown(token)
    written += toCodePoint(groups) ?? toProperty(token, groups) ?? (isWithin ? WITHIN : OUTSIDE)[token] ?? token
    isWithin = isWithin ? !CLASS_ENDS.has(token) : token === '['
  }
  return written
}

function assertKnown(token: string): void {
  if (/^\(\?<?[=!]$/.test(token)) throw new UnknownToRe2('lookarounds')
  if (/^\(\?/.test(token)) throw new UnknownToRe2('modifiers such as (?i:…)')
  if (/^\\[k1-9]$/.test(token)) throw new UnknownToRe2('backreferences')
}

// RE2 knows general categories and scripts; other properties have other names there, or none.
function toProperty(token: string, { property }: Groups): string | undefined {
  if (property === undefined || /^[A-Z][a-z]?$/.test(property)) return property && token
  const script = /^(?:Script|sc)=(\w+)$/.exec(property)?.[1]
  if (script !== undefined) return `${token.slice(0, 2)}{${script}}`
  throw new UnknownToRe2(`properties such as ${token}`)
}

function toCodePoint({ high, low, unit, point, control }: Groups): string | undefined {
  if (control !== undefined) return toHex(control.charCodeAt(0) % 32)
  if (high !== undefined && low !== undefined) {
    return toHex(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0)!)
  }
  const digits = unit ?? point
  return digits === undefined ? undefined : toHex(Number.parseInt(digits, 16))
}

const toHex = (codePoint: number) => `\\x{${codePoint.toString(16)}}`
