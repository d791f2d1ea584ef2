// Random JSON Schemas, and values that they tell apart. A seed gives the same ones in each run.

type Schema = Record<string, unknown> | boolean

const TEXTS = ['a', 'b', 'ab', 'a1', 'x@example.com', '2026-01-31', '']
const SCALARS = [...TEXTS, 0, 1, 2, true, null]
const NAMES = ['a', 'b', 'ab']
const PATTERNS = ['^a', 'b$', '\\d', '^[ab]$']
const MAX_DEPTH = 3

export class RandomJson {
  #state: number
  /** The definitions that a schema may refer to; later ones refer to none. */
  #definitions: readonly string[] = []

  constructor(seed: number) {
    this.#state = seed
  }

  /** Of dialect 2020-12; references lead to no loops. */
  schema(): Record<string, unknown> {
    const $defs: Record<string, Schema> = {}
    for (const name of ['x', 'y', 'z']) {
      $defs[name] = this.#schema(1)
      this.#definitions = Object.keys($defs)
    }
    const schema = { ...this.#object(0), $defs }
    this.#definitions = []
    return schema
  }

  values(count: number): unknown[] {
    return Array.from({ length: count }, () => this.#value(0))
  }

  // https://en.wikipedia.org/wiki/Linear_congruential_generator, with the numbers of glibc.
  #below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (this.#state >>> 8) % limit
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)]!
  }

  #value(depth: number): unknown {
    const kind = depth < 2 ? this.#below(3) : 0
    if (kind === 0) return this.#pick(SCALARS)
    const length = this.#below(4)
    if (kind === 1) return Array.from({ length }, () => this.#value(depth + 1))
    return Object.fromEntries(Array.from({ length }, () => [this.#pick(NAMES), this.#value(depth + 1)]))
  }

  #schema(depth: number): Schema {
    return this.#below(12) === 0 ? this.#below(2) === 0 : this.#object(depth)
  }

  /** One group of keywords, or two. */
  #object(depth: number): Record<string, unknown> {
    const first = this.#keywords(depth)
    return this.#below(3) === 0 ? { ...this.#keywords(depth), ...first } : first
  }

  #keywords(depth: number): Record<string, unknown> {
    const groups = [() => this.#scalar(), () => this.#text(), () => this.#reference()]
    if (depth < MAX_DEPTH)
      groups.push(
        () => this.#union(depth + 1),
        () => this.#condition(depth + 1),
        () => ({ not: this.#schema(depth + 1) }),
        () => this.#members(depth + 1),
        () => this.#items(depth + 1),
      )
    return this.#pick(groups)()
  }

  #scalar(): Record<string, unknown> {
    const type = this.#pick(['string', 'number', 'object', 'array'])
    return this.#pick<Record<string, unknown>>([{ type }, { const: this.#pick(SCALARS) }, { enum: [...TEXTS] }])
  }

  #text(): Record<string, unknown> {
    return this.#pick<Record<string, unknown>>([
      { pattern: this.#pick(PATTERNS) },
      { format: this.#pick(['email', 'date']) },
      { type: 'string', pattern: this.#pick(PATTERNS) },
      { [this.#pick(['minLength', 'maxLength'])]: this.#below(3) },
    ])
  }

  #reference(): Record<string, unknown> {
    return this.#definitions.length === 0 ? this.#text() : { $ref: `#/$defs/${this.#pick(this.#definitions)}` }
  }

  #union(depth: number): Record<string, unknown> {
    return { [this.#pick(['allOf', 'anyOf', 'oneOf', 'oneOf'])]: [this.#schema(depth), this.#schema(depth)] }
  }

  #condition(depth: number): Record<string, unknown> {
    const branches = { if: this.#schema(depth), [this.#pick(['then', 'else'])]: this.#schema(depth) }
    return this.#below(2) === 0 ? branches : { ...branches, unevaluatedProperties: false }
  }

  #members(depth: number): Record<string, unknown> {
    return {
      properties: { [this.#pick(NAMES)]: this.#schema(depth), [this.#pick(NAMES)]: this.#schema(depth) },
      ...this.#pick<Record<string, unknown>>([
        {},
        { patternProperties: { [this.#pick(PATTERNS)]: this.#schema(depth) } },
        { required: [this.#pick(NAMES)] },
        { propertyNames: this.#schema(depth) },
        { dependentSchemas: { [this.#pick(NAMES)]: this.#schema(depth) } },
      ]),
      ...this.#pick<Record<string, unknown>>([
        {},
        { additionalProperties: this.#schema(depth) },
        { unevaluatedProperties: this.#pick([false, this.#schema(depth)]), ...this.#union(depth) },
      ]),
    }
  }

  #items(depth: number): Record<string, unknown> {
    return this.#pick<Record<string, unknown>>([
      { items: this.#schema(depth) },
      { prefixItems: [this.#schema(depth)], items: this.#schema(depth) },
      { prefixItems: [this.#schema(depth), true], items: false },
      { contains: this.#schema(depth), maxContains: 1 },
      { contains: this.#schema(depth), minContains: 0, maxContains: 1 },
      { contains: this.#schema(depth), minContains: 2, unevaluatedItems: false },
    ])
  }
}
