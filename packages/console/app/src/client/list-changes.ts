// Compares a list with the one before.

interface Named {
  readonly name: string
}

export interface ListChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

/** @returns undefined if nothing changed */
export function findChange(before: readonly Named[], after: readonly Named[]): ListChange | undefined {
  const old = new Map(before.map(each => [each.name, JSON.stringify(each)]))
  const now = new Set(after.map(({ name }) => name))
  const added = toNames(after.filter(({ name }) => !old.has(name)))
  const removed = toNames(before.filter(({ name }) => !now.has(name)))
  const changed = toNames(after.filter(each => old.has(each.name) && old.get(each.name) !== JSON.stringify(each)))
  return added.length + removed.length + changed.length === 0 ? undefined : { added, removed, changed }
}

const toNames = (list: readonly Named[]): readonly string[] => list.map(({ name }) => name)
