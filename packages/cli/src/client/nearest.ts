// Finds the name of a tool, an argument, a resource or a prompt that a wrong name probably means.
import { findNearestName, toVisibleLine } from 'toolrack/text'
import { UsageError } from '../errors.ts'

/** A third of the letters may differ. */
export const findMeant = (name: string, names: readonly string[]): string | undefined =>
  findNearestName(name, names, Math.floor((name.length + 1) / 3)) ??
  names.find(each => name.length > 2 && each.includes(name))

interface Wanted {
  readonly kind: 'tool' | 'resource' | 'prompt'
  readonly name: string
  /** The names that the server has. */
  readonly names: readonly string[]
  /** The command that lists them. */
  readonly list: string
}

/** @param cause the error of the server */
export function createUnknown({ kind, name, names, list }: Wanted, cause?: unknown): UsageError {
  const meant = findMeant(name, names)
  const hint = meant === undefined ? `${list} shows all` : `did you mean ${toVisibleLine(meant)}?`
  return new UsageError(`the server has no ${kind} ${JSON.stringify(name)}; ${hint}`, { cause })
}
