// What tools, resources and prompts share at registration: kind, shape check and listing.
import { type TSchema, Type } from '@sinclair/typebox'
import { lazyValidator } from '@toolrack/json-schema/validator'
import { SCOPE_TOKEN } from '../auth/scopes.ts'
import { deepFreeze, isObject, type JsonObject } from '../protocol/messages.ts'
import { pickKnown } from '../protocol/schemas/common.ts'
import { Icon } from '../protocol/schemas/contents.ts'
import { describeValue } from '../text/describe-value.ts'
import { findMetaIssue } from './content.ts'
import { type DefinitionKind, KIND } from './definition-kind.ts'
import { JsonCopier } from './json-copy.ts'
import type { Mistake } from './mistakes.ts'

export { type DefinitionKind, findDefinitionKind, hasKind } from './definition-kind.ts'

/**
 * A definition is refused.
 * Names the definition and the issue.
 */
export class RegistrationError extends Error {
  override name = 'RegistrationError'

  constructor(kind: DefinitionKind, name: unknown, text: string, options?: ErrorOptions) {
    super(`${kind} ${typeof name === 'string' ? JSON.stringify(name.slice(0, 128)) : '(unnamed)'}: ${text}`, options)
  }
}

/** One that says only what is wrong: the catalog makes a plain one of it, which also says the fix. */
export class ExplainableError extends RegistrationError {
  readonly #facts: readonly [kind: DefinitionKind, name: unknown, fault: string, mistake: Mistake]

  constructor(kind: DefinitionKind, name: unknown, fault: string, mistake: Mistake, options?: ErrorOptions) {
    super(kind, name, fault, options)
    this.#facts = [kind, name, fault, mistake]
  }

  explain(explain: (mistake: Mistake, fault: string) => string): RegistrationError {
    const [kind, name, fault, mistake] = this.#facts
    return new RegistrationError(kind, name, explain(mistake, fault), { cause: this.cause })
  }
}

export const Icons = Type.Array(Icon)

/** RFC 6749, 3.3. */
export const Scopes = Type.Optional(Type.Array(Type.String({ pattern: SCOPE_TOKEN.source })))

export const LISTED = Object.freeze({
  title: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  icons: Type.Optional(Icons),
  _meta: Type.Optional(Type.Object({})),
})

/** @throws RegistrationError if it is no object, as with `defineTool('name', …)` */
export function tagDefinition<T extends object>(kind: DefinitionKind, definition: T): T {
  if (!isObject(definition)) throw new RegistrationError(kind, definition, explainNoObject(kind, definition))
  // Enumerable, so that a copy by spread is of the same kind.
  return { ...definition, [KIND]: kind }
}

/** @param kind of what `defineTool` and the like were called for @param given in place of a definition */
function explainNoObject(kind: DefinitionKind, given: unknown): string {
  const define = `define${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
  const name = typeof given === 'string' ? given : '…'
  const handler = typeof given === 'function' && given.name !== '' ? `handler: ${given.name}` : 'handler'
  const uri = kind === 'resource' ? `uri: 'docs://style', ` : ''
  return `${define} takes one object; write ${define}({ ${uri}name: '${name}', …, ${handler} })`
}

/** @throws RegistrationError with the first issues, or for a missing handler */
export function assertShape(kind: DefinitionKind, name: unknown, shape: TSchema, definition: object): void {
  const validator = lazyValidator(shape)
  const defined = Object.fromEntries(Object.entries(definition).filter(([, value]) => value !== undefined))
  if (!validator.isValid(defined)) {
    const issues = validator.issues(defined, MAX_ISSUES)
    const fault = issues.map(({ path, expected }) => `${path} ${expected}`).join('; ')
    const fields = Object.keys(shape['properties'])
    throw new ExplainableError(kind, name, fault, { what: 'shape', kind, definition: defined, issues, fields })
  }
  const fault = findMetaIssue(defined['_meta'])
  if (fault !== undefined) throw new RegistrationError(kind, name, fault)
  const { handler } = definition as { handler?: unknown }
  if (typeof handler !== 'function') {
    const text = `handler must be a function, not ${describeValue(handler)}`
    throw new ExplainableError(kind, name, text, { what: 'handler' })
  }
}

/** @throws RegistrationError if a field is set to something else */
export function assertFunctions<D extends { name: unknown }>(
  kind: DefinitionKind,
  definition: D,
  fields: readonly (keyof D)[],
): void {
  for (const field of fields) {
    if (definition[field] !== undefined && typeof definition[field] !== 'function')
      throw new RegistrationError(kind, definition.name, `${String(field)} must be a function`)
  }
}

/** Of a definition: some of them follow from others. */
const MAX_ISSUES = 9

const MAX_LISTED_BYTES = 1024 * 1024

/**
 * Builds the list entry: only members that are set and known, clean text, deeply frozen.
 *
 * @param members schemas of the members whose own members the specification names, besides icons
 * @throws NotJson, TooLarge
 */
export function createListing(fields: object, members: Readonly<Record<string, TSchema>> = {}): JsonObject {
  const copier = new JsonCopier({ maxBytes: MAX_LISTED_BYTES, tally: { stripped: 0 } })
  const listed = copier.copy(fields) as JsonObject
  for (const [name, schema] of Object.entries({ icons: Icons, ...members })) {
    if (listed[name] !== undefined) listed[name] = pickKnown(schema, listed[name])
  }
  return deepFreeze(listed)
}

/** What else must be there, such as a package: the file that defines it looks. */
export interface Condition {
  /** How to get it, as the start-up says: `npm install sharp`. */
  readonly what: string
  readonly isMet: boolean
}

/** Environment variables that must be set (of an array, one); and conditions. */
export type Requires = (string | string[] | Condition)[]

export const VariableName = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' })

const Condition = Type.Object(
  { what: Type.String({ minLength: 1, maxLength: 200 }), isMet: Type.Boolean() },
  { additionalProperties: false },
)

export const Requires = Type.Optional(
  Type.Array(Type.Union([VariableName, Type.Array(VariableName, { minItems: 1 }), Condition])),
)

const isCondition = (each: string | string[] | Condition): each is Condition =>
  typeof each === 'object' && !Array.isArray(each)

interface Declared {
  readonly requires?: Requires | undefined
  readonly settings?: readonly string[] | undefined
}

/** The environment variables that a definition declares. */
export const listVariables = ({ requires = [], settings = [] }: Declared): readonly string[] => [
  ...requires.flatMap(each => (isCondition(each) ? [] : each)),
  ...settings,
]

/** @returns what is missing: `A`, `A or B` if either variable would do, or what a condition says */
export function findMissing(requires: Requires, isSet: (name: string) => boolean): readonly string[] {
  return requires.flatMap(each => {
    if (isCondition(each)) return each.isMet ? [] : [each.what]
    const names = [each].flat()
    return names.some(name => isSet(name)) ? [] : [names.join(' or ')]
  })
}
