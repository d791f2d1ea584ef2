// Opens the folders below FILES_DIR one by one, each within the previous one and never by a link.
// A name is looked up in `/proc/self/fd/<fd>`, which is the open folder wherever it has been moved,
// so that swapping a folder cannot lead outside. Systems without /proc look up by path and check at
// the end. That is weaker: a fast enough swap may read or write a file outside.
import { constants, existsSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readlink, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { codeOf, faultOfChange, noFilesFolder, noSuchFolder, refused } from './faults.ts'

export interface Folder {
  readonly handle: FileHandle
  /** Real path of the files folder. */
  readonly root: string
  /** Path at which it was opened. */
  readonly path: string
  readonly isByDescriptor: boolean
}

export interface Way {
  /** Creates missing folders. */
  readonly isMade?: boolean
  readonly isByDescriptor?: boolean
}

const DESCRIPTORS = '/proc/self/fd'
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY
const HAS_DESCRIPTORS = existsSync(DESCRIPTORS)

/** Opens a folder, runs `work`, and closes the folder. @throws ToolError if it is missing */
export async function inFolder<T>(
  parts: readonly string[],
  work: (folder: Folder) => Promise<T>,
  { isMade = false, isByDescriptor = HAS_DESCRIPTORS }: Way = {},
): Promise<T> {
  let folder = await openRoot(isByDescriptor)
  try {
    for (const [index, name] of parts.entries()) {
      const path = parts.slice(0, index + 1).join('/')
      if (isMade) await make(folder, name, path)
      const inner = await openIn(folder, name, path)
      await folder.handle.close()
      folder = inner
    }
    await assertWithin(folder, folder, parts.join('/'))
    return await work(folder)
  } finally {
    await folder.handle.close()
  }
}

/** Returns the path by which a name is looked up in an open folder. */
export function at({ handle, path, isByDescriptor }: Folder, name: string): string {
  return isByDescriptor ? `${DESCRIPTORS}/${handle.fd}/${name}` : join(path, name)
}

/** @param path for the error text @throws ToolError if it is no folder, or a link */
export async function openIn(folder: Folder, name: string, path: string): Promise<Folder> {
  const where = at(folder, name)
  const handle = await open(where, FOLDER | constants.O_NOFOLLOW).catch(async error => {
    const found = await lstat(where).catch(() => undefined)
    throw found?.isSymbolicLink() === true ? refused(path) : noSuchFolder(path, error)
  })
  return { ...folder, handle, path: join(folder.path, name) }
}

/** Checks where the open file is now, however it was reached. @param path for the error text */
export async function assertWithin(
  { root, isByDescriptor }: Folder,
  opened: { handle: FileHandle; path: string },
  path: string,
): Promise<void> {
  const { handle } = opened
  const real = isByDescriptor ? await readlink(`${DESCRIPTORS}/${handle.fd}`) : await realpathOf(opened)
  if (real !== root && real?.startsWith(root.endsWith(sep) ? root : root + sep) !== true) throw refused(path)
}

/** Returns the real path, if it still leads to the same file. */
async function realpathOf({ handle, path }: { handle: FileHandle; path: string }): Promise<string | undefined> {
  const { dev, ino } = await handle.stat()
  const real = await realpath(path).catch(() => undefined)
  const now = real === undefined ? undefined : await stat(real).catch(() => undefined)
  return now?.dev === dev && now.ino === ino ? real : undefined
}

// Only this folder may be a link, because the operator has set it.
async function openRoot(isByDescriptor: boolean): Promise<Folder> {
  const folder = process.env['FILES_DIR'] ?? ''
  const handle = await open(folder, FOLDER).catch(() => {
    throw noFilesFolder()
  })
  try {
    const root = isByDescriptor ? await readlink(`${DESCRIPTORS}/${handle.fd}`) : await realpath(folder)
    return { handle, root, path: root, isByDescriptor }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function make(folder: Folder, name: string, path: string): Promise<void> {
  await mkdir(at(folder, name)).catch(error => {
    if (codeOf(error) !== 'EEXIST') throw faultOfChange(error, path)
  })
}
