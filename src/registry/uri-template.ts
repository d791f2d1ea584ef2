// The part of RFC 6570 that resources need: `{name}` for a path segment, `{+name}` for the rest.
// Decoded values cannot leave their path, since handlers may use them as file names. Matching
// takes linear time; a regular expression with several open ends would not.

export interface UriTemplate {
  readonly names: readonly string[]
  /** Percent-decoded variables, the first as long as possible; undefined if the URI does not match. */
  match(uri: string): Record<string, string> | undefined
}

interface Literal {
  readonly literal: string
}

interface Variable {
  readonly name: string
  /** Whether the value may contain `/`, `?` and `#`. */
  readonly isRest: boolean
}

type Part = Literal | Variable

const EXPRESSION = /\{(\+?)([A-Za-z_][A-Za-z0-9_]*)\}/g
const SEGMENT_END = /[/?#]/
/** Decoded values with a control character or a `..` segment are rejected. */
const NO_SEGMENT = /[\p{Cc}/\\]|^\.{1,2}$/u
const NO_REST = /\p{Cc}|(?:^|[/\\])\.{1,2}(?:[/\\]|$)/u
/** Longer URIs do not match. */
const MAX_URI_LENGTH = 8192

/** @throws Error naming the unsupported expression */
export function parseTemplate(template: string): UriTemplate {
  const parts: Part[] = []
  const names: string[] = []
  let end = 0
  for (const { 0: whole, 1: plus, 2: name, index } of template.matchAll(EXPRESSION)) {
    if (end > 0 && index === end) throw new Error(`${whole}: needs text between it and the expression before`)
    if (names.includes(name!)) throw new Error(`${whole}: is defined twice`)
    parts.push(parseLiteral(template.slice(end, index)), { name: name!, isRest: plus === '+' })
    names.push(name!)
    end = index + whole.length
  }
  parts.push(parseLiteral(template.slice(end)))
  return Object.freeze({ names: Object.freeze(names), match: (uri: string) => matchUri(parts, uri) })
}

function parseLiteral(literal: string): Literal {
  if (/[{}]/.test(literal)) throw new Error(`${literal}: only {name} and {+name} are supported`)
  return { literal: toUriText(literal) }
}

/**
 * The text as it stands in a URI: characters that a URI cannot have are percent-encoded. RFC 6570,
 * 3.1.
 */
const toUriText = (literal: string) =>
  normaliseHex(literal.toWellFormed().replace(/[^!#-;=?-[\]_a-z~]+/g, encodeURIComponent))

/** `%c3` and `%C3` are the same. RFC 3986, 6.2.2.1. */
const normaliseHex = (text: string) => text.replace(/%[0-9a-f]{2}/gi, hex => hex.toUpperCase())

function matchUri(parts: readonly Part[], given: string): Record<string, string> | undefined {
  const [first] = parts as [Literal]
  if (given.length > MAX_URI_LENGTH) return undefined
  const uri = normaliseHex(given)
  if (!uri.startsWith(first.literal)) return undefined
  const variables: [name: string, value: string][] = []
  let from = 0
  for (const [index, ends] of findPartEnds(parts, uri).entries()) {
    const to = ends[from]!
    if (to < 0) return undefined
    const part = parts[index]!
    if ('name' in part) {
      const value = decodeVariable(part, uri.slice(from, to))
      if (value === undefined) return undefined
      variables.push([part.name, value])
    }
    from = to
  }
  return Object.fromEntries(variables)
}

function decodeVariable({ isRest }: Variable, encoded: string): string | undefined {
  try {
    const value = decodeURIComponent(encoded)
    return (isRest ? NO_REST : NO_SEGMENT).test(value) ? undefined : value
  } catch {
    return undefined // not percent-encoding, so not a URI of this template
  }
}

// For each part and start position: the last end position from which the later parts match the
// rest, or -1. Goes from the last part to the first, so that nothing is tried twice.
function findPartEnds(parts: readonly Part[], uri: string): Int32Array[] {
  let next = new Int32Array(uri.length + 1).fill(-1)
  next[uri.length] = uri.length
  const all: Int32Array[] = []
  for (const part of parts.toReversed()) {
    next = 'literal' in part ? findLiteralEnds(part, uri, next) : findVariableEnds(part, uri, next)
    all.unshift(next)
  }
  return all
}

function findLiteralEnds({ literal }: Literal, uri: string, next: Int32Array): Int32Array<ArrayBuffer> {
  return new Int32Array(next.length).map((_, from) => {
    const to = from + literal.length
    return uri.startsWith(literal, from) && next[to]! >= 0 ? to : -1
  })
}

function findVariableEnds({ isRest }: Variable, uri: string, next: Int32Array): Int32Array<ArrayBuffer> {
  const ends = new Int32Array(next.length)
  let last = -1
  for (let from = uri.length; from >= 0; from--) {
    if (!isRest && SEGMENT_END.test(uri.charAt(from))) last = -1
    ends[from] = last
    if (last < 0 && next[from]! >= 0) last = from
  }
  return ends
}
