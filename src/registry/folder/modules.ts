// Modules of a tools folder: `toolrack` resolves to this copy of the package, a changed file is
// imported again together with what it imports from the folder, and a file's own syntax says how it
// is read.
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { extname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isObject } from '../../protocol/messages.ts'
import { isCommonJs, wrapCommonJs } from './syntax.ts'

const here = import.meta.url
const findEntry = (name: string, source: string): string =>
  here.endsWith('.ts') ? new URL(source, here).href : import.meta.resolve(name)
const INDEX = findEntry('toolrack', '../../index.ts')
/** What a tools folder may import of this package. */
const ENTRIES: Readonly<Record<string, string>> = {
  toolrack: INDEX,
  'toolrack/testing': findEntry('toolrack/testing', '../../testing/index.ts'),
}

// Node caches modules by URL for the life of the process; a new query makes it read the file again.
const OWN = 'toolrack'
const HELPERS = 'helpers'

/** Of a ConfigMap: files of the folder are links to those in it, and each update has another. */
const VERSION_FOLDER = /[\\/]\.\.[^.\\/][^\\/]*[\\/]/

/** The names of the folders in logs, by path; each path ends with a separator. */
const toolRoots = new Map<string, string>()
const importedFiles = new Set<string>()
let generations = 0

/** A number that no file of this process was loaded with. */
export const nextGeneration = (): number => ++generations

/** A tools folder. */
export interface ToolRoot {
  /** Its real path: Node identifies modules by it. */
  readonly path: string
  /** What logs call it. */
  readonly name: string
}

/** Enough to load the same version of a tool's module again, also in a worker. */
export interface ToolModule {
  /** With the generations of the file and its helpers. */
  readonly url: string
  /** The tools folder; undefined if a program has named the module. */
  readonly root: string | undefined
  /** All folders of the server: a file may import of another than its own. */
  readonly roots?: readonly ToolRoot[]
}

/** Lets files of the folders import `toolrack`, for the life of the process. */
export function resolveToolrack(roots: readonly ToolRoot[]): void {
  if (toolRoots.size === 0) registerHooks({ resolve: resolveFromTools, load: loadOfTools })
  for (const { path, name } of roots) toolRoots.set(path.endsWith(sep) ? path : path + sep, name)
}

/** Names each folder by its path from the working directory, or by the end of it that is unique. */
export function createToolRoots(folders: readonly string[]): readonly ToolRoot[] {
  const paths = folders.map(folder => (existsSync(folder) ? realpathSync(folder) : resolve(folder)))
  return paths.map(path => ({ path, name: nameRoot(path, paths) }))
}

function nameRoot(path: string, paths: readonly string[]): string {
  const fromHere = relative(process.cwd(), path)
  if (!fromHere.startsWith('..')) return fromHere === '' ? '.' : fromHere
  const parts = path.split(sep)
  for (let length = 1; length < parts.length; length++) {
    const end = parts.slice(-length).join(sep)
    if (!paths.some(other => other !== path && other.endsWith(sep + end))) return end
  }
  return path
}

/** Where a file is that `fileName` names; undefined if it is in none of the folders. */
export function findFilePath(name: string, roots: readonly ToolRoot[]): string | undefined {
  const root = roots.find(each => name.startsWith(each.name + sep))
  return root && join(root.path, name.slice(root.name.length + 1))
}

/** The names that a file may import from `toolrack`. */
export const listToolrackExports = async (): Promise<readonly string[]> => Object.keys(await import(INDEX))

/** Whether another file of the folder has imported this one. */
export const isImported = (file: string): boolean => importedFiles.has(file)

/**
 * @param own the generation of the file itself
 * @param helpers the generation of its imports from the folder; unchanged ones stay shared
 */
export function createToolModule(
  root: string,
  file: string,
  { own, helpers, roots }: { own: number; helpers: number; roots: readonly ToolRoot[] },
): ToolModule {
  const url = pathToFileURL(file)
  url.searchParams.set(OWN, String(own))
  url.searchParams.set(HELPERS, String(helpers))
  return { url: url.href, root, roots }
}

/** Whether a process with one of them must not load the other: of the same file, or of other helpers. */
export function isOtherVersion(one: ToolModule, other: ToolModule): boolean {
  const [a, b] = [new URL(one.url), new URL(other.url)]
  if (a.pathname === b.pathname) return a.href !== b.href
  return one.root === other.root && a.searchParams.get(HELPERS) !== b.searchParams.get(HELPERS)
}

