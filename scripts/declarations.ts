// Drops declarations that users never read: the compiler writes one for each source file.
import { globSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** `from './x.ts'`, and what the compiler infers: `import("./x.ts")`. */
const RELATIVE_IMPORT = /(?:from |import\(|import )["'](\.[^"']+)["']/g

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
