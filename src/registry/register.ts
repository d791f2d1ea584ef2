// Definitions that a program hands over: each is served, or its fault is told.
import type { Built, Catalog, Definition } from './catalog.ts'

/** Serves what can be served; what cannot is told to `refuse`. */
export function register(catalog: Catalog, definitions: readonly Definition[], refuse: (error: Error) => void): void {
  const built = new Map<string, Built>()
  for (const definition of definitions) {
    try {
      const entry = catalog.build(definition)
      const key = `${entry.kind} ${entry.key}`
      if (built.has(key)) throw new Error(`${key}: defined twice; the first is served`)
      built.set(key, entry)
    } catch (error) {
      refuse(error as Error)
    }
  }
  catalog.change([], [...built.values()])
}
