// The modules of a tools folder. `toolrack` resolves to this copy of the package. A changed file is
// imported again, together with its imports outside of `node_modules`. The syntax of a file decides
// how it is read.
import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { extname, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ToolModule } from 'toolrack/definitions'
import { isCommonJs, wrapCommonJs } from './file-texts/syntax.ts'
import { findFile, type ImportedFile, listElsewhere, noteFile, noteImport, renew } from './imports.ts'
import { addToolRoots, isBelow, isBelowRoot, isInNodeModules, type ToolRoot } from './tool-roots.ts'

/** The modules of this package that a file may import, whichever copy its project has. */
const ENTRIES = new Map(
  ['toolrack', 'toolrack/source', 'toolrack/testing'].map(name => [name, import.meta.resolve(name)]),
)
const OWN_FOLDER = new URL('.', ENTRIES.get('toolrack')!).href

// Node caches modules by URL for the life of the process; a new query makes it read the file again.
const OWN = 'toolrack'
const HELPERS = 'helpers'

/** Folder of a ConfigMap: files are links into it, and each update has another one. */
const VERSION_FOLDER = /[\\/]\.\.[^.\\/][^\\/]*[\\/]/

let generations = 0
let hasHooks = false

/** A number with which no file of this process was loaded. */
export const nextGeneration = (): number => ++generations

/** Lets files of the folders import `toolrack`, for the life of the process. */
export function resolveToolrack(roots: readonly ToolRoot[]): void {
  if (!hasHooks) registerHooks({ resolve: resolveFromTools, load: loadOfTools })
  hasHooks = true
  addToolRoots(roots)
}

/** The names that a file may import from `toolrack`. */
export const listToolrackExports = async (): Promise<readonly string[]> =>
  Object.keys(await import(ENTRIES.get('toolrack')!))

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

/**
 * Whether a process with one module cannot load the other: another version of the file or of its
 * helpers.
 */
export function isOtherVersion(one: ToolModule, other: ToolModule): boolean {
  const [a, b] = [new URL(one.url), new URL(other.url)]
  if (a.pathname === b.pathname) return a.href !== b.href
  return one.root === other.root && a.searchParams.get(HELPERS) !== b.searchParams.get(HELPERS)
}

export async function importModule({ url }: ToolModule): Promise<{ readonly default?: unknown }> {
  const { href, searchParams } = followLinks(url)
  if (searchParams.has(OWN)) {
    const [link, path] = [toPath(url), toPath(href)]
    const facts = { isElsewhere: false, isOfProgram: false }
    for (const each of [link, path]) noteFile(each, Number(searchParams.get(HELPERS)), facts)
    if (link !== path) findFile(link)?.imports.add(path)
    // CommonJS is cached by path, whatever the query.
    forgetCommonJs([fileURLToPath(href)])
  }
  const exported = await import(href)
  const { default: own } = exported
  if (Array.isArray(own)) return 'module.exports' in exported ? { ...namedMembers(own), ...exported } : exported
  return typeof own === 'object' && own !== null && isNamespace(own, exported) ? own : exported
}

/** The named members of a CommonJS list, such as rules: `module.exports.visible = …`. */
const namedMembers = (list: readonly unknown[]) =>
  Object.fromEntries(Object.entries(list).filter(([name]) => !/^\d+$/.test(name)))

// Node remembers the target of a link forever, but an update of a ConfigMap changes it.
function followLinks(url: string): URL {
  const followed = new URL(url)
  try {
    followed.pathname = pathToFileURL(realpathSync(fileURLToPath(url))).pathname
  } catch {
    // Node reports the missing file.
  }
  return followed
}

// The exports of CommonJS are together the default export. They are separate members if a compiler
// says so, unless they are meant as a definition or a list.
const isNamespace = (own: object, exported: object) =>
  (own as { __esModule?: unknown }).__esModule === true ||
  ('module.exports' in exported && !('name' in own) && !('handler' in own))

const commonJs = createRequire(import.meta.url).cache

/** Keeps native code, which a process can load once only. */
export function forgetCommonJs(files: readonly string[]): void {
  for (const file of files) if (!file.endsWith('.node')) delete commonJs[file]
}

const seenHelpers = new Map<string, string | null>()

/**
 * Does in a worker what the folder source does here: files are read again after a change of helpers.
 */
export function followFolder({ url, root, roots = [] }: ToolModule): void {
  if (root === undefined) return
  resolveToolrack(roots)
  const helpers = new URL(url).searchParams.get(HELPERS)
  if (seenHelpers.get(root) !== helpers) {
    forgetCommonJs(Object.keys(commonJs).filter(path => isBelowRoot(pathToFileURL(path).href)))
    readAnew(
      listElsewhere(() => true),
      Number(helpers),
      roots,
    )
  }
  seenHelpers.set(root, helpers)
}

