// Reads the schemas for one part of a value before there is a value: its types, its fixed values and
// the schemas of its own parts. Follows references, unions, conditions and patterns of names. Texts
// beside the part narrow a union, such as `kind=circle`.
import { isPlain } from './plain-pattern.ts'
import {
  findByPattern,
  findLiterals,
  findMember,
  followReference,
  getElements,
  getProperties,
  getTypeOf,
  includesType,
  isNode,
  listBranches,
  listTypes,
  mayMatch,
  type Node,
} from './reader.ts'
import { formatType } from './signature.ts'

/** @returns the text of another field; undefined if there is none */
export type FindText = (name: string) => string | undefined

const UNIONS = ['anyOf', 'oneOf'] as const
/** Maximum number of schemas for one part. */
export const MAX_SCHEMAS = 200

export class PartSchema {
  readonly #root: unknown
  readonly #start: readonly unknown[]
  /** All schemas that may apply to the part. */
  readonly #schemas: readonly Node[]
  /** Computed once, because each text of a form needs them. */
  #types: { readonly found: ReadonlySet<string> | undefined } | undefined

  private constructor(root: unknown, start: readonly unknown[], schemas: readonly Node[]) {
    this.#root = root
    this.#start = start
    this.#schemas = schemas
  }

  /** @param root where references start */
  static create(root: unknown, ...start: readonly unknown[]): PartSchema {
    return new PartSchema(root, start, collect(root, start))
  }

  /**
   * Undefined if it accepts any type. Without `type`, members mean an object, and items mean a list.
   */
  get types(): ReadonlySet<string> | undefined {
    this.#types ??= { found: this.#findTypes() }
    return this.#types.found
  }

