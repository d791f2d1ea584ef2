// One schema in words that linters and generators take; what it takes stays the same.

import { isOfType } from '@toolrack/json-schema/reader'
import { isObject } from 'toolrack/protocol'
import { toSafeMarkdown } from './openapi-markdown.ts'

type Members = Record<string, unknown>

/** `true` and `false` as objects: OpenAPI takes the words at some keywords only. */
export const toObjectSchema = (schema: unknown): unknown =>
  schema === true ? {} : schema === false ? { not: {} } : schema

/** @param declared properties that schemas around this one declare for the same value */
export function normaliseNode(node: Members, declared: readonly string[]): Members {
  const { description } = node
  const described = typeof description === 'string' ? { ...node, description: toSafeMarkdown(description) } : node
  return withDeclared(withTypedValues(withItems(withoutReferenceName(splitDependencies(described)))), declared)
}

/** Validators ask each list what its elements are. */
function withItems(node: Members): Members {
  const { type, items, unevaluatedItems } = node
  const isBare = type === 'array' && items === undefined && unevaluatedItems === undefined
  return isBare ? { ...node, items: {} } : node
}

/** A property that is called `$ref` looks like a reference. */
function withoutReferenceName(node: Members): Members {
  const { properties, patternProperties } = node
  if (!isObject(properties) || !Object.hasOwn(properties, '$ref')) return node
  const { $ref, ...others } = properties
  return { ...node, properties: others, patternProperties: { ...(patternProperties as object), '^\\$ref$': $ref } }
}

/** 2019-09 has two keywords for what was one. */
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

/** Without values of an `enum` that another keyword rules out; with none left, nothing fits. */
function withTypedValues(node: Members): Members {
  const { type, enum: values, ...rest } = node
  if (type === undefined || !Array.isArray(values)) return node
  const types = [type].flat() as string[]
  const fitting = values.filter(value => types.some(each => isOfType(value, each)))
  if (fitting.length === values.length) return node
  return fitting.length > 0 ? { ...node, enum: fitting } : { ...rest, not: {} }
}

/** With each required property declared, as one that takes anything. */
function withDeclared(node: Members, declared: readonly string[]): Members {
  const { required, properties = {}, patternProperties, additionalProperties = true } = node
  if (!Array.isArray(required) || patternProperties !== undefined || additionalProperties === false) return node
  const missing = required.filter(name => !declared.includes(name) && !Object.hasOwn(properties as object, name))
  if (missing.length === 0) return node
  const added = missing.map(name => [name, toObjectSchema(additionalProperties)])
  return { ...node, properties: { ...(properties as object), ...Object.fromEntries(added) } }
}
