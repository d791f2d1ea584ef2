// Adds the `default` of each missing member, as the server and the console do before they check
// arguments. As in Fastify, alternatives (`anyOf`, `oneOf`, `if`) add nothing.
import { findByPattern, followReference, getElements, getProperties, isNode, listParts, type Node } from './reader.ts'

interface FillingOptions {
  /** Whether a name matches a pattern of `patternProperties`. */
  readonly matches: (pattern: string, name: string) => boolean
  /** Copies a default; without it, values share the same object. */
  readonly copy?: (value: unknown) => unknown
}

export class Filling {
  readonly #root: unknown
  readonly #options: FillingOptions
  readonly #parts = new Map<Node, ReadonlySet<Node>>()
  /** The schemas whose defaults are being filled in. A schema within itself would never end. */
  readonly #taken = new Set<Node>()

  constructor(root: unknown, options: FillingOptions) {
    this.#root = root
    this.#options = options
  }

  /** @returns the value itself if nothing is missing */
  fill(schema: unknown, value: unknown): unknown {
    if (!isNode(schema) || typeof value !== 'object' || value === null) return value
    let filled: object = value
    for (const part of this.#partsOf(schema))
      filled = Array.isArray(filled)
        ? this.#fillItems(part, filled)
        : this.#fillOthers(part, this.#fillProperties(part, filled as Node))
    return filled
  }

  /** Kept, because each call needs them. */
  #partsOf(schema: Node): ReadonlySet<Node> {
    let parts = this.#parts.get(schema)
    if (parts === undefined) this.#parts.set(schema, (parts = listParts(schema, this.#root)))
    return parts
  }

  #fillProperties(schema: Node, value: Node): Node {
    let filled: Record<string, unknown> | undefined
    for (const [name, member] of Object.entries(getProperties(schema))) {
      if (name === '__proto__') continue
      const complete = Object.hasOwn(value, name) ? this.fill(member, value[name]) : this.#takeDefault(member)
      if (complete !== undefined && complete !== value[name])
        filled = Object.assign(filled ?? { ...value }, { [name]: complete })
    }
    return filled ?? value
  }

  /** Fills other members by the patterns of their names, or as additional properties. */
  #fillOthers(schema: Node, value: Node): Node {
    const { patternProperties, additionalProperties } = schema
    if (!isNode(patternProperties) && !isNode(additionalProperties)) return value
    const declared = getProperties(schema)
    let filled: Record<string, unknown> | undefined
    for (const [name, member] of Object.entries(value)) {
      const byPattern = findByPattern(schema, name, this.#options.matches)
      const isAdditional = byPattern.length === 0 && !Object.hasOwn(declared, name)
      const complete = (isAdditional ? [additionalProperties] : byPattern).reduce(
        (whole, each) => this.fill(each, whole),
        member,
      )
      if (complete !== member) filled = Object.assign(filled ?? { ...value }, { [name]: complete })
    }
    return filled ?? value
  }

  #fillItems(schema: Node, value: readonly unknown[]): readonly unknown[] {
    const { first, rest } = getElements(schema)
    const filled = value.map((item, index) => this.fill(index < first.length ? first[index] : rest, item))
    return filled.some((item, index) => item !== value[index]) ? filled : value
  }

  /** @returns the filled default; undefined also if this one is already being filled in */
  #takeDefault(schema: unknown): unknown {
    const source = this.#findDefault(schema)
    if (source === undefined || this.#taken.has(source)) return undefined
    this.#taken.add(source)
    try {
      const { copy = value => value } = this.#options
      return this.fill(schema, copy(source['default']))
    } finally {
      this.#taken.delete(source)
    }
  }

  #findDefault(schema: unknown): Node | undefined {
    const seen = new Set<unknown>()
    for (let next = schema; isNode(next) && !seen.has(next); next = followReference(next, this.#root)) {
      if (Object.hasOwn(next, 'default')) return next
      seen.add(next)
    }
    return undefined
  }
}
