// Small changes of JSON values, of which the steps from one revision to the next older one are put together.
import { isObject, type JsonObject } from '../messages.ts'
import { isJsonOf } from '../same-json.ts'

export type Change = (value: JsonObject) => JsonObject

/** By method: how its result differs. What is not named stays as it is. */
export type Changes = Readonly<Record<string, Change>>

export function byMethod(changes: Changes): (method: string, result: JsonObject) => JsonObject {
  const table = new Map(Object.entries(changes))
  return (method, result) => table.get(method)?.(result) ?? result
}

export const pipe =
  (...changes: Change[]): Change =>
  value =>
    changes.reduce((changed, change) => change(changed), value)

export function without(...names: string[]): Change {
  return value => {
    if (!names.some(name => Object.hasOwn(value, name))) return value
    return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
  }
}

export function only(...names: string[]): Change {
  return value => Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
}

/** Changes one member, where it is an object. */
export function within(name: string, change: Change): Change {
  return value => {
    const member = value[name]
    if (!isObject(member)) return value
    const changed = change(member)
    return changed === member ? value : { ...value, [name]: changed }
  }
}

/** Changes each object of a member that is an array. */
export function each(name: string, change: Change): Change {
  return value => {
    const members = value[name]
    if (!Array.isArray(members)) return value
    return { ...value, [name]: members.map(member => (isObject(member) ? change(member) : member)) }
  }
}

/** Changes the content blocks of `tools/call` and `prompts/get` alike. */
export function blocks(change: Change): Changes {
  return { 'tools/call': each('content', change), 'prompts/get': each('messages', within('content', change)) }
}

/** Changes the content blocks of the messages that a client's model is asked with. */
export function sampledBlocks(change: Change): Change {
  return each('messages', pipe(within('content', change), each('content', change)))
}

/** Changes each member that is an object. */
export function values(change: Change): Change {
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
export const fields = (change: Change): Change => within('requestedSchema', within('properties', values(change)))

/** A field whose pattern is said in words, where fields have none. */
export function patternInWords(field: JsonObject): JsonObject {
  const { pattern, ...rest } = field
  if (pattern === undefined) return field
  const { description } = rest
  const hint = `Must match ${pattern}`
  return { ...rest, description: description === undefined ? hint : `${description}. ${hint}` }
}

/** Changes the entries of every list. */
export function entries(change: Change): Changes {
  return {
    'tools/list': each('tools', change),
    'resources/list': each('resources', change),
    'resources/templates/list': each('resourceTemplates', change),
    'prompts/list': each('prompts', change),
  }
}

/** Several tables as one: changes of the same method follow each other. */
export function all(...tables: Changes[]): Changes {
  const merged: Record<string, Change> = {}
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
  return ({ type, text }) => type === 'text' && typeof text === 'string' && isJsonOf(text, structure, json)
}
