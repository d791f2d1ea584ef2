// Copies what both packages share from package.json into packages/create/package.json.
import { readFileSync } from 'node:fs'

export const PAGE = 'packages/create/package.json'

type Manifest = Readonly<Record<string, unknown>>

const read = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8'))

/** Own fields first, in their order. */
export function createManifest(): string {
  const { version, author, license, engines, homepage, bugs, repository } = read('package.json')
  const shared = {
    version,
    author,
    license,
    engines,
    homepage,
    bugs,
    repository: { ...(repository as object), directory: 'packages/create' },
  }
  return `${JSON.stringify({ ...read(PAGE), ...shared }, undefined, 2)}\n`
}
