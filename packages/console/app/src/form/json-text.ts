// Arguments as the text that is sent. Refuses a text that JSON would round or shorten, and names the
// place.
import { type AnyNode, parse } from '@humanwhocodes/momoa'
import { isExact } from '@toolrack/json-schema/exact-number'
import { isObject, type JsonObject } from '../client/json-rpc.ts'

export type Parsed<T = unknown> = { readonly value: T } | { readonly fault: string }

export const formatJson = (value: unknown): string => JSON.stringify(value, null, 2)

/** Parses the arguments. An empty text means no arguments. */
export function parseArguments(text: string): Parsed<JsonObject> {
  const parsed = parseJson(text.trim() === '' ? '{}' : text)
  if ('fault' in parsed) return parsed
  return isObject(parsed.value) ? { value: parsed.value } : { fault: 'Arguments are a JSON object: { … }' }
}

/** Parses a JSON value that is sent as it is written. */
export function parseJson(text: string): Parsed {
  try {
    const fault = findLoss(parse(text, { mode: 'json', ranges: true }).body, text)
    return fault === undefined ? { value: JSON.parse(text) } : { fault }
  } catch (error) {
    return { fault: describeFault(text, error) }
  }
}

/** The first number that would be rounded, or the first repeated name. */
function findLoss(root: AnyNode, text: string): string | undefined {
  const open: AnyNode[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const at = `Line ${node.loc.start.line}, column ${node.loc.start.column}`
    if (node.type === 'Number') {
      const written = text.slice(...node.range!)
      if (!isExact(written)) return `${at}: ${describeLoss(written)}`
    }
    if (node.type === 'Object') {
      const repeated = findRepeated(node.members.map(({ name }) => ('value' in name ? name.value : name.name)))
      if (repeated !== undefined) return `${at}: ${JSON.stringify(repeated)} stands twice in this object`
      open.push(...node.members.map(member => member.value).reverse())
    }
    if (node.type === 'Array') open.push(...node.elements.map(element => element.value).reverse())
  }
  return undefined
}

/** Advice for a number that JavaScript cannot hold. */
export const describeLoss = (written: string): string =>
  Number.isFinite(Number(written))
    ? `${written} would be sent as ${Number(written)}. As text, "${written}", it keeps its digits`
    : `${written} is too large a number to be sent. As text, "${written}", it can be`

function findRepeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return names.find(name => seen.size === seen.add(name).size)
}

/** Momoa's errors contain the place of the unexpected text. */
function describeFault(text: string, error: unknown): string {
  const missing = findMissing(text)
  if (missing !== undefined) return `Not yet JSON: ${missing} is missing at the end`
  const { line, column } = error as { line?: number; column?: number }
  return line === undefined ? 'Not JSON' : `Not JSON at line ${line}, column ${column}`
}

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '[': ']' }
const TEXTS_AND_BRACKETS = /"(?:[^"\\]|\\.)*"|["{}[\]]/gs

/** The characters that would complete a text that ends too early. */
function findMissing(text: string): string | undefined {
  const open: string[] = []
  for (const [token] of text.matchAll(TEXTS_AND_BRACKETS)) {
    if (token === '"') return '"'
    const closer = CLOSERS[token]
    if (closer !== undefined) open.push(closer)
    else if (token.length === 1 && open.pop() !== token) return undefined
  }
  const missing = open.reverse().join('')
  return missing !== '' && isJson(text + missing) ? missing : undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
