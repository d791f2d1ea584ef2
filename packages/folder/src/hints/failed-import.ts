// Finds the import that a load error is about. Node never reports its line, and seldom the whole
// specifier.
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findImport } from '../file-texts/static-imports.ts'
import type { SourceLocation } from './syntax-error.ts'

/** The parts of an error that fixes depend on; the error is safe to read. */
export interface LoadError {
  readonly code?: unknown
  readonly message: string
  readonly url?: unknown
  readonly requireStack?: unknown
  readonly cause?: unknown
}

export interface FailedImport extends SourceLocation {
  readonly specifier: string
}

/** How the messages of Node name the target of an import. */
const NAMED: readonly RegExp[] = [
  /Cannot find (?:module|package) '([^']+)'/,
  /Directory import '([^']+)'/,
  /Invalid module "([^"]+)"/,
  /Package import specifier "([^"]+)"/,
  /No such built-in module: (\S+)/,
  /Received protocol '(\w+:)'/,
  /Package subpath '\.(\/[^']+)'/,
  /(?:No "exports" main|Missing "exports" main).* in \S*node_modules\/(\S+)\/package\.json/,
  /requested module '([^']+)'/,
]

/**
 * @param file the tool file, unless the error names another one
 * @returns undefined if no import has failed
 */
export function findFailedImport(error: LoadError, file: string): FailedImport | undefined {
  const named = NAMED.map(pattern => pattern.exec(error.message)?.[1]).find(each => each !== undefined)
  if (named === undefined) return undefined
  const importer = findImporter(error) ?? file
  const path = typeof error.url === 'string' && error.url.startsWith('file:') ? fileURLToPath(error.url) : named
  const found = findImport(importer, specifier => {
    if (specifier === named || specifier.startsWith(named.endsWith(':') ? named : `${named}/`)) return true
    if (specifier.startsWith('.')) return resolve(dirname(importer), specifier) === path
    return named.startsWith('/') && !error.message.startsWith('Cannot') && specifier.endsWith(named)
  })
  return found && { file: importer, ...found }
}

/** The file with the import, according to the error. */
export function findImporter({ message, requireStack }: LoadError): string | undefined {
  if (Array.isArray(requireStack) && typeof requireStack[0] === 'string') return requireStack[0]
  const [, importer] = /imported from (.+)$/.exec(message) ?? []
  return importer?.startsWith('file:') ? fileURLToPath(importer) : importer
}
