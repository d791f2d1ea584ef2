// Writes the files of a new project. Overwrites files only if asked to.
import { existsSync, lstatSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { CommandError, UsageError } from './errors.ts'
import { createProjectFiles } from './project-files.ts'

export interface ProjectOptions {
  readonly name?: string | undefined
  /** Whether existing files are overwritten. */
  readonly isForced: boolean
  readonly signal: AbortSignal
}

export interface Project {
  readonly folder: string
  readonly name: string
  /** Paths from the folder. */
  readonly files: readonly string[]
}

/** @throws UsageError for the name; CommandError if something is in the way */
export async function createProject(folder: string, { name, isForced, signal }: ProjectOptions): Promise<Project> {
  // An empty variable of a shell must not mean the current folder.
  if (folder === '') throw new UsageError('folder: expected a name, or . for this folder')
  const packageName = name ?? basename(resolve(folder))
  assertName(packageName, { isGiven: name !== undefined })
  const contents = createProjectFiles(packageName)
  const files = Object.keys(contents)
  assertFolder(folder)
  if (!isForced) assertNothingThere(folder, files)
  for (const [file, text] of Object.entries(contents)) {
    signal.throwIfAborted()
    const path = join(folder, file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { flag: isForced ? 'w' : 'wx' })
  }
  return { folder, name: packageName, files }
}

/** Names that npm accepts. */
const NAME = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/
const MAX_NAME = 214
/** npm refuses to install a package into one with the same name. */
const TAKEN: readonly string[] = ['toolrack', 'node_modules']

function assertName(name: string, { isGiven }: { readonly isGiven: boolean }): void {
  if (NAME.test(name) && name.length <= MAX_NAME && !TAKEN.includes(name)) return
  const what = isGiven ? '--name' : 'the name of the folder'
  const rule = TAKEN.includes(name) ? 'that is not taken' : 'in small letters, digits, hyphens and dots'
  const fix = isGiven ? 'such as my-tools' : 'or --name my-tools'
  throw new UsageError(`${JSON.stringify(name)}: expected ${what} to be one ${rule}, ${fix}`)
}

/** Whether the folder exists, or can be created. */
function assertFolder(folder: string): void {
  for (let path = resolve(folder); ; path = dirname(path)) {
    const name = path === resolve(folder) ? folder : path
    if (isDeadLink(path)) throw new CommandError(`${name} is a link to nothing; name another folder`)
    if (!existsSync(path)) continue
    if (statSync(path).isDirectory()) return
    throw new CommandError(`${name} exists and is not a folder; name another one`)
  }
}

function isDeadLink(path: string): boolean {
  if (existsSync(path)) return false
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    // Nothing exists at this path.
    return false
  }
}

function assertNothingThere(folder: string, files: readonly string[]): void {
  const there = files.filter(file => lstatSync(join(folder, file), { throwIfNoEntry: false }) !== undefined)
  if (there.length === 0) return
  throw new CommandError(
    `${folder} has ${there.join(', ')} already; nothing is written. It would write ${files.join(', ')}; ` +
      'name another folder, or overwrite with --force',
  )
}
