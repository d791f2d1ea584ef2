// Formats a type of `formatType`, which is one line, with each member on its own line.
import type { JsonToken } from '../parts/json-layout.ts'

const INDENT = '  '
/** A string, a bracket with the blanks inside of it, a comma, or anything else. */
const PART = /"(?:[^"\\]|\\.)*"|\{ | \}|, |[\s\S]/g

export function layOutType(type: string): string {
  let depth = 0
  // A comma of a tuple, or of a union of tuples, stays on its line.
  const open: string[] = []
  const breakLine = () => `\n${INDENT.repeat(depth)}`
  const parts = Array.from(type.matchAll(PART), ([part]) => {
    if (part === '{ ' && !/^\{ \[name\]: /.test(type)) {
      open.push('{')
      depth++
      return `{${breakLine()}`
    }
    if (part === ' }' && open.at(-1) === '{') {
      open.pop()
      depth--
      return `${breakLine()}}`
    }
    if (part === '[' || part === '(') open.push(part)
    if (part === ']' || part === ')') open.pop()
    return part === ', ' && open.at(-1) === '{' ? breakLine() : part
  })
  return parts.join('')
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'any', 'object', 'array', 'never', 'true', 'false']
const TOKEN = /"(?:[^"\\]|\\.)*"(?=\??:)|"(?:[^"\\]|\\.)*"|[\w$-]+(?=\??:)|[\w$-]+|[\s\S]/g

/** Names have no colour; types, values and brackets have. */
export function toTypeTokens(text: string): readonly JsonToken[] {
  return Array.from(text.matchAll(TOKEN), ({ 0: each, index }) => ({ kind: findKind(each, text, index), text: each }))
}

function findKind(each: string, text: string, index: number): JsonToken['kind'] {
  if (/^\??:/.test(text.slice(index + each.length, index + each.length + 2))) return 'key'
  if (each.startsWith('"')) return 'string'
  if (/^-?\d/.test(each)) return 'number'
  return TYPES.includes(each) ? 'word' : 'mark'
}
