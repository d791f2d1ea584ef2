// Small changes of JSON values, of which the steps from one revision to the next older one are put together.

import { isSameJson } from '../json.ts'
import { isObject, type JsonObject } from '../messages.ts'

export type Reshape = (value: JsonObject) => JsonObject

/** By method: how its result differs. What is not named stays as it is. */
export type ReshapeTable = Readonly<Record<string, Reshape>>

export function byMethod(changes: ReshapeTable): (method: string, result: JsonObject) => JsonObject {
  const table = new Map(Object.entries(changes))
  return (method, result) => table.get(method)?.(result) ?? result
}

export const pipe =
  (...changes: Reshape[]): Reshape =>
  value =>
    changes.reduce((changed, change) => change(changed), value)

export function omit(...names: string[]): Reshape {
  return value => {
    if (!names.some(name => Object.hasOwn(value, name))) return value
    return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
  }
}

export function pick(...names: string[]): Reshape {
  return value => Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
}

/** Changes one member, where it is an object. */
export function inMember(name: string, change: Reshape): Reshape {
  return value => {
    const member = value[name]
    if (!isObject(member)) return value
    const changed = change(member)
    return changed === member ? value : { ...value, [name]: changed }
  }
}

/** Changes each object of a member that is an array. */
export function inEach(name: string, change: Reshape): Reshape {
  return value => {
    const members = value[name]
    if (!Array.isArray(members)) return value
    return { ...value, [name]: members.map(member => (isObject(member) ? change(member) : member)) }
  }
}

/** Changes the content blocks of `tools/call` and `prompts/get` alike. */
export function inContentBlocks(change: Reshape): ReshapeTable {
  return { 'tools/call': inEach('content', change), 'prompts/get': inEach('messages', inMember('content', change)) }
}

/** Changes the content blocks of the messages that a client's model is asked with. */
export function inSampledBlocks(change: Reshape): Reshape {
  return inEach('messages', pipe(inMember('content', change), inEach('content', change)))
}

/** Changes each member that is an object. */
export function inEachValue(change: Reshape): Reshape {
  return value => {
    let isChanged = false
    const members = Object.entries(value).map(([name, member]) => {
      const changed = isObject(member) ? change(member) : member
      isChanged ||= changed !== member
      return [name, changed]
    })
    return isChanged ? Object.fromEntries(members) : value
  }
}

/** Changes the fields of a form. */
export const inFormFields = (change: Reshape): Reshape =>
  inMember('requestedSchema', inMember('properties', inEachValue(change)))

/** A field whose pattern is said in words, where fields have none. */
export function patternInWords(field: JsonObject): JsonObject {
  const { pattern, ...rest } = field
  if (pattern === undefined) return field
  const { description } = rest
  const hint = `Must match ${pattern}`
  return { ...rest, description: description === undefined ? hint : `${description}. ${hint}` }
}

/** Changes the entries of every list. */
export function inListEntries(change: Reshape): ReshapeTable {
  return {
    'tools/list': inEach('tools', change),
    'resources/list': inEach('resources', change),
    'resources/templates/list': inEach('resourceTemplates', change),
    'prompts/list': inEach('prompts', change),
  }
}

/** Several tables as one: changes of the same method follow each other. */
export function mergeReshapes(...tables: ReshapeTable[]): ReshapeTable {
  const merged: Record<string, Reshape> = {}
  for (const table of tables) {
    for (const [method, change] of Object.entries(table)) {
      const first = merged[method]
      merged[method] = first === undefined ? change : pipe(first, change)
    }
  }
  return merged
}

export const textBlock = (text: string): JsonObject => ({ type: 'text', text })

/** A block as text, for the same audience. */
export function asText({ annotations }: JsonObject, text: string): JsonObject {
  return { ...textBlock(text), ...(isObject(annotations) && { annotations }) }
}

/** A result without its structure, which its text says then, where it did not yet. */
export function structureAsText({ structuredContent, ...result }: JsonObject): JsonObject {
  const content = result['content'] as JsonObject[]
  // The last is the one that the server adds.
  if (structuredContent === undefined || content.findLast(isJsonBlock(structuredContent)) !== undefined) return result
  return { ...result, content: [...content, textBlock(JSON.stringify(structuredContent))] }
}

/** Finds the blocks that are a structure in other words: its JSON as text. */
export function isJsonBlock(structure: unknown): (block: JsonObject) => boolean {
  const json = JSON.stringify(structure)
  return ({ type, text }) => type === 'text' && typeof text === 'string' && isSameJson(text, structure, json)
}
