// The tools folders, and the names of the folders and their files in logs.
import { existsSync, realpathSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { showHidden } from 'toolrack/text'

/** A tools folder. */
export interface ToolRoot {
  /** Its real path: Node identifies modules by it. */
  readonly path: string
  /** The name in logs. */
  readonly name: string
}

/** The names of the folders in logs, by path; each path ends with a separator. */
const toolRoots = new Map<string, string>()

/** Adds folders for the life of the process. */
export function addToolRoots(roots: readonly ToolRoot[]): void {
  for (const { path, name } of roots) toolRoots.set(path.endsWith(sep) ? path : path + sep, name)
}

/**
 * Names each folder by its path from the working directory, or by the end of its path that is
 * unique.
 */
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

/** The path of a file from its name by `fileName`; undefined if it is in none of the folders. */
export function findFilePath(name: string, roots: readonly ToolRoot[]): string | undefined {
  const root = roots.find(each => name.startsWith(each.name + sep))
  return root && join(root.path, name.slice(root.name.length + 1))
}

export const isBelow = (roots: readonly Pick<ToolRoot, 'path'>[], path: string) =>
  roots.some(root => path.startsWith(root.path + sep))

/** Whether a file is in a tools folder, and not in a package there. */
export function isBelowRoot(url: string): boolean {
  if (!url.startsWith('file:')) return false
  const path = fileURLToPath(url.split('?')[0]!)
  for (const root of toolRoots.keys())
    if (path.startsWith(root) && !isInNodeModules(path.slice(root.length))) return true
  return false
}

export const toPosix = (path: string): string => (sep === '/' ? path : path.split(sep).join('/'))

export const isInNodeModules = (path: string) => path.split(sep).includes('node_modules')

const MAX_NAME = 300

/**
 * The name of a file for logs: on one line, with escapes for hidden characters, without paths of
 * this machine.
 */
export function fileName(path: string): string {
  const name = showHidden(findShownPath(path))
  // The end is the most specific part.
  return name.length > MAX_NAME ? `…${name.slice(1 - MAX_NAME).toWellFormed()}` : name
}

/**
 * The path from the working directory. For a tools folder elsewhere, the path from that folder's
 * name.
 */
function findShownPath(path: string): string {
  const fromHere = relative(process.cwd(), path)
  if (!fromHere.startsWith('..')) return fromHere
  const root = [...toolRoots].find(([each]) => `${path}${sep}`.startsWith(each))
  return root === undefined ? fromHere : join(root[1], relative(root[0], path))
}
