// A file that is certainly within FILES_DIR, open for reading, whatever its path says and whoever swaps what it names.
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

// O_NONBLOCK: a FIFO that was put there since would keep us waiting. O_NOFOLLOW: nor may it be a link by now.
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const SECOND_NAME_MS = 5
const SECOND_NAME_TRIES = 4

/** @returns a handle that the caller closes. @throws ToolError where it is no regular file within FILES_DIR */
export function openFile(path: string, way?: Way): Promise<OpenFile> {
  return openTarget(targetOf(path), way)
}

export async function openTarget(target: Target, way?: Way): Promise<OpenFile> {
  return await inFolder(target.folders, folder => openHere(folder, target), way)
}

async function openHere(folder: Folder, { name, path }: Target): Promise<OpenFile> {
  const where = at(folder, name)
  // Looked at first, since opening a device may do something.
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
    // A second name may be anywhere.
    if (stats.nlink > 1) throw refused(path)
    await assertWithin(folder, { handle, path: where }, path)
    return { handle, stats }
  } catch (error) {
    await handle.close()
    throw error
  }
}

// A file that is just being written has two names for a moment.
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
