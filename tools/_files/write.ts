// Writes a file whole or not at all: under a hidden name beside it, which is then linked or renamed
// to its place.
import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises'
import { codeOf, existsAlready, faultOfChange, isDenied, refused } from './faults.ts'
import { at, type Folder, inFolder, type Way } from './folder.ts'
import { assertRegular } from './open-file.ts'
import { type Target, targetOf, temporaryName } from './path.ts'

const ASKING = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const WRITING = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

interface Content {
  readonly bytes: Uint8Array
  /** True if an existing file is replaced. */
  readonly isOverwriting: boolean
}

/**
 * @returns true if the file is new
 * @throws ToolError if it cannot be written; an old file is then unchanged
 */
export async function writeFile(path: string, content: Content, way?: Way): Promise<boolean> {
  const target = targetOf(path)
  return await inFolder(target.folders, folder => writeHere(folder, target, content), { ...way, isMade: true })
}

async function writeHere(folder: Folder, { name, path }: Target, content: Content): Promise<boolean> {
  const old = await lstat(at(folder, name)).catch(() => undefined)
  if (old !== undefined) assertReplaceable(old, path, content)
  const temporary = at(folder, temporaryName())
  try {
    if (old !== undefined) await assertWritable(at(folder, name))
    const handle = await open(temporary, WRITING, old === undefined ? 0o666 : 0o600)
    try {
      await fill(handle, content.bytes, old)
    } finally {
      await handle.close()
    }
    await put(temporary, at(folder, name), content)
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? existsAlready(path) : faultOfChange(error, path)
  } finally {
    await unlink(temporary).catch(() => {})
  }
  // Otherwise a power cut could undo the new name; some file systems do not support this. Done last,
  // since a reader refuses a file that has two names for long.
  await folder.handle.sync().catch(() => {})
  return old === undefined
}

function assertReplaceable(old: Stats, path: string, { isOverwriting }: Content): void {
  assertRegular(old, path)
  if (!isOverwriting) throw existsAlready(path)
  if (old.nlink > 1) throw refused(path)
}

// Replacing a file needs rights to its folder only, so the right to the file is checked here. Other
// errors show up later.
async function assertWritable(place: string): Promise<void> {
  const handle = await open(place, ASKING).catch(error => {
    if (isDenied(error)) throw error
  })
  await handle?.close()
}

// Drops setuid and the like, as any change of a file's content does.
async function fill(handle: FileHandle, bytes: Uint8Array, old: Stats | undefined): Promise<void> {
  await handle.writeFile(bytes)
  if (old !== undefined) {
    await handle.chown(old.uid, old.gid).catch(() => {})
    await handle.chmod(old.mode & 0o777)
  }
  await handle.sync()
}

// A link, unlike a rename, never replaces a file that was put there since. Neither follows a link
// of that name.
async function put(temporary: string, place: string, { isOverwriting }: Content): Promise<void> {
  await (isOverwriting ? rename : link)(temporary, place)
}