  /** The types that the schema names, by `type`, `enum` and `const`. */
  get statedTypes(): ReadonlySet<string> | undefined {
    const budget = { left: MAX_SCHEMAS }
    return intersect(this.#start.map(each => findTypes(each, this, budget)))
  }

  #findTypes(): ReadonlySet<string> | undefined {
    const types = this.statedTypes
    if (types !== undefined) return types
    const hints = [
      ...(this.#schemas.some(({ properties }) => isNode(properties)) ? ['object'] : []),
      ...(this.#schemas.some(({ items, prefixItems }) => (items ?? prefixItems) !== undefined) ? ['array'] : []),
    ]
    return hints.length === 0 ? undefined : new Set(hints)
  }

  /** The values of `enum` and `const`. */
  get literals(): readonly unknown[] {
    return this.#schemas.flatMap(schema => findLiterals(schema) ?? [])
  }

  /** Whether it accepts the bytes of a file as Base64. */
  get takesBase64(): boolean {
    return this.#note('contentEncoding') === 'base64' || ['byte', 'binary'].includes(this.#note('format') ?? '')
  }

  /** The first text under this keyword. */
  #note(keyword: string): string | undefined {
    return this.#schemas.map(each => each[keyword]).find(each => typeof each === 'string')
  }

  /** As a TypeScript-like type, on one line. */
  format(): string {
    const { $defs, definitions } = isNode(this.#root) ? this.#root : {}
    const [only = {}, ...others] = this.#start
    const schema = others.length === 0 ? only : { allOf: this.#start }
    return formatType(isNode(schema) ? { $defs, definitions, ...schema } : schema)
  }

  /** Whether the schema names lists among its types. */
  get namesList(): boolean {
    return this.types?.has('array') === true
  }

  takes(type: string): boolean {
    const { types } = this
    return types === undefined || includesType(types, type)
  }

  follow(schema: Node): Node | undefined {
    return followReference(schema, this.#root)
  }

  includes(schema: Node): boolean {
    return this.#schemas.includes(schema)
  }

  get hasProperties(): boolean {
    return this.#schemas.some(schema => Object.keys(getProperties(schema)).length > 0)
  }

  /** All possible members: the declared ones, and those with other names. */
  get members(): readonly PartSchema[] {
    const schemas = this.#schemas.flatMap(schema => [
      ...Object.values(getProperties(schema)),
      ...findByPattern(schema, '', () => true),
      ...[schema['additionalProperties']].filter(isNode),
    ])
    return schemas.map(each => PartSchema.create(this.#root, each))
  }

  hasProperty(name: string): boolean {
    return this.#schemas.some(schema => Object.hasOwn(getProperties(schema), name))
  }

  property(name: string): PartSchema {
    const found = this.#schemas.flatMap(schema => findMember(schema, name, mayMatchInTime))
    return PartSchema.create(this.#root, ...found.filter(each => each !== undefined))
  }

  /** A property, or an element of a list by its number. */
  member(name: string): PartSchema {
    const isElement = /^\d{1,9}$/.test(name) && this.namesList && !this.hasProperty(name)
    return isElement ? this.item(Number(name)) : this.property(name)
  }

  item(index: number): PartSchema {
    const found = this.#schemas.map(schema => {
      const { first, rest } = getElements(schema)
      return first[index] ?? rest
    })
    return PartSchema.create(this.#root, ...found)
  }

  /** The same without branches that fields of the part exclude. */
  narrow(findText: FindText): PartSchema {
    // Once for all branches of a large union.
    const chosen = new Map<string, string | undefined>()
    const findChosen = (name: string) => {
      if (!chosen.has(name)) chosen.set(name, this.#findChosen(name, findText))
      return chosen.get(name)
    }
    const isLeft = (schema: Node) => this.#fits(schema, findChosen)
    return new PartSchema(this.#root, this.#start, collect(this.#root, this.#start, { isLeft, findText }))
  }

  /** A field chooses a branch only by a value that a schema of the part has. */
  #findChosen(name: string, findText: FindText): string | undefined {
    const text = findText(name)
    return text !== undefined && hasLiteral(this.property(name), text) ? text : undefined
  }

  #fits(schema: Node, findChosen: FindText): boolean {
    return Object.entries(getProperties(schema)).every(([name, property]) => {
      const text = findChosen(name)
      if (text === undefined) return true
      const own = PartSchema.create(this.#root, property)
      return own.literals.length === 0 || hasLiteral(own, text)
    })
  }
}

/** A fixed value as a field writes it: a text as it is, another value as JSON. */
export const toLiteralText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const hasLiteral = ({ literals }: PartSchema, text: string) => literals.some(each => toLiteralText(each) === text)

/** A slow pattern is not run; its schema may apply. */
const mayMatchInTime = (pattern: string, name: string) => !isPlain(pattern) || mayMatch(pattern, name)

interface Narrowing {
  readonly isLeft: (schema: Node) => boolean
  readonly findText: FindText
}

const WIDE: Narrowing = { isLeft: () => true, findText: () => undefined }

function collect(root: unknown, start: readonly unknown[], { isLeft, findText }: Narrowing = WIDE): Node[] {
  const found = new Set<Node>()
  const open = [...start]
  while (open.length > 0 && found.size < MAX_SCHEMAS) {
    const schema = open.shift()
    if (!isNode(schema) || found.has(schema) || !isLeft(schema)) continue
    found.add(schema)
    open.push(...listBelow(schema, root, findText))
  }
  return [...found]
}

function listBelow(schema: Node, root: unknown, findText: FindText): readonly unknown[] {
  const { dependentSchemas } = schema
  return [
    ...([...UNIONS, 'allOf'] as const).flatMap(keyword => listBranches(schema, keyword)),
    ...listConditional(schema, root, findText),
    ...(isNode(dependentSchemas) ? Object.values(dependentSchemas) : []),
    followReference(schema, root),
  ]
}

function listConditional({ if: condition, then: yes, else: no }: Node, root: unknown, findText: FindText): unknown[] {
  if (condition === undefined) return []
  const holds = decide(condition, root, findText)
  return [...(holds === false ? [] : [yes]), ...(holds === true ? [] : [no])]
}

/** @returns undefined if the texts alone do not decide a condition */
function decide(condition: unknown, root: unknown, findText: FindText): boolean | undefined {
  const verdicts = collect(root, [condition]).flatMap(schema =>
    Object.entries(getProperties(schema)).map(([name, schema]) => {
      const text = findText(name)
      const part = PartSchema.create(root, schema)
      return text === undefined || part.literals.length === 0 ? undefined : hasLiteral(part, text)
    }),
  )
  if (verdicts.includes(false)) return false
  return verdicts.length === 0 || verdicts.includes(undefined) ? undefined : true
}

interface Budget {
  left: number
}

/** @returns undefined if the schema takes any type, or leads too far */
function findTypes(schema: unknown, part: PartSchema, budget: Budget): ReadonlySet<string> | undefined {
  if (!isNode(schema) || !part.includes(schema) || budget.left-- <= 0) return undefined
  const find = (each: unknown) => findTypes(each, part, budget)
  const unions = UNIONS.flatMap(keyword => {
    const branches = schema[keyword]
    return Array.isArray(branches)
      ? [unite(branches.filter(each => isNode(each) && part.includes(each)).map(find))]
      : []
  })
  return intersect([
    findOwnTypes(schema),
    ...unions,
    ...listBranches(schema, 'allOf').map(find),
    ...(typeof schema['$ref'] === 'string' ? [find(part.follow(schema))] : []),
  ])
}

function findOwnTypes(schema: Node): ReadonlySet<string> | undefined {
  if (schema['type'] !== undefined) return new Set(listTypes(schema))
  const literals = findLiterals(schema)
  return literals && new Set(literals.map(getTypeOf))
}

const unite = (all: readonly (ReadonlySet<string> | undefined)[]): ReadonlySet<string> | undefined =>
  all.length === 0 || all.includes(undefined) ? undefined : new Set(all.flatMap(each => [...each!]))

function intersect(all: readonly (ReadonlySet<string> | undefined)[]): ReadonlySet<string> | undefined {
  const [first, ...others] = all.filter(each => each !== undefined)
  return others.reduce<ReadonlySet<string> | undefined>((left, each) => left && intersectTwo(left, each), first)
}

function intersectTwo(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  const within = (types: ReadonlySet<string>) => (type: string) => includesType(types, type)
  return new Set([...[...one].filter(within(other)), ...[...other].filter(within(one))])
}
