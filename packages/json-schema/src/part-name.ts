// Splits the name of an argument's part in a form or on a command line: `filter.price`,
// `filter[price]`, `items[0].sku`, `tags[]`.
import type { PartSchema } from './part-schema.ts'

/** Maximum number of names within a name: `a[b][c]` has three. */
export const MAX_NAME_DEPTH = 16

/** Its message continues a sentence that starts with the name. */
export class NameError extends Error {
  override name = 'NameError'
}

/**
 * If the schema has a property with the whole name, that is meant. A point is part of a name that
 * the schema does not know.
 * So is a bracket without its other half.
 *
 * @returns the parts; the last one is empty to add an element to a list
 * @throws NameError
 */
export function splitName(name: string, schema: PartSchema): readonly string[] {
  const head = /^[^.[]+/.exec(name)?.[0] ?? name
  const isPlain = head === name || schema.hasProperty(name) || !mayHold(schema, head, name[head.length]!)
  const parts = isPlain ? [name] : splitTail(head, name.slice(head.length), schema.property(head))
  if (parts.length > MAX_NAME_DEPTH) throw new NameError(`is deeper than ${MAX_NAME_DEPTH} names`)
  return parts
}

const mayHold = (schema: PartSchema, head: string, separator: string) =>
  separator === '[' || schema.hasProperty(head) || !schema.hasProperties

function splitTail(head: string, tail: string, start: PartSchema): readonly string[] {
  const parts = [head]
  let [rest, schema] = [tail, start]
  while (rest !== '') {
    const [part, length] = readPart(rest, schema)
    if (part === undefined) return [head + tail]
    parts.push(part)
    schema = schema.member(part)
    rest = rest.slice(length)
    if (part === '' && rest !== '') throw new NameError('has an element without its number: write items[0][sku]')
  }
  return parts
}

/** Reads `.name` or `[name]`. @returns no part if the text has neither */
function readPart(text: string, schema: PartSchema): readonly [part: string | undefined, length: number] {
  const whole = text.slice(1)
  if (text.startsWith('.') && schema.hasProperty(whole)) return [whole, text.length]
  const [found, behindPoint, inBrackets] = /^(?:\.([^.[\]]+)|\[([^[\]]*)\])/.exec(text) ?? []
  if (found !== undefined) return [behindPoint ?? inBrackets, found.length]
  if (text.startsWith('.')) throw new NameError('has an empty name within it: expected names with points between them')
  return [undefined, 0]
}
