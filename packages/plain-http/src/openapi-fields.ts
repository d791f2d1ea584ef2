// How to write arguments in forms and queries: lists as repeated fields, objects in brackets, deeper
// values as JSON, files as their bytes. OpenAPI 3.1, "Encoding Object" and "Style Values".

import { PartSchema } from '@toolrack/json-schema/part-schema'
import { listProperties, type Property } from '@toolrack/json-schema/reader'
import type { JsonObject } from 'toolrack'
import type { Components } from './openapi-schemas.ts'

const SCALARS = ['string', 'number', 'integer', 'boolean', 'null']

/** One argument, as a field of a form. */
interface Field extends Property {
  readonly kind: 'scalar' | 'text' | 'list' | 'object' | 'json'
  readonly isFile: boolean
}

export class Fields {
  readonly #all: readonly Field[]

  /** @param name of the schema of the arguments among the components */
  constructor(components: Components, name: string) {
    // References of components start at the document.
    const inputSchema = { ...components[name], components: { schemas: components } }
    const root = PartSchema.create(inputSchema, inputSchema)
    this.#all = listProperties(inputSchema).map(property => {
      const part = root.property(property.name)
      return { ...property, kind: toKind(part), isFile: part.takesBase64 || part.item(0).takesBase64 }
    })
  }

  get hasFiles(): boolean {
    return this.#all.some(({ isFile }) => isFile)
  }

  /** `encoding` of the fields that are not plain text. */
  get encoding(): JsonObject | undefined {
    const rows = this.#all.flatMap(({ name, kind, isFile }) => (isFile ? [] : toEncoding(name, kind)))
    return rows.length === 0 ? undefined : Object.fromEntries(rows)
  }

  /** Parameters of a query. */
  get parameters(): readonly JsonObject[] {
    return this.#all.map(({ name, schema, isRequired, kind }) => ({
      name,
      in: 'query',
      ...(isRequired && { required: true }),
      ...(kind === 'json'
        ? { content: { 'application/json': { schema } } }
        : { ...STYLES[kind], schema: kind === 'text' ? TEXT_OR_JSON : schema }),
    }))
  }

  /** The schema of a form with parts, in which files are bytes. */
  toParts(): JsonObject {
    const properties = this.#all.map(({ name, schema, isFile, kind }) => {
      if (!isFile) return [name, schema]
      return [name, kind === 'scalar' ? BYTES : { type: 'array', items: BYTES }]
    })
    const required = this.#all.filter(({ isRequired }) => isRequired).map(({ name }) => name)
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
    }
  }
}

const BYTES = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' }

const STYLES: Readonly<Record<Exclude<Field['kind'], 'json'>, JsonObject>> = {
  scalar: {},
  text: {},
  list: { style: 'form', explode: true },
  object: { style: 'deepObject', explode: true },
}

const TEXT_OR_JSON = { type: 'string', description: 'A text; an object or a list as JSON.' }

function toEncoding(name: string, kind: Field['kind']): [string, JsonObject][] {
  if (kind === 'scalar' || kind === 'text') return []
  return [[name, kind === 'json' ? { contentType: 'application/json' } : STYLES[kind]]]
}

function toKind(part: PartSchema): Field['kind'] {
  const { types } = part
  if (types === undefined || isScalar(part)) return 'scalar'
  if (!types.has('object') && isScalar(part.item(0))) return 'list'
  // As JSON, a text would be in quotes; here the quotes would be part of the text.
  if (types.has('string')) return 'text'
  const isObject = [...types].every(type => type === 'object' || type === 'null')
  // Members that the schema does not name may have any value.
  return isObject && part.members.length > 0 && part.members.every(isScalar) ? 'object' : 'json'
}

const isScalar = ({ types }: PartSchema) => types !== undefined && [...types].every(type => SCALARS.includes(type))
