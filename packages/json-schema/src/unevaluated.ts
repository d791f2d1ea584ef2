// `unevaluatedProperties` and `unevaluatedItems`. Ajv counts items that `contains` matched as
// unevaluated and properties of a failed `if` as evaluated, so this walks schema and value.
// https://json-schema.org/draft/2020-12/json-schema-core, sections 11.2 and 11.3.
import type { Ajv2020, AnySchema, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import { ENTRY } from './lower.ts'
import type { Patterns } from './patterns.ts'
import { escapeKey } from './pointer.ts'
import { isNode, type Node } from './reader.ts'

export const LOWERED_ID = 'toolrack:lowered'

type Key = string | number
type Container = Readonly<Record<Key, unknown>>

export class Unevaluated {
  readonly #ajv: Ajv2020
  readonly #root: Node
  readonly #branches: ReadonlyMap<Node, string>
  readonly #patterns: Patterns
  readonly #validators = new Map<Node, ValidateFunction>()
  #answers = new WeakMap<Node, WeakMap<object, boolean>>()

  constructor(ajv: Ajv2020, root: Node, branches: ReadonlyMap<Node, string>, patterns: Patterns) {
    this.#ajv = ajv
    this.#root = root
    this.#branches = branches
    this.#patterns = patterns
  }

  /** Starts a check. Each branch runs once per value, so nested schemas do not multiply the work. */
  reset(): void {
    this.#answers = new WeakMap()
  }

  compile(keyword: string, allowed: AnySchema, parent: AnySchema): DataValidateFunction {
    const check: DataValidateFunction = (value: Container, context) => {
      const errors: Partial<ErrorObject>[] = []
      for (const key of this.#findUnevaluated(parent as Node, value, keyword)) {
        errors.push(...this.#findErrors(keyword, allowed, value, key, context?.instancePath ?? ''))
        if (errors.length > 0 && this.#ajv.opts.allErrors !== true) break
      }
      check.errors = errors
      return errors.length === 0
    }
    return check
  }

  #findUnevaluated(parent: Node, value: Container, keyword: string): Key[] {
    const evaluated = new Evaluated()
    const { [keyword]: _, ...others } = parent
    this.#collect(others, value, evaluated)
    const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
    return keys.filter(key => !evaluated.has(key))
  }

  #findErrors(keyword: string, allowed: AnySchema, value: Container, key: Key, path: string): Partial<ErrorObject>[] {
    if (allowed === true) return []
    const at = `${path}/${escapeKey(String(key))}`
    if (allowed === false) {
      const isItem = typeof key === 'number'
      const params = isItem ? { unevaluatedItem: key } : { unevaluatedProperty: key }
      return [{ keyword, instancePath: isItem ? at : path, params, message: 'is not a known item' }]
    }
    const validate = this.#getValidator(allowed as Node)
    if (validate(value[key])) return []
    return (validate.errors ?? []).map(error => ({ ...error, instancePath: `${at}${error.instancePath}` }))
  }

  #collect(schema: unknown, value: Container, evaluated: Evaluated): void {
    if (!isNode(schema) || evaluated.isAll) return
    if (Array.isArray(value)) this.#collectItems(schema, value, evaluated)
    else this.#collectProperties(schema, value, evaluated)
    for (const applied of this.#findApplied(schema, value)) this.#collect(applied, value, evaluated)
  }

  #collectProperties(schema: Node, value: Container, evaluated: Evaluated): void {
    if ('additionalProperties' in schema || 'unevaluatedProperties' in schema) evaluated.addAll()
    const { properties = {}, patternProperties = {} } = schema
    evaluated.add(Object.keys(properties as Node))
    const patterns = Object.keys(patternProperties as Node).map(pattern => this.#patterns.compile(pattern))
    if (patterns.length === 0) return
    evaluated.add(Object.keys(value).filter(key => patterns.some(pattern => pattern.test(key))))
  }

  #collectItems(schema: Node, items: readonly unknown[], evaluated: Evaluated): void {
    if ('items' in schema || 'unevaluatedItems' in schema) evaluated.addAll()
    const { prefixItems, contains } = schema
    if (Array.isArray(prefixItems)) evaluated.add(prefixItems.keys())
    if (contains === undefined) return
    evaluated.add([...items.keys()].filter(index => this.#holds(contains, items[index])))
  }

  /** The schemas that apply to the same value and are valid for it. */
  #findApplied(schema: Node, value: Container): readonly unknown[] {
    const { $ref, allOf = [], anyOf = [], oneOf = [], dependentSchemas = {}, dependencies = {} } = schema
    const applied = [...(allOf as unknown[])]
    if (typeof $ref === 'string') applied.push(this.#definition($ref))
    for (const branches of [anyOf, oneOf]) {
      applied.push(...(branches as unknown[]).filter(branch => this.#holds(branch, value)))
    }
    if ('if' in schema) {
      const holds = isEntry(schema['if']) || this.#holds(schema['if'], value)
      applied.push(...(holds ? [schema['if'], schema['then']] : [schema['else']]))
    }
    for (const named of [dependentSchemas, dependencies]) {
      applied.push(...Object.entries(named as Node).flatMap(([key, each]) => (Object.hasOwn(value, key) ? [each] : [])))
    }
    return applied
  }

  #holds(branch: unknown, value: unknown): boolean {
    if (!isNode(branch)) return branch !== false
    if (typeof value !== 'object' || value === null) return this.#getValidator(branch)(value)
    const answers = this.#answers.get(branch) ?? new WeakMap<object, boolean>()
    this.#answers.set(branch, answers)
    let answer = answers.get(value)
    if (answer === undefined) answers.set(value, (answer = this.#getValidator(branch)(value)))
    return answer
  }

  #getValidator(branch: Node): ValidateFunction {
    let validator = this.#validators.get(branch)
    if (validator === undefined) {
      validator = this.#ajv.getSchema(`${LOWERED_ID}${this.#branches.get(branch)}`) as ValidateFunction
      this.#validators.set(branch, validator)
    }
    return validator
  }

  #definition(reference: string): unknown {
    return (this.#root['$defs'] as Node)[reference.slice('#/$defs/'.length)]
  }
}

// `ENTRY` counts only and does not test the value.
const isEntry = (condition: unknown) => isNode(condition) && ENTRY in condition

class Evaluated {
  isAll = false
  readonly #keys = new Set<Key>()

  add(keys: Iterable<Key>): void {
    for (const key of keys) this.#keys.add(key)
  }

  addAll(): void {
    this.isAll = true
  }

  has(key: Key): boolean {
    return this.isAll || this.#keys.has(key)
  }
}
