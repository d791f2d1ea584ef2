// Says in one line how a list differs from the one before.

interface Named {
  readonly name: string
}

const MAX_NAMES = 5

/** @returns undefined if nothing changed */
export function describeChange(kind: string, before: readonly Named[], after: readonly Named[]): string | undefined {
  const old = new Map(before.map(each => [each.name, JSON.stringify(each)]))
  const now = new Set(after.map(({ name }) => name))
  const parts = [
    ['added', after.filter(({ name }) => !old.has(name))],
    ['removed', before.filter(({ name }) => !now.has(name))],
    ['changed', after.filter(each => old.has(each.name) && old.get(each.name) !== JSON.stringify(each))],
  ] as const
  const words = parts.filter(([, list]) => list.length > 0).map(([verb, list]) => `${verb} ${listNames(list)}`)
  return words.length === 0 ? undefined : `${kind}: ${words.join('; ')}`
}

function listNames(list: readonly Named[]): string {
  const names = list.slice(0, MAX_NAMES).map(({ name }) => name)
  const more = list.length - names.length
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
}
