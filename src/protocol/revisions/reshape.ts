// Small JSON transformations from which the steps between revisions are built.

import { isObject, type JsonObject } from '../messages.ts'
import { isSameJson } from '../same-json.ts'
import type { ClientRequest } from './revision.ts'

export type Reshape = (value: JsonObject) => JsonObject

/** Maps methods to changes of their results; other results stay as they are. */
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
    let kept = value
    for (const name of names) {
      if (!Object.hasOwn(kept, name)) continue
      const { [name]: _, ...rest } = kept
      kept = rest
    }
    return kept
  }
}

export function pick(...names: string[]): Reshape {
  return value => Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
}

export function inMember(name: string, change: Reshape): Reshape {
  return value => {
    const member = value[name]
    if (!isObject(member)) return value
    const changed = change(member)
    return changed === member ? value : { ...value, [name]: changed }
  }
}

export function inEach(name: string, change: Reshape): Reshape {
  return value => {
    const members = value[name]
    if (!Array.isArray(members)) return value
    return { ...value, [name]: members.map(member => (isObject(member) ? change(member) : member)) }
  }
}

/** Changes the content blocks of results, also of those that a task kept. */
export function inContentBlocks(change: Reshape): ReshapeTable {
  const inResult = inEach('content', change)
  return {
    'tools/call': inResult,
    'tasks/result': inResult,
    'tasks/get': inMember('result', inResult),
    'prompts/get': inEach('messages', inMember('content', change)),
  }
}

/** Changes the content blocks of sampling messages. */
export function inSampledBlocks(change: Reshape): Reshape {
  return inEach('messages', pipe(inMember('content', change), inEach('content', change)))
}

/** The same in a question that is a sampling request. */
export function inSampledQuestion(change: Reshape): (question: ClientRequest) => ClientRequest {
  return question => {
    const { method, params } = question
    if (method !== 'sampling/createMessage' || params === undefined) return question
    return { method, params: inSampledBlocks(change)(params) }
  }
}

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

export const inFormFields = (change: Reshape): Reshape =>
  inMember('requestedSchema', inMember('properties', inEachValue(change)))

/** Moves the pattern into the description, for revisions whose form fields have no pattern. */
export function patternInWords(field: JsonObject): JsonObject {
  const { pattern, ...rest } = field
  if (pattern === undefined) return field
  const { description } = rest
  const hint = `Must match ${pattern}`
  return { ...rest, description: description === undefined ? hint : `${description}. ${hint}` }
}

export function inListEntries(change: Reshape): ReshapeTable {
  return {
    'tools/list': inEach('tools', change),
    'resources/list': inEach('resources', change),
    'resources/templates/list': inEach('resourceTemplates', change),
    'prompts/list': inEach('prompts', change),
  }
}

/** Applies changes of the same method in order. */
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

/** Replaces a block by text and keeps its annotations. */
export function asText({ annotations }: JsonObject, text: string): JsonObject {
  return { ...textBlock(text), ...(isObject(annotations) && { annotations }) }
}

/** Replaces `structuredContent` by its JSON as text, unless a block has that text already. */
export function structureAsText({ structuredContent, ...result }: JsonObject): JsonObject {
  const content = result['content'] as JsonObject[]
  // The server appends that block, so search from the end.
  if (structuredContent === undefined || content.findLast(isJsonBlock(structuredContent)) !== undefined) return result
  return { ...result, content: [...content, textBlock(JSON.stringify(structuredContent))] }
}

/** Matches text blocks that contain the JSON of the structure. */
export function isJsonBlock(structure: unknown): (block: JsonObject) => boolean {
  const json = JSON.stringify(structure)
  return ({ type, text }) => type === 'text' && typeof text === 'string' && isSameJson(text, structure, json)
}
