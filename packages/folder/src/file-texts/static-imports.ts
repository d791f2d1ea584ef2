// Finds the files that others import, by their texts, before any of them runs.
import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RULES } from 'toolrack/definitions'
import { isInNodeModules } from '../tool-roots.ts'
import { blankComments } from './syntax.ts'

/** Maximum number of files that are read. Imports of further files stay unknown. */
const MAX_READ = 5000
const CODE = /\.[cm]?[jt]sx?$/
/** Leaves out type-only imports, which load nothing. */
const SPECIFIER = /\b(?:from|import|require|resolve|URL)\s*\(?\s*(['"`])([^'"`\n]+)\1/g
/** Names that a file imports from another. Imports without a list take all exports. */
const NAMED = /\b(?:import|export)\s*\{([^}]*)\}\s*from\s*(['"])([^'"\n]+)\2/g
const NAMES_RULE = new RegExp(`\\b(?:${RULES.join('|')})\\b`)
const TYPES_ONLY = /\b(?:import|export)\s+type\s[^'"]*?\bfrom\s*(['"])[^'"\n]*\1/g

export interface ImportedFiles {
  readonly all: ReadonlySet<string>
  /** Files whose rules may be imported, by name or with all other exports. */
  readonly forRules: ReadonlySet<string>
}

/** @returns the files that `starts` import, directly or through others; does not follow packages */
export function findImported(starts: readonly string[]): ImportedFiles {
  const [all, forRules] = [new Set<string>(), new Set<string>()]
  const queue = [...starts]
  for (let index = 0; index < Math.min(queue.length, MAX_READ); index++) {
    for (const { file, isForRules } of listImports(queue[index]!)) {
      if (isInNodeModules(file)) continue
      if (isForRules) forRules.add(file)
      if (all.has(file)) continue
      all.add(file)
      if (CODE.test(file)) queue.push(file)
    }
  }
  return { all, forRules }
}

interface Imported {
  readonly file: string
  readonly isForRules: boolean
}

function listImports(file: string): readonly Imported[] {
  const resolveAll = (specifiers: readonly string[], isForRules: boolean): Imported[] =>
    specifiers.flatMap(specifier => {
      const found = resolveFrom(file, specifier)
      return found === undefined ? [] : [{ file: found, isForRules }]
    })
  try {
    const code = blankComments(readFileSync(file, 'utf8')).replace(TYPES_ONLY, '')
    const others: string[] = []
    const rest = code.replace(NAMED, (whole, names: string, _quote, specifier: string) => {
      if (NAMES_RULE.test(names)) return whole
      others.push(specifier)
      return ''
    })
    const whole = [...rest.matchAll(SPECIFIER)].map(([, , specifier]) => specifier!)
    return [...resolveAll(whole, true), ...resolveAll(others, false)]
  } catch {
    // An unreadable file has no imports here. Its load will log the error.
    return []
  }
}

/** @returns undefined if the file does not exist */
function resolveFrom(importer: string, specifier: string): string | undefined {
  const path = specifier.startsWith('file:') ? fileURLToPath(specifier) : specifier
  const exact = /^\.{0,2}\//.test(path) ? resolve(dirname(importer), path) : undefined
  if (exact !== undefined && statSync(exact, { throwIfNoEntry: false })?.isFile()) return exact
  try {
    const found = createRequire(importer).resolve(path)
    return found.includes(sep) ? found : undefined
  } catch {
    return undefined
  }
}

export interface FoundImport {
  readonly specifier: string
  readonly line: number
  readonly column: number
}

/** @returns the first import that `isMeant` selects, by its text @throws a file system error */
export function findImport(file: string, isMeant: (specifier: string) => boolean): FoundImport | undefined {
  const code = blankComments(readFileSync(file, 'utf8'))
  for (const { 0: whole, 2: specifier, index } of code.matchAll(SPECIFIER)) {
    if (!isMeant(specifier!)) continue
    const before = code.slice(0, index + whole.length - specifier!.length - 1).split('\n')
    return { specifier: specifier!, line: before.length, column: before.at(-1)!.length }
  }
  return undefined
}
