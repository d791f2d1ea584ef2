// The package's own version, read once from its package.json, wherever it was built to.
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** @throws Error where the package was taken apart */
export function packageVersion(): string {
  const path = findPackageJSON(import.meta.url)
  if (path === undefined) throw new Error('package.json of toolrack is missing')
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
}
