// The package's own version, read once from its package.json, wherever it was built to.
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'

/** The URL of its package.json. @throws Error where the package was taken apart */
export function packageFile(): URL {
  const path = findPackageJSON(import.meta.url)
  if (path === undefined) throw new Error('package.json of toolrack is missing')
  return pathToFileURL(path)
}

/** @throws Error where the package was taken apart */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(packageFile(), 'utf8')) as { version: string }).version
}
