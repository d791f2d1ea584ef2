// What a schema says of one field of a form: the types that it takes, and the schemas of its parts.
import { isObject } from '../protocol/messages.ts'
import type { Schema } from '../schema/validator.ts'
import { followReference } from '../signature.ts'

const UNIONS = ['anyOf', 'oneOf', 'allOf'] as const
const BRANCHES = ['then', 'else'] as const
/** Schemas that one field may lead to by references and unions. */
export const MAX_SCHEMAS = 100

export class FieldSchema {
  readonly #root: unknown
  /** All that may apply to the field. */
  readonly #schemas: readonly Schema[]

  private constructor(root: unknown, schemas: readonly Schema[]) {
    this.#root = root
    this.#schemas = schemas
  }

  /** @param root where references begin */
  static create(root: unknown, ...schemas: readonly unknown[]): FieldSchema {
    return new FieldSchema(root, collect(root, schemas))
  }

  /** Undefined if it takes any. */
  get types(): ReadonlySet<string> | undefined {
    const typed = this.#schemas.flatMap(({ type }) => (type === undefined ? [] : type))
    if (typed.length > 0) return new Set(typed as string[])
    const values = this.values
    return values.length === 0 ? undefined : new Set(values.map(getType))
  }

  /** Those of `enum` and `const`. */
  get values(): readonly unknown[] {
    return this.#schemas.flatMap(schema => [
      ...(Array.isArray(schema['enum']) ? schema['enum'] : []),
      ...('const' in schema ? [schema['const']] : []),
    ])
  }

  hasProperty(name: string): boolean {
    return this.#schemas.some(({ properties }) => isObject(properties) && Object.hasOwn(properties, name))
  }

  property(name: string): FieldSchema {
    const found = this.#schemas.flatMap(({ properties, additionalProperties }) => {
      if (isObject(properties) && Object.hasOwn(properties, name)) return [properties[name]]
      return isObject(additionalProperties) ? [additionalProperties] : []
    })
    return FieldSchema.create(this.#root, ...found)
  }

  /**
   * The same without the branches of a union that another field rules out, such as `kind=circle`.
   *
   * @param findText of a field beside this one's properties
   */
  narrow(findText: (name: string) => string | undefined): FieldSchema {
    const fits = ([name, property]: [string, unknown]): boolean => {
      const text = findText(name)
      if (text === undefined || !this.property(name).#hasValue(text)) return true
      const field = FieldSchema.create(this.#root, property)
      return field.values.length === 0 || field.#hasValue(text)
    }
    const isLeft = ({ properties }: Schema) => !isObject(properties) || Object.entries(properties).every(fits)
    return new FieldSchema(this.#root, this.#schemas.filter(isLeft))
  }

  #hasValue(text: string): boolean {
    return this.values.some(value => String(value) === text)
  }

  item(index: number): FieldSchema {
    const found = this.#schemas.map(({ prefixItems, items, additionalItems }) => {
      const tuple = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : []
      return tuple[index] ?? (Array.isArray(items) ? additionalItems : items)
    })
    return FieldSchema.create(this.#root, ...found)
  }
}

function collect(root: unknown, start: readonly unknown[]): Schema[] {
  const found = new Set<Schema>()
  const open = [...start]
  while (open.length > 0 && found.size < MAX_SCHEMAS) {
    const schema = open.shift()
    if (!isObject(schema) || found.has(schema)) continue
    found.add(schema)
    for (const keyword of UNIONS) if (Array.isArray(schema[keyword])) open.push(...schema[keyword])
    for (const keyword of BRANCHES) open.push(schema[keyword])
    if (isObject(root)) open.push(followReference(schema, root))
  }
  return [...found]
}

function getType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
