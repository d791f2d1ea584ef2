// Rewrites unions whose branches differ by a property, for the check that explains issues. Ajv would
// report the issues of all branches, also of those that the caller does not mean.

import { ENTRY } from './lower.ts'
import { findLiterals, isNode, type Node, schemaMembers } from './reader.ts'

/**
 * Accepts the same values as `root`, but first checks the property, and then its branch.
 *
 * @param root a lowered schema without `unevaluated…`, which would also have to change
 */
export function splitUnions(root: Node): Node {
  const definitions = root['$defs'] as Node
  const split = (node: unknown, isMap = false): unknown => {
    if (typeof node !== 'object' || node === null) return node
    const members = schemaMembers(node, isMap).map(each => [each.key, split(each.value, each.isMap)] as const)
    if (Array.isArray(node)) return members.map(([, value]) => value)
    const copy: Node = Object.fromEntries([...Object.entries(node), ...members])
    return isMap ? copy : splitUnion(splitUnion(copy, 'oneOf', definitions), 'anyOf', definitions)
  }
  return split(root) as Node
}

function splitUnion(node: Node, keyword: 'oneOf' | 'anyOf', definitions: Node): Node {
  const { [keyword]: branches, ...rest } = node
  if (!Array.isArray(branches) || branches.length < 2) return node
  const resolved = branches.map(branch => resolve(branch, definitions))
  const found = findDiscriminator(resolved, definitions)
  const takesObjects = node['type'] === 'object' || resolved.every(takesObject)
  if (found === undefined || !takesObjects) return node
  const having = (values: readonly unknown[]) => ({
    type: 'object',
    properties: { [found.name]: { enum: values } },
    required: [found.name],
  })
  const conditions = branches.map((branch, index) => ({
    if: having(found.values[index]!),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: branch,
  }))
  const all = [...((rest['allOf'] as unknown[] | undefined) ?? []), having(found.values.flat()), ...conditions]
  return { ...rest, allOf: all }
}

/** Whether at most one branch can match any value, by a property that all require. */
export function isToldApart(branches: unknown, root: object): boolean {
  if (!Array.isArray(branches)) return false
  const definitions = Object((root as Node)['$defs']) as Node
  const resolved = branches.map(branch => resolve(branch, definitions))
  return resolved.every(takesObject) && findDiscriminator(resolved, definitions) !== undefined
}

interface Discriminator {
  readonly name: string
  /** By branch. */
  readonly values: readonly (readonly unknown[])[]
}

/** The property that every branch requires with its own values. */
function findDiscriminator(branches: readonly (Node | undefined)[], definitions: Node): Discriminator | undefined {
  for (const name of Object.keys(Object(branches[0]?.['properties']))) {
    const values = branches.map(branch => findValues(branch, name, definitions))
    const all = values.flat()
    const isDistinct = new Set(all).size === all.length && all.every(isSimple)
    if (isDistinct && name !== '__proto__') return { name, values: values as unknown[][] }
  }
  return undefined
}

/** @returns undefined if the branch accepts other values, too, or does not require the property */
function findValues(branch: Node | undefined, name: string, definitions: Node): readonly unknown[] | undefined {
  const { properties, required } = branch ?? {}
  if (!isNode(properties) || !Object.hasOwn(properties, name)) return undefined
  if (!Array.isArray(required) || !required.includes(name)) return undefined
  return findLiterals(resolve(properties[name], definitions) ?? {})
}

const takesObject = (branch: Node | undefined) => branch?.['type'] === 'object'

const isSimple = (value: unknown) => value !== undefined && (typeof value !== 'object' || value === null)

/** The target of a lowered reference. */
function resolve(schema: unknown, definitions: Node): Node | undefined {
  if (!isNode(schema)) return undefined
  const { $ref } = schema
  if (typeof $ref !== 'string' || Object.keys(schema).length > 1) return schema
  const target = definitions[$ref.slice('#/$defs/'.length)]
  const isCounted = isNode(target) && isNode(target['if']) && ENTRY in target['if']
  return resolve(isCounted ? target['then'] : target, definitions)
}
