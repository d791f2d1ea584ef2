// Shows how to write the arguments of a prompt. Takes their names from the value that was given
// instead: a schema, as for the official SDKs, or a list of names.

import type { StandardSchema } from 'toolrack'
import { isObject } from 'toolrack/protocol'
import { findStandardSchema, toJsonSchema } from 'toolrack/schema-libraries'
import { findNearestName, toPlainName } from 'toolrack/text'

type NamedArgument = readonly [name: string, isRequired: boolean]

/** Maximum number of arguments that are named. */
const MAX_NAMED = 5

const IS_TEXT = 'leave it away: each argument is a text'
const IN_HANDLER = 'leave it away, and do so in the handler'

/** Advice for members that arguments lack, by their names in lower case. */
const MEMBER_FIXES: Readonly<Record<string, (value: unknown) => string>> = {
  ...Object.fromEntries(
    ['enum', 'values', 'choices', 'options', 'suggestions', 'examples', 'completions'].map(name => [
      name,
      (value: unknown) => fixComplete(value),
    ]),
  ),
  ...Object.fromEntries(['type', 'schema', 'format'].map(name => [name, () => IS_TEXT])),
  ...Object.fromEntries(
    ['default', 'defaultvalue', 'pattern', 'minlength', 'maxlength', 'validate'].map(name => [name, () => IN_HANDLER]),
  ),
  optional: value => `write required: ${value === false}`,
  isrequired: value => `write required: ${value !== false}`,
  desc: () => 'did you mean description?',
  label: () => 'did you mean title?',
  displayname: () => 'did you mean title?',
  id: () => 'did you mean name?',
  completion: () => 'did you mean complete?',
  autocomplete: () => 'did you mean complete?',
}

/** @param known the members of an argument @returns undefined if the member is similar to none */
export function fixMember(member: string, value: unknown, known: readonly string[]): string | undefined {
  const plain = toPlainName(member)
  if (Object.hasOwn(MEMBER_FIXES, plain)) return MEMBER_FIXES[plain]!(value)
  const nearest = findNearestName(member, known)
  return nearest === undefined ? undefined : `did you mean ${nearest}?`
}

/** Maximum number of values that are quoted. */
const MAX_VALUES = 5

/**
 * @param value the values themselves, where a function that finds them is expected
 * @param field that should be the function
 */
export function fixComplete(value: unknown, field = 'complete'): string {
  const values = (Array.isArray(value) ? value : []).filter(each => typeof each === 'string')
  const quoted = values.slice(0, MAX_VALUES).map(each => `'${each}'`)
  const list = quoted.length === values.length && quoted.length > 0 ? quoted : [...quoted, '…']
  return `write ${field}: value => [${list.join(', ')}].filter(each => each.startsWith(value))`
}

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

/** For a member of an object of schemas, which SDK 1.x takes. */
function isRequired(member: unknown): boolean {
  const standard = findStandardSchema(member)
  if (standard === undefined) return !isObject(member) || member['required'] !== false
  try {
    return standard['~standard'].validate(undefined).issues !== undefined
  } catch {
    return true
  }
}
