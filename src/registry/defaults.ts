// Fills in what arguments leave out, by `default` of TypeBox and JSON Schema. A schema library does
// that itself. As in Fastify, alternatives (`anyOf`, `oneOf`, `if`) fill in nothing.
import { isObject } from '../protocol/messages.ts'
import { schemaMembers } from '../schema/bounds.ts'
import { someSchema } from '../schema/checkable.ts'
import { Patterns } from '../schema/patterns.ts'
import { compile, type Schema, type Validator } from '../schema/validator.ts'
import { copyJson } from './json-copy.ts'
import { createFollow } from './root-schema.ts'

/** Returns a copy with the defaults, or the value itself if nothing is missing. */
export type FillDefaults = <T>(value: T) => T

/** @returns undefined if the schema has no defaults */
export function createFillDefaults(root: Schema): FillDefaults | undefined {
  if (!someSchema(root, node => 'default' in node)) return undefined
  const filling = new Filling(root)
  return value => filling.run(value) as typeof value
}

export function withDefaults(validator: Validator, fill: FillDefaults | undefined): Validator {
  if (fill === undefined) return validator
  return {
    isValid: value => validator.isValid(fill(value)),
    issues: (value, limit) => validator.issues(fill(value), limit),
  }
}

type Members = Readonly<Record<string, unknown>>

class Filling {
  readonly #root: Schema
  readonly #follow: (schema: Schema) => unknown
  readonly #patterns = new Patterns()
  readonly #parts = new Map<Schema, ReadonlySet<Schema>>()
  /** The schemas whose defaults are being filled. */
  readonly #taken = new Set<Schema>()

  constructor(root: Schema) {
    this.#root = root
    this.#follow = createFollow(root)
  }

  run(value: unknown): unknown {
    this.#patterns.renew()
    return this.fill(this.#root, value)
  }

  fill(schema: unknown, value: unknown): unknown {
    if (!isObject(schema) || typeof value !== 'object' || value === null) return value
    let filled: unknown = value
    for (const part of this.#partsOf(schema)) filled = this.#fillOwn(part, filled as object)
    return filled
  }

  /** Kept, since each call asks for them. */
  #partsOf(schema: Schema): ReadonlySet<Schema> {
    const known = this.#parts.get(schema)
    if (known !== undefined) return known
    const parts = this.#collectParts(schema)
    this.#parts.set(schema, parts)
    return parts
  }

  /** What holds for one place: each part once, however often it is referred to. */
  #collectParts(schema: unknown, parts = new Set<Schema>()): ReadonlySet<Schema> {
    if (!isObject(schema) || parts.has(schema)) return parts
    parts.add(schema)
    const { allOf } = schema
    for (const part of [this.#follow(schema), ...(Array.isArray(allOf) ? allOf : [])]) this.#collectParts(part, parts)
    return parts
  }

  #fillOwn(schema: Schema, value: object): object {
    return Array.isArray(value)
      ? this.#fillItems(schema, value)
      : this.#fillOthers(schema, this.#fillProperties(schema, value as Members))
  }

  #fillByAll(schemas: readonly unknown[], value: unknown): unknown {
    return schemas.reduce((filled, each) => this.fill(each, filled), value)
  }

  #fillProperties({ properties }: Schema, value: Members): Members {
    if (!isObject(properties)) return value
    let filled: Record<string, unknown> | undefined
    for (const [name, schema] of Object.entries(properties)) {
      if (name === '__proto__') continue
      const complete = Object.hasOwn(value, name) ? this.fill(schema, value[name]) : this.#takeDefault(schema)
      if (complete !== undefined && complete !== value[name])
        filled = Object.assign(filled ?? { ...value }, { [name]: complete })
    }
    return filled ?? value
  }

  /** By the patterns of their names, or else as additional properties. */
  #fillOthers({ properties, patternProperties, additionalProperties }: Schema, value: Members): Members {
    const patterns = Object.entries(isObject(patternProperties) ? patternProperties : {})
    if (patterns.length === 0 && !isObject(additionalProperties)) return value
    const declared = isObject(properties) ? properties : {}
    let filled: Record<string, unknown> | undefined
    for (const [name, member] of Object.entries(value)) {
      const byPattern = patterns
        .filter(([pattern]) => this.#patterns.compile(pattern).test(name))
        .map(([, each]) => each)
      const isAdditional = byPattern.length === 0 && !Object.hasOwn(declared, name)
      const complete = this.#fillByAll(isAdditional ? [additionalProperties] : byPattern, member)
      if (complete !== member) filled = Object.assign(filled ?? { ...value }, { [name]: complete })
    }
    return filled ?? value
  }

  #fillItems({ prefixItems, items, additionalItems }: Schema, value: readonly unknown[]): readonly unknown[] {
    // In draft-07, a list of schemas stands under `items`.
    const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
    const rest = Array.isArray(items) ? additionalItems : items
    const filled = value.map((item, index) => this.fill(index < first.length ? first[index] : rest, item))
    return filled.some((item, index) => item !== value[index]) ? filled : value
  }

  /** @returns the default, filled; undefined also for one that is being filled, in which this one is */
  #takeDefault(schema: unknown): unknown {
    const source = this.#findDefault(schema)
    if (source === undefined || this.#taken.has(source)) return undefined
    this.#taken.add(source)
    try {
      return this.fill(schema, copyJson(source['default']))
    } finally {
      this.#taken.delete(source)
    }
  }

  #findDefault(schema: unknown): Schema | undefined {
    for (let next = schema; isObject(next); next = this.#follow(next)) if ('default' in next) return next
    return undefined
  }
}

/** Defaults that their own schema refuses. */
export function findUnfitDefaults(root: Schema): readonly string[] {
  const unfit: string[] = []
  const filling = new Filling(root)
  const visit = (node: unknown, path: string, isMap: boolean): void => {
    if (typeof node !== 'object' || node === null) return
    if (!isMap && isObject(node) && 'default' in node) {
      const fault = findFault(root, node, filling.fill(node, node['default']))
      if (fault !== undefined) unfit.push(`default of ${path === '' ? '(root)' : path} ${fault}`)
    }
    for (const { key, value, isMap: isMapToo } of schemaMembers(node, isMap)) {
      const isNamed = isMap || Array.isArray(node)
      visit(value, isNamed || key === 'items' ? [path, key].filter(Boolean).join('.') : path, isMapToo)
    }
  }
  visit(root, '', false)
  return unfit
}

/** @returns undefined if the value fits, or if the schema means nothing on its own */
function findFault(root: Schema, schema: Schema, value: unknown): string | undefined {
  const { $schema, $defs, definitions } = root
  const whole = { ...($schema !== undefined && { $schema }), ...schema, ...($defs !== undefined && { $defs }) }
  try {
    const [issue] = compile(definitions === undefined ? whole : { ...whole, definitions }).issues(value, 1)
    return issue && `${issue.path === '(root)' ? '' : `${issue.path} `}${issue.expected}`
  } catch {
    return undefined
  }
}
