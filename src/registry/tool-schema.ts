// The schemas of a definition: plain JSON, which TypeBox's are too. What else validates is not read as JSON Schema, where
// it would let everything pass, but refused with the way out.
import type { Schema } from '../validator.ts'
import { RegistrationError } from './definition.ts'
import { JsonCopier } from './plain-json.ts'

const MAX_SCHEMA_BYTES = 1024 * 1024

/** How the libraries that people use say the same as JSON Schema; the names are those of Standard Schema's `vendor`. */
const CONVERSIONS: Readonly<Record<string, string>> = {
  zod: 'z.toJSONSchema(schema)',
  valibot: 'toJsonSchema(schema) of @valibot/to-json-schema',
  arktype: 'schema.toJsonSchema()',
}

/**
 * A copy of a schema, so that a tool which changes its own changes nothing here. TypeBox's symbols fall away.
 *
 * @throws RegistrationError for what is not plain JSON, such as a schema of Zod
 */
export function copySchema(name: unknown, field: string, schema: unknown): Schema {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    const found = vendorOf(schema) ?? (schema === null ? 'null' : Array.isArray(schema) ? 'an array' : typeof schema)
    throw refusal(name, field, `must be a schema as a JSON object, not ${found}`, schema)
  }
  try {
    return new JsonCopier({ maxBytes: MAX_SCHEMA_BYTES, tally: undefined }).copy(schema) as Schema
  } catch (cause) {
    const vendor = vendorOf(schema)
    const text = vendor === undefined ? `is not plain JSON: ${(cause as Error).message}` : `is a schema of ${vendor}`
    throw refusal(name, field, text, schema, cause)
  }
}

function refusal(name: unknown, field: string, text: string, schema: unknown, cause?: unknown): RegistrationError {
  const conversion = CONVERSIONS[vendorOf(schema) ?? vendorWithin(schema) ?? '']
  const way = `give TypeBox, as Type.Object({ … }), or JSON Schema${conversion ? `, as ${conversion}` : ''}`
  return new RegistrationError('tool', name, `${field} ${text}; ${way}`, { cause })
}

/** https://standardschema.dev */
function vendorOf(value: unknown): string | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  const standard = (value as { '~standard'?: { vendor?: unknown } })['~standard']
  return typeof standard?.vendor === 'string' ? standard.vendor : undefined
}

// The official SDK takes an object whose members are schemas of Zod.
function vendorWithin(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  return Object.values(schema).map(vendorOf).find(Boolean)
}
