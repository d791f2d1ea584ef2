// Which scopes satisfy a required scope: a broader scope includes narrower ones.

/** Maps each scope to all broader ones. */
export type Hierarchy = ReadonlyMap<string, readonly string[]>

const NONE: Hierarchy = new Map()
/** Syntax of a scope: RFC 6749, 3.3. */
export const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** Parses `admin>write>read`, broadest first; commas separate chains. @throws Error */
export function parseHierarchy(text: string): Hierarchy {
  const broader = new Map<string, Set<string>>()
  for (const chain of text.split(',')) {
    const scopes = chain.split('>').map(scope => scope.trim())
    if (scopes.length < 2 || !scopes.every(scope => SCOPE_TOKEN.test(scope))) {
      throw new Error('expected chains of scopes, the broadest first, such as admin>write>read')
    }
    for (const [index, scope] of scopes.entries()) {
      const above = broader.get(scope) ?? new Set()
      for (const higher of scopes.slice(0, index)) above.add(higher)
      broader.set(scope, above)
    }
  }
  return new Map([...broader].map(([scope, above]) => [scope, [...closure(above, broader)]]))
}

function closure(above: ReadonlySet<string>, broader: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const all = new Set(above)
  // A Set iterator also visits elements that are added during the iteration.
  for (const scope of all) for (const higher of broader.get(scope) ?? []) all.add(higher)
  return all
}

export function satisfies(granted: readonly string[], needed: string, hierarchy: Hierarchy = NONE): boolean {
  return granted.includes(needed) || (hierarchy.get(needed)?.some(scope => granted.includes(scope)) ?? false)
}
