// The part of RFC 6570 that resources need: `{name}` for one path segment, `{+name}` for any rest.
// Matching is a single pass of a regular expression without nested quantifiers.

export interface UriTemplate {
  readonly names: readonly string[]
  /** The variables of a URI that fits, percent-decoded; undefined where it does not fit. */
  match(uri: string): Record<string, string> | undefined
}

const EXPRESSION = /\{(\+?)([A-Za-z_][A-Za-z0-9_]*)\}/g
/** Longest URI that is matched. */
const MAX_URI_LENGTH = 8192

/** @throws Error saying which expression is not supported */
export function parseTemplate(template: string): UriTemplate {
  const names: string[] = []
  let source = ''
  let end = 0
  for (const found of template.matchAll(EXPRESSION)) {
    const [whole, plus, name] = found
    source += escapeLiteral(template, end, found.index)
    if (end > 0 && found.index === end) throw new Error(`${whole}: needs text between it and the expression before`)
    source += plus ? '(.+)' : '([^/?#]+)'
    names.push(name!)
    end = found.index + whole.length
  }
  const pattern = new RegExp(`^${source}${escapeLiteral(template, end, template.length)}$`, 'u')
  return Object.freeze({ names: Object.freeze(names), match: (uri: string) => matchUri(pattern, names, uri) })
}

function escapeLiteral(template: string, from: number, to: number): string {
  const literal = template.slice(from, to)
  if (/[{}]/.test(literal)) throw new Error(`${literal}: only {name} and {+name} are supported`)
  return literal.replace(/[.*+?^$()|[\]\\/-]/g, '\\$&').replace(/\\-/g, '-')
}

function matchUri(pattern: RegExp, names: readonly string[], uri: string): Record<string, string> | undefined {
  const found = uri.length <= MAX_URI_LENGTH ? pattern.exec(uri) : null
  if (found === null) return undefined
  try {
    return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(found[index + 1]!)]))
  } catch {
    return undefined // not percent-encoding, so not a URI of this template
  }
}