/** The outside files that files of the folders import, at any depth. */
export const listImportedElsewhere = (roots: readonly Pick<ToolRoot, 'path'>[]): readonly string[] =>
  listElsewhere(path => isBelow(roots, path))

/** Makes changed outside files load again when a file of the folders imports them. */
export function readAnew(changed: readonly string[], generation: number, roots: readonly ToolRoot[]): void {
  forgetCommonJs(renew(changed, generation, path => isBelow(roots, path)))
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]['resolve']>

const resolveFromTools: Resolve = (specifier, context, next) => {
  const importer = findImporter(context.parentURL)
  if (importer === undefined) return next(specifier, context)
  const entry = ENTRIES.get(specifier)
  if (entry !== undefined) return { url: entry, shortCircuit: true }
  const resolved = resolveNoting(importer, () => next(specifier, context))
  const file = noteResolved(importer, resolved.url)
  // `require` uses paths.
  if (file === undefined || file.version === 0 || context.conditions?.includes('require')) return resolved
  const url = new URL(resolved.url)
  url.searchParams.set(HELPERS, String(file.version))
  return { ...resolved, url: url.href }
}

interface Importer {
  readonly path: string
  /** Undefined if the tools of this process did not load it. */
  readonly generation: number | undefined
}

/** @returns undefined if it is neither a tool file nor an import of one */
function findImporter(parentUrl: string | undefined): Importer | undefined {
  if (!parentUrl?.startsWith('file:')) return undefined
  const path = toPath(parentUrl)
  const tag = parentUrl.includes(HELPERS) ? new URL(parentUrl).searchParams.get(HELPERS) : null
  // CommonJS reports its URL without a query.
  const generation = tag === null ? findFile(path)?.generation : Number(tag)
  return generation === undefined && !isBelowRoot(parentUrl) ? undefined : { path, generation }
}

/** Also records a missing file, so that the import is tried again once the file exists. */
function resolveNoting<T>(importer: Importer, resolve: () => T): T {
  try {
    return resolve()
  } catch (error) {
    const { url } = error as { url?: unknown }
    const file = typeof url === 'string' ? noteResolved(importer, url) : undefined
    if (file !== undefined) file.hash ??= ''
    throw error
  }
}

/**
 * @returns undefined for a file of a package, of Node or of the server, and if the generation is
 *   unknown
 */
function noteResolved({ path: importer, generation }: Importer, url: string): ImportedFile | undefined {
  if (generation === undefined || !url.startsWith('file:') || isOwnCode(url)) return undefined
  const isElsewhere = !isBelowRoot(url)
  const path = toPath(url)
  if (isElsewhere && isInNodeModules(path)) return undefined
  const isOfProgram = isElsewhere && findFile(path) === undefined && commonJs[path] !== undefined
  const file = noteFile(path, generation, { isElsewhere, isOfProgram })
  noteImport(importer, path, file)
  return file
}

/** Whether it is code of the server, which tool files share. */
const isOwnCode = (url: string) => url.startsWith(OWN_FOLDER)

/** In the form of the scan of a folder. */
const toPath = (url: string) => fileURLToPath(url.split('?')[0]!).replace(VERSION_FOLDER, sep)

export const hashText = (content: string | Buffer): string => createHash('sha256').update(content).digest('base64')

type Load = NonNullable<Parameters<typeof registerHooks>[0]['load']>

// Node would use the "type" of the nearest package.json, and warns if it is missing.
const loadOfTools: Load = (url, context, next) => {
  if (!isBelowRoot(url) && !noteLoad(url)) return next(url, context)
  const path = fileURLToPath(url)
  const suffix = TYPED_BY_PACKAGE[extname(path)]
  const source = suffix === undefined ? undefined : readIfPossible(path)?.toString()
  if (source === undefined) return next(url, context)
  if (!isCommonJs(source)) return next(url, { ...context, format: `module${suffix}` })
  // Node does not import CommonJS where the package has ES modules, but `require` reads it.
  return context.format === `module${suffix}` && !context.conditions?.includes('require')
    ? { format: `module${suffix}`, source: wrapCommonJs(source), shortCircuit: true }
    : next(url, { ...context, format: `commonjs${suffix}` })
}

/**
 * Records which version of an outside file is loaded. A file that the program imported before the
 * tools did is not loaded again: it has no hash, and is shared with the program.
 *
 * @returns whether the file is loaded for the tools
 */
function noteLoad(url: string): boolean {
  if (!url.startsWith('file:')) return false
  const file = findFile(toPath(url))
  if (file === undefined || file.isOfProgram) return false
  if (file.isElsewhere) file.hash = hashText(readIfPossible(fileURLToPath(url)) ?? '')
  return true
}

/** The suffixes of Node's formats, by extension. */
const TYPED_BY_PACKAGE: Readonly<Record<string, string>> = { '.js': '', '.ts': '-typescript' }

// Node reports unreadable files.
function readIfPossible(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
