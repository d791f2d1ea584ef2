// The example of a tool: from its schema, else from its description, else from examples of its
// arguments.
import type { Tool } from '@modelcontextprotocol/client'
import { isObject, type JsonObject } from '../client/json-rpc.ts'
import { parseArguments } from '../form/json-text.ts'

export function findExample({ inputSchema, description }: Tool): JsonObject | undefined {
  const { examples, properties } = inputSchema as JsonObject
  const [first] = Array.isArray(examples) ? examples : []
  if (isObject(first)) return first
  return findInText(description ?? '') ?? collect(properties)
}

const MAX_CHARACTERS = 20_000

/** `Example: {…}`, to the brace that closes it. */
function findInText(text: string): JsonObject | undefined {
  const start = /\bExamples?:[\s`]*(?:json\s+)?(?=\{)/i.exec(text.slice(0, MAX_CHARACTERS))
  if (start === null) return undefined
  const rest = text.slice(start.index + start[0].length, MAX_CHARACTERS)
  const end = findEnd(rest)
  const parsed = end === undefined ? undefined : parseArguments(rest.slice(0, end))
  return parsed !== undefined && 'value' in parsed ? parsed.value : undefined
}

/** The end of the object with which a text begins. Ignores braces in strings. */
function findEnd(text: string): number | undefined {
  let open = 0
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    if (token === '{') open++
    else if (token === '}' && --open === 0) return index + 1
  }
  return undefined
}

/** The first example of each argument that has one. */
function collect(properties: unknown): JsonObject | undefined {
  const found = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) => {
    const examples = isObject(schema) ? schema['examples'] : undefined
    return Array.isArray(examples) && examples.length > 0 ? [[name, examples[0]]] : []
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}
