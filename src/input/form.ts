// Checks that a form schema is flat and known to clients. Compiles it to check answers.
// Spec 2026-07-28: client/elicitation, "Requested Schema".

import {
  compile,
  createIssueFinder,
  findFirstIssue,
  type IssueFinder,
  type Validator,
} from '@toolrack/json-schema/validator'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { pickKnown } from '../protocol/schemas/common.ts'
import { ElicitFormParams, FIELDS } from '../protocol/schemas/questions.ts'

const PATH = 'params.requestedSchema'
const FIELD_TYPES = 'string, number, integer, boolean, array'
/** Keywords that would nest a field. */
const NESTING = [
  ...['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'],
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
]

/** The latest compiled schemas: most handlers use few. */
const formValidators = new Map<string, Validator>()
const MAX_FORM_VALIDATORS = 100
const MAX_FORM_LENGTH = 16 * 1024

type FieldKind = keyof typeof FIELDS

const findFormShapeIssue = createIssueFinder(ElicitFormParams)
const fieldFinders = Object.fromEntries(
  Object.entries(FIELDS).map(([kind, schema]) => [kind, createIssueFinder(schema)]),
) as Record<FieldKind, IssueFinder>

export function findFormIssue(params: JsonObject): string | undefined {
  const fault = findFormShapeIssue(params, 'params')
  if (fault !== undefined) return fault
  const schema = params['requestedSchema'] as JsonObject
  return (
    findNesting(schema, PATH, ElicitFormParams.properties.requestedSchema) ??
    findFirstIssue(Object.entries(schema['properties'] as JsonObject), findFieldIssue) ??
    findSchemaIssue(schema)
  )
}

/** Keeps the members that the specification names. Other keywords only check the answers. */
export function toKnownForm(params: JsonObject): JsonObject {
  const known = pickKnown(ElicitFormParams, params)
  const schema = known['requestedSchema'] as JsonObject
  const fieldFinders = Object.entries(schema['properties'] as Record<string, JsonObject>)
  const properties = Object.fromEntries(
    fieldFinders.map(([name, field]) => [name, pickKnown(getFieldSchema(field), field)]),
  )
  return { ...known, requestedSchema: { ...schema, properties } }
}

// The shapes of numbers do not list `type`.
const getFieldSchema = (field: JsonObject) => {
  const { properties } = FIELDS[findFieldKind(field)!]
  return { properties: { type: {}, ...properties } }
}

/** @throws SchemaError if it cannot be compiled */
export function getFormValidator(schema: object): Validator {
  const text = JSON.stringify(schema)
  let validator = formValidators.get(text)
  if (validator !== undefined) return validator
  validator = compile(JSON.parse(text))
  if (text.length > MAX_FORM_LENGTH) return validator
  formValidators.set(text, validator)
  if (formValidators.size > MAX_FORM_VALIDATORS) formValidators.delete(formValidators.keys().next().value!)
  return validator
}

function findFieldIssue(field: unknown, name: string): string | undefined {
  const path = `${PATH}.properties.${name}`
  const kind = isObject(field) ? findFieldKind(field) : undefined
  if (kind === undefined) return `${path}.type must be one of ${FIELD_TYPES}, since a form is flat`
  return fieldFinders[kind](field, path) ?? findNesting(field as JsonObject, path, FIELDS[kind])
}

function findFieldKind({ type, items, ...rest }: JsonObject): FieldKind | undefined {
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

function findNesting(schema: JsonObject, path: string, known: { readonly properties: object }): string | undefined {
  const isNesting = (key: string) =>
    Object.hasOwn(schema, key) && typeof schema[key] !== 'boolean' && !Object.hasOwn(known.properties, key)
  const key = NESTING.find(isNesting)
  return key === undefined ? undefined : `${path}.${key} is not allowed, since a form is flat`
}

function findSchemaIssue(schema: JsonObject): string | undefined {
  try {
    getFormValidator(schema)
    return undefined
  } catch (error) {
    return `${PATH}: ${(error as Error).message}`
  }
}
