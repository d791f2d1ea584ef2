// How files of a tools folder find the package and each other: `toolrack` is this very copy,
// wherever the folder is, and what has changed is read anew together with all that is imported from
// the folder.
import { createRequire, registerHooks } from 'node:module'
import { relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { cleanText } from '../clean-text.ts'

const here = import.meta.url
const INDEX = here.endsWith('.ts') ? new URL('../../index.ts', here).href : import.meta.resolve('toolrack')

// Node keeps modules by URL, for as long as the process lives; so a new query makes it read a file
// anew.
const OWN = 'toolrack'
const HELPERS = 'helpers'

const toolRoots = new Set<string>()
const importedFiles = new Set<string>()
let generations = 0

/** A number that no file of this process was loaded with yet. */
export const nextGeneration = (): number => ++generations

/**
 * A module that defines tools, as it was loaded: enough to load the same again, also in a worker.
 */
export interface ToolModule {
  /** Of the file, with its generations. */
  readonly url: string
  /** The tools folder that it belongs to; undefined where a program has named it. */
  readonly root: string | undefined
}

/**
 * Lets what is under `root` import `toolrack`; for the life of the process, since modules stay as
 * long.
 */
export function resolveToolrack(root: string): void {
  if (toolRoots.size === 0) registerHooks({ resolve: resolveFromTools })
  toolRoots.add(root.endsWith(sep) ? root : root + sep)
}

/** Whether some other file of its folder has imported this one. */
export const isImported = (file: string): boolean => importedFiles.has(file)

/**
 * A file of the tools folder `root`, to be loaded anew.
 *
 * @param own the generation of the file itself
 * @param helpers the generation of what it imports from the folder, so that unchanged neighbours
 *   stay shared
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

/** Loads a module that defines tools. @returns what it exports */
export async function importModule({ url }: ToolModule): Promise<{ readonly default?: unknown }> {
  // CommonJS is kept by its path, whatever the query.
  if (new URL(url).searchParams.has(OWN)) delete commonJs[fileURLToPath(url)]
  return await import(url)
}

const commonJs = createRequire(here).cache

/** Makes CommonJS files be read anew when they are next imported. */
export function forgetCommonJs(files: readonly string[]): void {
  for (const file of files) delete commonJs[file]
}

const seenHelpers = new Map<string, string | null>()

/**
 * The same as a folder does for itself, where another process has read it: what its helpers were is
 * not known there.
 */
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

// How logs name a file: by its path from where the server was started, on one line, whatever is in
// the name.

const MAX_NAME = 300

export function fileName(path: string): string {
  const name = cleanText(relative(process.cwd(), path)).replace(/[\s\u2028\u2029]+/g, ' ')
  // The end says most.
  return name.length > MAX_NAME ? `…${name.slice(1 - MAX_NAME).toWellFormed()}` : name
}
