// A file comes into its place whole or not at all: written under a hidden name beside it, then linked or renamed there.
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
  /** Whether a file that is there is replaced. */
  readonly isOverwriting: boolean
}

/** @returns whether it is new. @throws ToolError where it may not be written; the old file is then as it was */
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
    // Else a power cut could take the name away again; some file systems know no such thing.
    await folder.handle.sync().catch(() => {})
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? existsAlready(path) : faultOfChange(error, path)
  } finally {
    await unlink(temporary).catch(() => {})
  }
  return old === undefined
}

function assertReplaceable(old: Stats, path: string, { isOverwriting }: Content): void {
  assertRegular(old, path)
  if (!isOverwriting) throw existsAlready(path)
  if (old.nlink > 1) throw refused(path)
}

// To replace a file takes no right to it, only to its folder; so it is asked for here. The other faults will show.
async function assertWritable(place: string): Promise<void> {
  const handle = await open(place, ASKING).catch(error => {
    if (isDenied(error)) throw error
  })
  await handle?.close()
}

// Without setuid and the like, as after any change of a file's content.
async function fill(handle: FileHandle, bytes: Uint8Array, old: Stats | undefined): Promise<void> {
  await handle.writeFile(bytes)
  if (old !== undefined) {
    await handle.chown(old.uid, old.gid).catch(() => {})
    await handle.chmod(old.mode & 0o777)
  }
  await handle.sync()
}

// Unlike a rename, a link never replaces what somebody else put there since. Neither follows a link of that name.
async function put(temporary: string, place: string, { isOverwriting }: Content): Promise<void> {
  await (isOverwriting ? rename : link)(temporary, place)
}
