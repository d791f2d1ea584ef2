// Says how the arguments of a prompt are written, by the names in what was given instead: a schema,
// as the official SDKs take it, or a list of names.
import { isObject } from '../protocol/messages.ts'
import { toJsonSchema } from './library-json-schema.ts'
import { findStandardSchema, type StandardSchema } from './standard-schema.ts'

type NamedArgument = readonly [name: string, isRequired: boolean]

/** Arguments that are named; the rest are omitted. */
const MAX_NAMED = 5

/** @returns undefined if the value has no names */
export function fixArguments(value: unknown): string | undefined {
  const args = findArguments(value)
  if (args.length === 0) return undefined
  const named = args
    .slice(0, MAX_NAMED)
    .map(([name, isRequired]) => `{ name: '${name}'${isRequired ? ', required: true' : ''} }`)
  return `write arguments: [${[...named, ...(args.length > MAX_NAMED ? ['…'] : [])].join(', ')}]`
}

function findArguments(value: unknown): readonly NamedArgument[] {
  if (typeof value === 'string') return [[value, true]]
  if (Array.isArray(value)) return value.flatMap(each => (typeof each === 'object' ? [] : findArguments(each)))
  const standard = findStandardSchema(value)
  if (standard !== undefined) return findProperties(tryToJsonSchema(standard))
  if (!isObject(value)) return []
  if (typeof value['name'] === 'string') return [[value['name'], value['required'] === true]]
  if (isObject(value['properties'])) return findProperties(value)
  return Object.entries(value).map(([name, member]) => [name, isRequired(member)])
}

function findProperties(schema: unknown): readonly NamedArgument[] {
  const { properties, required } = Object(schema) as { properties?: object; required?: readonly string[] }
  return Object.keys(properties ?? {}).map(name => [name, Array.isArray(required) && required.includes(name)])
}

function tryToJsonSchema(standard: StandardSchema): unknown {
  try {
    return toJsonSchema(standard, 'input').schema
  } catch {
    return undefined // a schema that has no JSON Schema; the fault is that it is a schema
  }
}

/** Of a member of an object of schemas, which SDK 1.x takes. */
function isRequired(member: unknown): boolean {
  const standard = findStandardSchema(member)
  if (standard === undefined) return !isObject(member) || member['required'] !== false
  try {
    return standard['~standard'].validate(undefined).issues !== undefined
  } catch {
    return true
  }
}
