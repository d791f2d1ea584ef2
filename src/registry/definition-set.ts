// Builds each definition of a set. Refuses invalid ones, and later ones with a name that is taken.
import { type CatalogEntry, type Definition, getQualifiedKey } from './catalog.ts'
import { RegistrationError } from './definition.ts'

export interface Built {
  readonly definition: Definition
  readonly entry: CatalogEntry
}

/** A definition that cannot be served, and why. */
export interface Refused {
  readonly definition: unknown
  /** Names the definition and says why. */
  readonly error: Error
}

export interface BuiltSet<B extends Built = Built> {
  /** By qualified key, in the order of the set. */
  readonly built: ReadonlyMap<string, B>
  readonly refused: readonly Refused[]
}

export function buildSet<B extends Built>(
  definitions: readonly Definition[],
  build: (definition: Definition) => B,
): BuiltSet<B> {
  const built = new Map<string, B>()
  const refused: Refused[] = []
  for (const definition of definitions) {
    try {
      const own = build(definition)
      const { entry } = own
      const key = getQualifiedKey(entry)
      if (built.has(key)) throw new RegistrationError(entry.kind, entry.key, 'defined twice; rename or remove one')
      built.set(key, own)
    } catch (thrown) {
      refused.push({ definition, error: thrown instanceof Error ? thrown : new Error(String(thrown)) })
    }
  }
  return { built, refused }
}

/** @throws the error of the refused definition; AggregateError if several are refused */
export function assertNoneRefused(refused: readonly Refused[]): void {
  const errors = refused.map(({ error }) => error)
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new AggregateError(errors, errors.map(({ message }) => message).join('; '))
}
