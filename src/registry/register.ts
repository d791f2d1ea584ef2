// Definitions that a program hands over: what can be served is, and what cannot is its program's to mend.
import type { Built, Catalog, Definition } from './catalog.ts'
import { RegistrationError } from './definition.ts'

/** @throws RegistrationError saying what cannot be served and why; AggregateError of them if there are several */
export function register(catalog: Catalog, definitions: readonly Definition[]): void {
  const built = new Map<string, Built>()
  const refused: Error[] = []
  for (const definition of definitions) {
    try {
      const entry = catalog.build(definition)
      const key = `${entry.kind} ${entry.key}`
      if (built.has(key)) throw new RegistrationError(entry.kind, entry.key, 'defined twice')
      built.set(key, entry)
    } catch (error) {
      refused.push(error as Error)
    }
  }
  catalog.change([], [...built.values()])
  if (refused.length === 1) throw refused[0]
  if (refused.length > 1) throw new AggregateError(refused, refused.map(({ message }) => message).join('; '))
}
