// The official schema of a revision, closed: a member that it does not name is a fault. So a message is found out that
// carries something of a newer revision, which the schema itself would let pass as an additional member.
import { Ajv, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { officialSchema } from '../../official-schema.ts'

type Json = Record<string, unknown>

/** @returns what is wrong, or nothing */
export type Strict = (definition: string, value: unknown) => string

/** Anyone's own words: JSON Schemas of tools, metadata, settings without a shape. */
const OPEN = /^(?:inputSchema|outputSchema|_meta|\w*MetaObject|metadata|experimental|data)$/

const made = new Map<string, Strict>()

export function strictOf(version: string): Strict {
  let strict = made.get(version)
  if (strict === undefined) made.set(version, (strict = make(version)))
  return strict
}

function make(version: string): Strict {
  const { name, definitions } = officialSchema(version)
  const options = { strict: false, allErrors: true }
  const ajv = name === '$defs' ? new Ajv2020(options) : new Ajv(options)
  formats.default(ajv)
  ajv.addSchema({ [name]: closeMembers(definitions) }, 'closed')

  return (definition, value) => {
    const validate = ajv.getSchema(`closed#/${name}/${definition}`) as ValidateFunction | undefined
    if (validate === undefined) return `${version} has no ${definition}`
    if (validate(value)) return ''
    const faults = validate.errors!.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${params['additionalProperty'] ?? ''}`,
    )
    return `not strictly a ${definition} of ${version}: ${faults.join('; ').slice(0, 1500)}`
  }
}

const closeMembers = (members: Json) =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, OPEN.test(name) ? member : close(member)]))

function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close)
  if (typeof schema !== 'object' || schema === null) return schema
  const { properties, additionalProperties, ...rest } = schema as Json
  const closed: Json = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, close(value)]))
  if (properties === undefined || Object.keys(properties as Json).length === 0)
    return {
      ...closed,
      ...(additionalProperties !== undefined && { additionalProperties: close(additionalProperties) }),
    }
  return { ...closed, properties: closeMembers(properties as Json), additionalProperties: false }
}
