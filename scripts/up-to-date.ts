// Whether what was built is newer than all that it was built from.
import { globSync, statSync } from 'node:fs'

/** What npm writes last: newer if a dependency has changed. */
const INSTALLED = 'node_modules/.package-lock.json'

/** @param built a file; @param sources patterns, in which a folder stands for files added to it and removed */
export function isUpToDate(built: string, sources: readonly string[], isIgnored = (_path: string) => false): boolean {
  const builtMs = statSync(built, { throwIfNoEntry: false })?.mtimeMs
  if (builtMs === undefined) return false
  const paths = globSync(sources, { exclude: ['**/node_modules/**'] }).filter(path => !isIgnored(path))
  return [...paths, INSTALLED].every(path => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < builtMs)
}
