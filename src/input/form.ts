// The schema of a form: flat, of fields that every client can draw; and compiled, for the answers.
// Spec 2026-07-28: client/elicitation, "Requested Schema".
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { onlyKnown } from '../protocol/schemas/known.ts'
import { ElicitFormParams, FIELDS } from '../protocol/schemas/questions.ts'
import { compile, type Validator } from '../validator.ts'
import { type FaultFinder, firstFault, shape } from './shape.ts'

const PATH = 'params.requestedSchema'
const TYPES = 'string, number, integer, boolean, array'
/** With these a field would be more than its type says. */
const NESTING = [
  ...['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'],
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
]

/** Of the schemas that handlers ask with, the latest; most ask with few. */
const remembered = new Map<string, Validator>()
const MAX_REMEMBERED = 100
const MAX_REMEMBERED_LENGTH = 16 * 1024

type Kind = keyof typeof FIELDS

const form = shape(ElicitFormParams)
const fields = Object.fromEntries(Object.entries(FIELDS).map(([kind, schema]) => [kind, shape(schema)])) as Record<
  Kind,
  FaultFinder
>

export function faultOfForm(params: JsonObject): string | undefined {
  const fault = form(params, 'params')
  if (fault !== undefined) return fault
  const schema = params['requestedSchema'] as JsonObject
  return (
    nesting(schema, PATH, ElicitFormParams.properties.requestedSchema) ??
    firstFault(Object.entries(schema['properties'] as JsonObject), faultOfField) ??
    faultOfSchema(schema)
  )
}

/** A right form with the members that the specification names: what else its schema says is for the check of answers. */
export function knownForm(params: JsonObject): JsonObject {
  const known = onlyKnown(ElicitFormParams, params)
  const schema = known['requestedSchema'] as JsonObject
  const fields = Object.entries(schema['properties'] as Record<string, JsonObject>)
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, onlyKnown(schemaOf(field), field)]))
  return { ...known, requestedSchema: { ...schema, properties } }
}

// `type` is a field's own, which the shapes of numbers leave open.
const schemaOf = (field: JsonObject) => {
  const { properties } = FIELDS[kindOf(field)!]
  return { properties: { type: {}, ...properties } }
}

/** @throws SchemaError where it cannot be compiled */
export function validatorOfForm(schema: object): Validator {
  const text = JSON.stringify(schema)
  let validator = remembered.get(text)
  if (validator !== undefined) return validator
  validator = compile(JSON.parse(text))
  if (text.length > MAX_REMEMBERED_LENGTH) return validator
  remembered.set(text, validator)
  if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!)
  return validator
}

function faultOfField(field: unknown, name: string): string | undefined {
  const path = `${PATH}.properties.${name}`
  const kind = isObject(field) ? kindOf(field) : undefined
  if (kind === undefined) return `${path}.type must be one of ${TYPES}, since a form is flat`
  return fields[kind](field, path) ?? nesting(field as JsonObject, path, FIELDS[kind])
}

function kindOf({ type, items, ...rest }: JsonObject): Kind | undefined {
  switch (type) {
    case 'string':
      if (rest['enum'] !== undefined) return 'choice'
      return rest['oneOf'] === undefined ? 'string' : 'titledChoice'
    case 'array':
      return isObject(items) && items['anyOf'] !== undefined ? 'titledChoices' : 'choices'
    case 'number':
    case 'integer':
    case 'boolean':
      return type
    default:
      return undefined
  }
}

// `additionalProperties: false` nests nothing.
function nesting(schema: JsonObject, path: string, known: { readonly properties: object }): string | undefined {
  const isNesting = (key: string) =>
    Object.hasOwn(schema, key) && typeof schema[key] !== 'boolean' && !Object.hasOwn(known.properties, key)
  const key = NESTING.find(isNesting)
  return key === undefined ? undefined : `${path}.${key} is not allowed, since a form is flat`
}

function faultOfSchema(schema: JsonObject): string | undefined {
  try {
    validatorOfForm(schema)
    return undefined
  } catch (error) {
    return `${PATH}: ${(error as Error).message}`
  }
}
