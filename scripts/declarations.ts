// Readies the declarations that the compiler writes, one for each source file: what users never read
// goes, and what packages import as `toolrack/…` becomes a file of this package.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'

/** `from './x.ts'`, and what the compiler infers: `import("./x.ts")`. */
const RELATIVE_IMPORT = /(?:from |import\(|import )["'](\.[^"']+)["']/g
/** In packages, and where the compiler infers a type by its way through a kit. */
const OWN_IMPORT = /(?<=(?:from |import\(|import )["'])(?:@toolrack\/([a-z-]+)|toolrack)(?:\/([a-z0-9-]+))?(?=["'])/g

/** @param dist has the declarations @param kits the folder of what `toolrack/…` exports, in dist */
export function resolveOwnImports(dist: string, kits: string): void {
  for (const file of globSync(`${dist}/**/*.d.ts`)) {
    const text = readFileSync(file, 'utf8')
    const toFile = (_: string, library?: string, name = 'index') => {
      const target = library === undefined ? kits : `packages/${library}/src`
      const folder = relative(dirname(file), join(dist, target)).replaceAll('\\', '/')
      const path = posix.join(folder, `${name}.js`)
      return path.startsWith('.') ? path : `./${path}`
    }
    const resolved = text.replace(OWN_IMPORT, toFile)
    if (resolved !== text) writeFileSync(file, resolved)
  }
}

/** Removes the declarations that no entry leads to. */
export function dropUnusedDeclarations(entries: readonly string[], pattern: string): void {
  const used = new Set<string>()
  for (const entry of entries) follow(entry, used)
  for (const file of globSync(pattern)) if (!used.has(file)) rmSync(file)
}

function follow(file: string, used: Set<string>): void {
  if (used.has(file)) return
  used.add(file)
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(RELATIVE_IMPORT))
    follow(join(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')), used)
}
