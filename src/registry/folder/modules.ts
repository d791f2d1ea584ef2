// Module resolution for a tools folder: `toolrack` resolves to this copy of the package, and a
// changed file is imported again together with what it imports from the folder.
import { createRequire, registerHooks } from 'node:module'
import { relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { cleanText } from '../clean-text.ts'

const here = import.meta.url
const INDEX = here.endsWith('.ts') ? new URL('../../index.ts', here).href : import.meta.resolve('toolrack')

// Node caches modules by URL for the life of the process; a new query makes it read the file again.
const OWN = 'toolrack'
const HELPERS = 'helpers'

const toolRoots = new Set<string>()
const importedFiles = new Set<string>()
let generations = 0

/** A number that no file of this process was loaded with. */
export const nextGeneration = (): number => ++generations

/** Enough to load the same version of a tool's module again, also in a worker. */
export interface ToolModule {
  /** With the generations of the file and its helpers. */
  readonly url: string
  /** The tools folder; undefined if a program has named the module. */
  readonly root: string | undefined
}

/** Lets files under `root` import `toolrack`, for the life of the process. */
export function resolveToolrack(root: string): void {
  if (toolRoots.size === 0) registerHooks({ resolve: resolveFromTools })
  toolRoots.add(root.endsWith(sep) ? root : root + sep)
}

/** Whether another file of the folder has imported this one. */
export const isImported = (file: string): boolean => importedFiles.has(file)

/**
 * @param own the generation of the file itself
 * @param helpers the generation of its imports from the folder; unchanged ones stay shared
 */
export function createToolModule(
  root: string,
  file: string,
  { own, helpers }: { own: number; helpers: number },
): ToolModule {
  const url = pathToFileURL(file)
  url.searchParams.set(OWN, String(own))
  url.searchParams.set(HELPERS, String(helpers))
  return { url: url.href, root }
}

export async function importModule({ url }: ToolModule): Promise<{ readonly default?: unknown }> {
  // CommonJS is cached by path, whatever the query.
  if (new URL(url).searchParams.has(OWN)) delete commonJs[fileURLToPath(url)]
  return await import(url)
}

const commonJs = createRequire(here).cache

export function forgetCommonJs(files: readonly string[]): void {
  for (const file of files) delete commonJs[file]
}

const seenHelpers = new Map<string, string | null>()

/** Does in a worker what ToolsFolder does here: drops CommonJS files when the helpers changed. */
export function followFolder({ url, root }: ToolModule): void {
  if (root === undefined) return
  resolveToolrack(root)
  const helpers = new URL(url).searchParams.get(HELPERS)
  if (seenHelpers.get(root) !== helpers)
    forgetCommonJs(Object.keys(commonJs).filter(path => isBelowRoot(pathToFileURL(path).href)))
  seenHelpers.set(root, helpers)
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]['resolve']>

const resolveFromTools: Resolve = (specifier, context, next) => {
  const parent = context.parentURL
  if (parent === undefined || !parent.startsWith('file:')) return next(specifier, context)
  const helpers = new URL(parent).searchParams.get(HELPERS)
  if (helpers === null && !isBelowRoot(parent)) return next(specifier, context)
  if (specifier === 'toolrack') return { url: INDEX, shortCircuit: true }
  const resolved = next(specifier, context)
  if (helpers === null || !isBelowRoot(resolved.url)) return resolved
  const url = new URL(resolved.url)
  importedFiles.add(fileURLToPath(url))
  url.searchParams.set(HELPERS, helpers)
  return { ...resolved, url: url.href }
}

function isBelowRoot(url: string): boolean {
  if (!url.startsWith('file:')) return false
  const path = fileURLToPath(url.split('?')[0]!)
  for (const root of toolRoots) if (path.startsWith(root) && !isInNodeModules(path.slice(root.length))) return true
  return false
}

const isInNodeModules = (path: string) => path.split(sep).includes('node_modules')

/** A file's name for logs: relative to the working directory, on one line. */

const MAX_NAME = 300

export function fileName(path: string): string {
  const name = cleanText(relative(process.cwd(), path)).replace(/[\s\u2028\u2029]+/g, ' ')
  // The end is the most specific part.
  return name.length > MAX_NAME ? `…${name.slice(1 - MAX_NAME).toWellFormed()}` : name
}
