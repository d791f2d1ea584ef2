// Rewrites one schema for linters and generators. It accepts the same values as before.

import { isOfType } from '@toolrack/json-schema/reader'
import { isObject } from 'toolrack/protocol'
import { toSafeMarkdown } from './openapi-markdown.ts'

type Members = Record<string, unknown>

/** Writes `true` and `false` as objects: OpenAPI accepts booleans for some keywords only. */
export const toObjectSchema = (schema: unknown): unknown =>
  schema === true ? {} : schema === false ? { not: {} } : schema

/** @param declared properties that schemas around this one declare for the same value */
export function normaliseNode(node: Members, declared: readonly string[]): Members {
  const { description } = node
  const described = typeof description === 'string' ? { ...node, description: toSafeMarkdown(description) } : node
  return withDeclared(withTypedValues(withItems(withoutReferenceName(splitDependencies(described)))), declared)
}

/** Adds `items`, which validators want for each list. */
function withItems(node: Members): Members {
  const { type, items, unevaluatedItems } = node
  const isBare = type === 'array' && items === undefined && unevaluatedItems === undefined
  return isBare ? { ...node, items: {} } : node
}

/** Removes a property with the name `$ref`, which would look like a reference. */
function withoutReferenceName(node: Members): Members {
  const { properties, patternProperties } = node
  if (!isObject(properties) || !Object.hasOwn(properties, '$ref')) return node
  const { $ref, ...others } = properties
  return { ...node, properties: others, patternProperties: { ...(patternProperties as object), '^\\$ref$': $ref } }
}

/** 2019-09 split this keyword into two. */
function splitDependencies({ dependencies, ...node }: Members): Members {
  if (!isObject(dependencies)) return node
  const rows = Object.entries(dependencies)
  const names = rows.filter(([, each]) => Array.isArray(each))
  const schemas = rows.filter(([, each]) => !Array.isArray(each))
  return {
    ...node,
    ...(names.length > 0 && {
      dependentRequired: { ...(node['dependentRequired'] as object), ...Object.fromEntries(names) },
    }),
    ...(schemas.length > 0 && {
      dependentSchemas: { ...(node['dependentSchemas'] as object), ...Object.fromEntries(schemas) },
    }),
  }
}

/** Removes values of an `enum` that another keyword refuses. If none is left, no value matches. */
function withTypedValues(node: Members): Members {
  const { type, enum: values, ...rest } = node
  if (type === undefined || !Array.isArray(values)) return node
  const types = [type].flat() as string[]
  const fitting = values.filter(value => types.some(each => isOfType(value, each)))
  if (fitting.length === values.length) return node
  return fitting.length > 0 ? { ...node, enum: fitting } : { ...rest, not: {} }
}

/** Declares each required property, with a schema that accepts everything. */
function withDeclared(node: Members, declared: readonly string[]): Members {
  const { required, properties = {}, patternProperties, additionalProperties = true } = node
  if (!Array.isArray(required) || patternProperties !== undefined || additionalProperties === false) return node
  const missing = required.filter(name => !declared.includes(name) && !Object.hasOwn(properties as object, name))
  if (missing.length === 0) return node
  const added = missing.map(name => [name, toObjectSchema(additionalProperties)])
  return { ...node, properties: { ...(properties as object), ...Object.fromEntries(added) } }
}
