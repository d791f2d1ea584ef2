// Finds the library of a schema. Also finds objects of schemas that lack the object of the library
// around them.

import { JSON_OBJECT } from 'toolrack/definitions'
import { isObject } from 'toolrack/protocol'
import { findStandardSchema } from './standard-schema.ts'
import { isTypeBox } from './typebox.ts'
import { isZod3, ZOD_3 } from './zod.ts'

/** How each library makes an object, by vendor. */
const OBJECTS: Readonly<Record<string, string>> = {
  zod: 'z.object({ … })',
  valibot: 'toStandardJsonSchema(v.object({ … }))',
  arktype: 'type({ … })',
  TypeBox: 'Type.Object({ … })',
}

/** How the library of a schema writes an object; undefined for JSON Schema. */
export function findObject(schema: unknown): string | undefined {
  const vendor = findVendor(schema)
  return vendor === undefined ? undefined : (OBJECTS[vendor] ?? 'an object')
}

/** The library of a schema; undefined for JSON Schema. */
function findVendor(value: unknown): string | undefined {
  if (isPlainWithCheck(value)) return undefined
  return findStandardSchema(value)?.['~standard'].vendor ?? (isTypeBox(value) ? 'TypeBox' : undefined)
}

// `z.toJSONSchema` makes JSON Schema that also has the library's check. Schemas of libraries are
// instances of classes, or have an enumerable `~standard`.
export const isPlainWithCheck = (schema: unknown): boolean =>
  isObject(schema) &&
  Object.getPrototypeOf(schema) === Object.prototype &&
  Object.getOwnPropertyDescriptor(schema, '~standard')?.enumerable === false

/**
 * Explains an object whose members are schemas, as in the official SDK 1.x.
 *
 * @returns undefined if the object is a schema itself
 */
export function findWrapper(schema: object): string | undefined {
  const members = Object.entries(schema)
  // Zod before 3.24 had no `~standard`.
  if (isZod3(schema) || members.some(([, each]) => isZod3(each))) return `is not a schema of Zod 4; ${ZOD_3}`
  const vendor = members.map(([, each]) => findVendor(each)).find(each => each !== undefined)
  if (vendor !== undefined && members.every(([, each]) => findVendor(each) === vendor)) {
    const object = OBJECTS[vendor]
    return `is an object of ${vendor} schemas; wrap it${object === undefined ? '' : `: ${object}`}`
  }
  const isRawShape = members.length > 0 && members.every(([, each]) => isSchemaLike(each))
  const { properties } = schema as { properties?: unknown }
  const mixed = isRawShape ? findForeign(members, '') : findForeign(Object.entries(Object(properties)), 'properties.')
  if (mixed !== undefined) return mixed
  return isRawShape ? `is an object of schemas; wrap it: ${JSON_OBJECT}` : undefined
}

const isSchemaLike = (value: unknown) =>
  findVendor(value) !== undefined || (isObject(value) && typeof value['type'] === 'string')

/** A schema of another library within JSON Schema. Nobody would check it. */
function findForeign(members: readonly [string, unknown][], path: string): string | undefined {
  const foreign = members.find(([, each]) => findVendor(each) !== undefined && !isTypeBox(each))
  if (foreign === undefined) return undefined
  const vendor = findVendor(foreign[1])!
  return `mixes JSON Schema and ${vendor}: ${path}${foreign[0]}; use ${OBJECTS[vendor] ?? vendor} for the whole`
}
