// Files that several commands may change at once: one change after the other, each completely or not
// at all.
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CommandError } from './errors.ts'

/** How long to wait for another command, ms. Each holds the file for some milliseconds. */
export const LOCK_WAIT_MS = 5000
const LOCK_RETRY_MS = 20
/** Only the owner may read and write a new file. */
const NEW_FILE_MODE = 0o600

export interface LockOptions {
  readonly waitMs?: number
  /** An older lock comes from a killed command, ms. Without this, the user has to delete it. */
  readonly staleMs?: number
}

/**
 * @returns a function that releases the file
 * @throws CommandError if another command holds it for too long
 */
export async function lockFile(
  path: string,
  { waitMs = LOCK_WAIT_MS, staleMs }: LockOptions = {},
): Promise<() => void> {
  const name = `${path}.lock`
  const untilMs = performance.now() + waitMs
  for (;;) {
    try {
      writeFileSync(name, String(process.pid), { flag: 'wx', mode: NEW_FILE_MODE })
      return () => rmSync(name, { force: true })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') throw new CommandError(`there is no folder ${dirname(path)}`)
      if (code !== 'EEXIST') throw error
      if (staleMs !== undefined && isOlder(name, staleMs)) {
        rmSync(name, { force: true })
        continue
      }
      if (performance.now() > untilMs)
        throw new CommandError(
          `${name} is there: ${describeHolder(name)} changes the file; if it was killed, delete ${name}`,
        )
      await delay(LOCK_RETRY_MS)
    }
  }
}

function isOlder(name: string, ms: number): boolean {
  const stats = statSync(name, { throwIfNoEntry: false })
  return stats !== undefined && Date.now() - stats.mtimeMs > ms
}

function describeHolder(name: string): string {
  try {
    return `process ${Number(readFileSync(name, 'utf8'))}`
  } catch {
    // The process has just ended.
    return 'another process'
  }
}

/**
 * Follows a link, so that its target is changed, and the link stays.
 *
 * @returns the path of a file that may not exist
 */
export const followLink = (path: string): string => (existsSync(path) ? realpathSync(path) : path)

/** @param former its mode and owner are kept; without it, the new file gets `mode` */
export function replaceFile(path: string, text: string, former: Stats | undefined, mode: number = NEW_FILE_MODE): void {
  const temporary = `${path}.new`
  // A killed command has left it.
  rmSync(temporary, { force: true })
  try {
    write(temporary, text, former, mode)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

function write(path: string, text: string, former: Stats | undefined, mode: number): void {
  const descriptor = openSync(path, 'wx', mode)
  try {
    if (former !== undefined) {
      keepOwner(descriptor, former)
      fchmodSync(descriptor, former.mode & 0o777)
    }
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Keeps the file readable for others, even if root has changed it. */
function keepOwner(descriptor: number, { uid, gid }: Stats): void {
  try {
    fchownSync(descriptor, uid, gid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
    throw new CommandError('the file belongs to another user, who has to change it; nothing is written')
  }
}
