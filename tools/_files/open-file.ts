// Opens a file for reading that is certainly within FILES_DIR, whatever its path says and whatever
// another process swaps meanwhile.
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { notRegular, notThere, refused } from './faults.ts'
import { assertWithin, at, type Folder, inFolder, type Way } from './folder.ts'
import { type Target, targetOf } from './path.ts'

export interface OpenFile {
  readonly handle: FileHandle
  readonly stats: Stats
}

// O_NONBLOCK: opening a FIFO that was put there meanwhile would block. O_NOFOLLOW: no link either.
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const SECOND_NAME_MS = 5
const SECOND_NAME_TRIES = 4

/**
 * @returns a handle that the caller closes
 * @throws ToolError if it is no regular file within FILES_DIR
 */
export function openFile(path: string, way?: Way): Promise<OpenFile> {
  return openTarget(targetOf(path), way)
}

export async function openTarget(target: Target, way?: Way): Promise<OpenFile> {
  return await inFolder(target.folders, folder => openHere(folder, target), way)
}

async function openHere(folder: Folder, { name, path }: Target): Promise<OpenFile> {
  const where = at(folder, name)
  // Checked before it is opened, since opening a device may have effects.
  const found = await lstat(where).catch(error => {
    throw notThere(path, error)
  })
  assertRegular(found, path)
  const handle = await open(where, READING).catch(error => {
    throw notThere(path, error)
  })
  try {
    const stats = await statOf(handle)
    assertRegular(stats, path)
    // Another hard link may be anywhere, also outside.
    if (stats.nlink > 1) throw refused(path)
    await assertWithin(folder, { handle, path: where }, path)
    return { handle, stats }
  } catch (error) {
    await handle.close()
    throw error
  }
}

// A file that is being written has two names for a moment.
async function statOf(handle: FileHandle): Promise<Stats> {
  for (let tries = 1; ; tries++) {
    const stats = await handle.stat()
    if (stats.nlink <= 1 || tries === SECOND_NAME_TRIES) return stats
    await setTimeout(SECOND_NAME_MS)
  }
}

/** @throws ToolError for links, folders, devices and the like */
export function assertRegular(stats: { isSymbolicLink(): boolean; isFile(): boolean }, path: string): void {
  if (stats.isSymbolicLink()) throw refused(path)
  if (!stats.isFile()) throw notRegular(path)
}
