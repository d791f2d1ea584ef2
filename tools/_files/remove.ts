// Removes the very file that was found before, and no other that has taken its name since.
import type { BigIntStats } from 'node:fs'
import { link, lstat, readlink, rename, symlink, unlink } from 'node:fs/promises'
import { ToolError } from 'toolrack'
import { codeOf, faultOfChange, hasChanged, isMissing, notThere, refused } from './faults.ts'
import { at, type Folder, inFolder, type Way } from './folder.ts'
import { assertRegular } from './open-file.ts'
import { targetOf, temporaryName } from './path.ts'

/**
 * @returns undefined if there is no file
 * @throws ToolError if it is no regular file within FILES_DIR
 */
export async function findFile(path: string, way?: Way): Promise<BigIntStats | undefined> {
  const { folders, name } = targetOf(path)
  const found = await inFolder(folders, folder => statIn(folder, name, path), way).catch(error => {
    if (error instanceof ToolError && isMissing(error.cause)) return undefined
    throw error
  })
  if (found === undefined) return undefined
  assertRegular(found, path)
  // Another hard link may be anywhere, so removing this name would say little about the file.
  if (found.nlink > 1n) throw refused(path)
  return found
}

/** @throws ToolError if another file has the name by now; that file stays */
export async function removeFile(path: string, found: BigIntStats, way?: Way): Promise<void> {
  const { folders, name } = targetOf(path)
  await inFolder(
    folders,
    async folder => {
      const now = await statIn(folder, name, path)
      if (now === undefined || !isSame(now, found)) throw hasChanged(path)
      await takeAway(folder, name, { path, found }).catch(error => {
        throw faultOfChange(error, path)
      })
    },
    way,
  )
}

async function statIn(folder: Folder, name: string, path: string): Promise<BigIntStats | undefined> {
  return await lstat(at(folder, name), { bigint: true }).catch(error => {
    if (isMissing(error)) return undefined
    throw notThere(path)
  })
}

function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev && one.mtimeNs === other.mtimeNs && one.size === other.size
}

// No system call removes a name only if it still means a certain file. So the file is moved to a
// name that no other process uses, checked there, and put back if it is another file.
async function takeAway(
  folder: Folder,
  name: string,
  { path, found }: { path: string; found: BigIntStats },
): Promise<void> {
  const place = at(folder, name)
  const aside = at(folder, temporaryName())
  await rename(place, aside).catch(error => {
    throw isMissing(error) ? hasChanged(path) : error
  })
  const taken = await lstat(aside, { bigint: true })
  if (isSame(taken, found)) return await unlink(aside)
  await putBack(aside, place, taken).catch(error => {
    if (codeOf(error) !== 'EEXIST' && codeOf(error) !== 'ENOTDIR' && codeOf(error) !== 'ENOTEMPTY') throw error
    // The name has been taken again, so both files are kept.
    return rename(aside, at(folder, `restored-${crypto.randomUUID()}`))
  })
  throw hasChanged(path)
}

/** Never replaces an existing file. */
async function putBack(aside: string, place: string, taken: BigIntStats): Promise<void> {
  if (taken.isDirectory()) return await rename(aside, place)
  // Some systems would link the target of a symbolic link.
  if (taken.isSymbolicLink()) await symlink(await readlink(aside), place)
  else await link(aside, place)
  await unlink(aside)
}
