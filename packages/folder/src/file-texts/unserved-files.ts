// Finds files that define tools but serve none: they are below the top of the folder, and no file
// imports them.
import { realpathSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { isImported } from '../imports.ts'
import { fileName } from '../tool-roots.ts'
import { blankTexts } from './syntax.ts'

/** Maximum number of file names in the warning about their folder. */
const MAX_NAMES = 5
const DEFINES = /\bdefine(?:Tool|Resource|Prompt)\s*\(/
/** A member of an object. A function of rules may call something `handler`, too. */
const HAS_HANDLER = /[{,]\s*(?:async\s+)?handler\s*[:(,}]/
const HAS_DEFAULT = /\bexport\s+default\b|\bas\s+default\b|\bmodule\s*\.\s*exports\b/

/** @param code without the contents of strings @returns whether a file seems to contain definitions */
export const hasDefinitions = (code: string): boolean =>
  DEFINES.test(code) || (HAS_HANDLER.test(code) && HAS_DEFAULT.test(code))

/** Whether a file would serve tools at the top of the folder. */
export function definesTools(bytes: Buffer): boolean {
  if (!bytes.includes('default') && !bytes.includes('exports')) return false
  const code = blankTexts(bytes.toString())
  return HAS_DEFAULT.test(code) && hasDefinitions(code)
}

export interface FolderFiles {
  readonly root: string
  readonly toolFiles: readonly string[]
  /** Other files that define tools. */
  readonly definers: readonly string[]
}

/**
 * Call it after a load, when all imports are known.
 *
 * @param isHelper whether a file imports this one by its text
 * @returns the problem of each folder with such files, by path
 */
export function findUnserved(
  { root, toolFiles, definers }: FolderFiles,
  isHelper: (file: string) => boolean,
): ReadonlyMap<string, string> {
  const unserved = definers.filter(file => !isHelper(file) && !wasImported(file))
  const byFolder = Map.groupBy(unserved, file => dirname(file))
  return new Map(
    [...byFolder].map(([folder, files]) => {
      const top = join(root, relative(root, folder).split(sep, 1)[0]!)
      const index = toolFiles.find(file => dirname(file) === top) ?? join(top, 'index.ts')
      return [folder, explain(files, fileName(index), toolFiles.includes(index))]
    }),
  )
}

function explain(files: readonly string[], index: string, hasIndex: boolean): string {
  const names = files.slice(0, MAX_NAMES).map(file => basename(file))
  if (files.length > MAX_NAMES) names.push(`${files.length - MAX_NAMES} more`)
  const fix = hasIndex ? `export them from ${index}` : `add ${index}, which exports them`
  return `has tools that are not served, since no file imports them (${names.join(', ')}); ${fix}, or move the files to the top of the tools folder; if they are not to be served, begin the folder's name with _`
}

function wasImported(file: string): boolean {
  try {
    return isImported(realpathSync(file))
  } catch {
    // It was removed meanwhile.
    return true
  }
}
