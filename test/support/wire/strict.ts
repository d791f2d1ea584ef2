// The official schema of a revision, closed: a member that it does not name is a fault. So a message is found out that
// carries something of a newer revision, which the schema itself would let pass as an additional member.
import { Ajv, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { type Definition, type OfficialSchema, officialSchema } from './official-schema.ts'

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

const EMBEDDED = { title: { type: 'string' }, annotations: { type: 'object' } }

/** What the pages of some revisions show, and their schemas do not name. */
const SHOWN: readonly { in: string; from: string; to: string; members: Record<string, Definition> }[] = [
  { in: 'TextResourceContents', from: '2025-06-18', to: '2026-07-28', members: EMBEDDED },
  { in: 'BlobResourceContents', from: '2025-06-18', to: '2026-07-28', members: EMBEDDED },
  // SEP-2133, "Negotiation", shows it in a handshake of 2025-06-18.
  {
    in: 'ServerCapabilities',
    from: '2024-10-07',
    to: '2025-11-25',
    members: { extensions: { type: 'object', additionalProperties: { type: 'object' } } },
  },
  { in: 'StringSchema', from: '2025-11-25', to: '2025-11-25', members: { pattern: { type: 'string' } } },
]

/** Whether nothing stands beside a result but what belongs there; the result is checked by its own definition. */
export const isEnvelope = ({ jsonrpc, id: _id, result: _result, ...others }: Json): boolean =>
  jsonrpc === '2.0' && Object.keys(others).length === 0

function make(version: string): Strict {
  const { name, definitions } = officialSchema(version)
  const options = { strict: false, allErrors: true }
  const ajv = name === '$defs' ? new Ajv2020(options) : new Ajv(options)
  formats.default(ajv)
  const whole = Object.fromEntries(
    Object.entries(definitions).map(([each, definition]) => [each, joined(definition, definitions)]),
  )
  for (const { in: definition, from, to, members } of SHOWN) {
    const { properties, ...rest } = whole[definition] ?? {}
    if (from <= version && version <= to) whole[definition] = { ...rest, properties: { ...properties, ...members } }
  }
  ajv.addSchema({ [name]: closeMembers(whole) }, 'closed')

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

/** What is several definitions at once, as one: closed, each of them would refuse the members of the others. */
function joined(definition: Definition, definitions: OfficialSchema['definitions']): Definition {
  const { allOf, ...rest } = definition
  if (allOf === undefined) return definition
  const parts = allOf.map(({ $ref = '' }) => definitions[$ref.split('/').at(-1)!]!)
  return {
    ...rest,
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
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
