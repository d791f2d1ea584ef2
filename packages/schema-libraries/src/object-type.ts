// Adds the type at the root of a schema, where clients look for it. A library may write the type
// behind a reference or in a union.

import { PartSchema } from '@toolrack/json-schema/part-schema'
import type { Schema } from '@toolrack/json-schema/validator'
import { isObject } from 'toolrack/protocol'

/** Adds the type that the specification requires, if the schema accepts objects only. */
export function withObjectType(schema: Schema): Schema {
  const inlined = inlineRoot(schema)
  return inlined['type'] === undefined && takesObjects(inlined) ? { type: 'object', ...inlined } : inlined
}

/** Resolves `{ $ref: '#/$defs/Order', $defs }`, as libraries write a schema with a name. */
function inlineRoot(schema: Schema): Schema {
  const { $ref, $defs, ...others } = schema
  const name = /^#\/\$defs\/([^/~%]+)$/.exec(String($ref))?.[1]
  if (name === undefined || !isObject($defs) || Object.keys(others).length > 0) return schema
  const { [name]: root, ...rest } = $defs
  if (!isObject(root)) return schema
  const isRecursive = JSON.stringify($defs).includes(`"$ref":${JSON.stringify($ref)}`)
  const kept = isRecursive ? $defs : rest
  return Object.keys(kept).length === 0 ? root : { ...root, $defs: kept }
}

function takesObjects(root: Schema): boolean {
  const { statedTypes } = PartSchema.create(root, root)
  return statedTypes?.size === 1 && statedTypes.has('object')
}
