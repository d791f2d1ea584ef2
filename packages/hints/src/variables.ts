// Finds the variable of a URI template that a name means.
import { findNearestName } from 'toolrack/text'

/** @param names the variables of the template */
export function fixVariable(name: string, names: readonly string[]): string {
  const nearest = findNearestName(name, names)
  if (nearest !== undefined) return `did you mean ${nearest}?`
  return names.length === 0 ? 'only a uriTemplate with variables has completion' : `name one of ${names.join(', ')}`
}
