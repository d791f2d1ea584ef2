// The initial value of a form. Arguments of a tool contain nothing that nobody chose. An answer
// contains the defaults, which the user reviews before it is sent.
import { isObject, type JsonObject } from '../client/json-rpc.ts'
import { type Document, findConstant, findTypes, isRequired, listProperties, type Node, resolveNode } from './schema.ts'

/** Deeper objects stay empty until the user fills them in, because a schema may require itself. */
const MAX_DEPTH = 20

/** Whether the values of a schema are objects, as far as the schema says. */
export const isObjectNode = (node: Node): boolean =>
  findTypes(node).length === 0 ? isObject(node['properties']) : findTypes(node).join() === 'object'

/** A map is not opened, because an empty one may mean all, such as the conditions of a deletion. */
const hasMembers = (node: Node) => isObjectNode(node) && listProperties(node).length > 0

/** Required constants, and the required objects around them. */
export function createUntouched(schema: unknown, document: Document): JsonObject {
  return createObject(resolveNode(schema, undefined, document), document, 0)
}

function createObject(node: Node, document: Document, depth: number): JsonObject {
  return fill(node, document, (member, name) => {
    if (!isRequired(node, name)) return undefined
    const constant = findConstant(member)
    if (constant !== undefined) return constant
    const isOpen = hasMembers(member) && !Object.hasOwn(member, 'default') && depth < MAX_DEPTH
    return isOpen ? { value: createObject(member, document, depth + 1) } : undefined
  })
}

/**
 * The defaults of a question. A value with a single choice is not chosen, because the user would not
 * see it.
 */
export function createAnswer(schema: unknown, document: Document, depth = 0): JsonObject {
  const node = resolveNode(schema, undefined, document)
  return fill(node, document, (member, name) => {
    if (Object.hasOwn(member, 'default')) return { value: member['default'] }
    return isRequired(node, name) && isObjectNode(member) && depth < MAX_DEPTH
      ? { value: createAnswer(member, document, depth + 1) }
      : undefined
  })
}

type Start = (member: Node, name: string) => { readonly value: unknown } | undefined

const fill = (node: Node, document: Document, start: Start): JsonObject =>
  Object.fromEntries(
    listProperties(node).flatMap(([name, schema]) => {
      const started = start(resolveNode(schema, undefined, document), name)
      return started === undefined ? [] : [[name, started.value]]
    }),
  )
