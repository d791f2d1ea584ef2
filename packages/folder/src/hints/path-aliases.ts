// Finds the target of an import that only a compiler or a bundler understands, such as `@/lib/db`.
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { toPosix } from '../tool-roots.ts'

const ENDINGS = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json']

export const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** @param path of a file without its ending, or of a folder with an index */
export const findByEnding = (path: string): string | undefined =>
  [...ENDINGS.map(ending => path + ending), ...ENDINGS.map(ending => join(path, `index${ending}`))].find(isFile)

export function toSpecifier(importer: string, file: string): string {
  const path = toPosix(relative(dirname(importer), file))
  return path.startsWith('.') ? path : `./${path}`
}

/** The usual form of aliases; no package has such a name. */
const USUAL = /^[@~$]\/|^[~$]|^@[^/]*$|^src\//

/** @returns what to write; undefined if the specifier is likely a package */
export function explainAlias(file: string, specifier: string): string | undefined {
  const isPath = !specifier.startsWith('@') && specifier.includes('/')
  const [above, declared] = [isPath ? findFromAbove(file, specifier) : undefined, findDeclared(file, specifier)]
  if (above !== undefined) return `write '${toSpecifier(file, above)}'`
  if (declared === undefined && !USUAL.test(specifier)) return undefined
  const target = declared?.target ?? findFromAbove(file, specifier.replace(/^[@~$]\/?/, ''))
  const path = target === undefined ? `a path such as './db.ts'` : `'${toSpecifier(file, target)}'`
  return `Node does not know the paths of tsconfig.json: write ${path}, or name it in "imports" of package.json: '#lib/db'`
}

/** The usual targets of aliases. */
const BASES = ['', 'src']

/** @param path from a folder above, within the project @returns the file */
export function findFromAbove(file: string, path: string): string | undefined {
  for (const folder of listFoldersAbove(file)) {
    for (const target of BASES.map(base => join(folder, base, path))) {
      const found = isFile(target) ? target : findByEnding(target)
      if (found !== undefined) return found
    }
    if (isFile(join(folder, 'package.json'))) return undefined
  }
  return undefined
}

function listFoldersAbove(file: string): readonly string[] {
  const folders = [dirname(file)]
  while (dirname(folders.at(-1)!) !== folders.at(-1)) folders.push(dirname(folders.at(-1)!))
  return folders
}

/** In `paths`: `"@lib/*": ["./src/lib/*"]`. */
const PATH = /"([^"*\n]+)(\*?)"\s*:\s*\[\s*"([^"\n]+)"/g

/**
 * @returns undefined if the nearest tsconfig.json lacks the path; without a target if the file does
 *   not exist
 */
function findDeclared(file: string, specifier: string): { target: string | undefined } | undefined {
  const config = listFoldersAbove(file)
    .map(folder => join(folder, 'tsconfig.json'))
    .find(isFile)
  if (config === undefined) return undefined
  const text = readFileSync(config, 'utf8')
  const base = join(dirname(config), /"baseUrl"\s*:\s*"([^"\n]+)"/.exec(text)?.[1] ?? '')
  for (const [, start, star, target] of text.slice(Math.max(text.indexOf('"paths"'), 0)).matchAll(PATH)) {
    if (star === '' ? specifier !== start : !specifier.startsWith(start!)) continue
    const path = join(base, target!.replace('*', specifier.slice(start!.length)))
    return { target: isFile(path) ? path : findByEnding(path) }
  }
  return undefined
}