export async function importModule({ url }: ToolModule): Promise<{ readonly default?: unknown }> {
  const { href, searchParams } = followLinks(url)
  // CommonJS is cached by path, whatever the query.
  if (searchParams.has(OWN)) delete commonJs[fileURLToPath(href)]
  const exported = await import(href)
  const { default: own } = exported
  return isObject(own) && isNamespace(own, exported) ? own : exported
}

// Node remembers for good where a link led, but an update of a ConfigMap leads it elsewhere.
function followLinks(url: string): URL {
  const followed = new URL(url)
  try {
    followed.pathname = pathToFileURL(realpathSync(fileURLToPath(url))).pathname
  } catch {
    // Node reports what is not there.
  }
  return followed
}

// Exports of CommonJS are together the default export. They are members if a compiler says so, and
// unless they are meant as a definition or a list.
const isNamespace = (own: object, exported: object) =>
  (own as { __esModule?: unknown }).__esModule === true ||
  ('module.exports' in exported && !Array.isArray(own) && !('name' in own) && !('handler' in own))

const commonJs = createRequire(here).cache

export function forgetCommonJs(files: readonly string[]): void {
  for (const file of files) delete commonJs[file]
}

const seenHelpers = new Map<string, string | null>()

/** Does in a worker what ToolsFolder does here: drops CommonJS files when the helpers changed. */
export function followFolder({ url, root, roots = [] }: ToolModule): void {
  if (root === undefined) return
  resolveToolrack(roots)
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
  const entry = Object.hasOwn(ENTRIES, specifier) ? ENTRIES[specifier] : undefined
  if (entry !== undefined) return { url: entry, shortCircuit: true }
  const resolved = next(specifier, context)
  if (helpers === null || !isBelowRoot(resolved.url)) return resolved
  const url = new URL(resolved.url)
  importedFiles.add(fileURLToPath(url).replace(VERSION_FOLDER, sep))
  url.searchParams.set(HELPERS, helpers)
  return { ...resolved, url: url.href }
}

type Load = NonNullable<Parameters<typeof registerHooks>[0]['load']>

// Node goes by the "type" of the nearest package.json, and warns if there is none.
const loadOfTools: Load = (url, context, next) => {
  if (!isBelowRoot(url)) return next(url, context)
  const path = fileURLToPath(url)
  const suffix = TYPED_BY_PACKAGE[extname(path)]
  const source = suffix === undefined ? undefined : readIfPossible(path)
  if (source === undefined) return next(url, context)
  if (!isCommonJs(source)) return next(url, { ...context, format: `module${suffix}` })
  // Node imports no CommonJS where the package has ES modules; `require` reads it.
  return context.format === `module${suffix}` && !context.conditions?.includes('require')
    ? { format: `module${suffix}`, source: wrapCommonJs(source), shortCircuit: true }
    : next(url, { ...context, format: `commonjs${suffix}` })
}

/** The ends of Node's formats, by extension. */
const TYPED_BY_PACKAGE: Readonly<Record<string, string>> = { '.js': '', '.ts': '-typescript' }

// Node reports what cannot be read.
function readIfPossible(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function isBelowRoot(url: string): boolean {
  if (!url.startsWith('file:')) return false
  const path = fileURLToPath(url.split('?')[0]!)
  for (const root of toolRoots.keys())
    if (path.startsWith(root) && !isInNodeModules(path.slice(root.length))) return true
  return false
}

const isInNodeModules = (path: string) => path.split(sep).includes('node_modules')

const MAX_NAME = 300
/** Controls, what changes the direction or is not seen, and separators of lines. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/** A file's name for logs: on one line, with escapes for what is not seen, and without where this machine keeps it. */
export function fileName(path: string): string {
  const name = findShownPath(path).replace(UNSEEN, char => `\\u{${char.codePointAt(0)!.toString(16)}}`)
  // The end is the most specific part.
  return name.length > MAX_NAME ? `…${name.slice(1 - MAX_NAME).toWellFormed()}` : name
}

/** The path from the working directory, or of a tools folder elsewhere, from that folder's name. */
function findShownPath(path: string): string {
  const fromHere = relative(process.cwd(), path)
  if (!fromHere.startsWith('..')) return fromHere
  const root = [...toolRoots].find(([each]) => `${path}${sep}`.startsWith(each))
  return root === undefined ? fromHere : join(root[1], relative(root[0], path))
}
