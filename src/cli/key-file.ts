// Changes the file of API keys: whole or not at all, and one change after the other.
import {
  closeSync,
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
import { ApiKeyFileError, type ApiKeyRecord, parseApiKeys } from '../auth/api-key-records.ts'
import { readApiKeyFile } from '../auth/api-keys.ts'
import { CommandError } from './errors.ts'

/** How long to wait for another command, ms: each holds the file for some milliseconds. */
const LOCK_WAIT_MS = 5000
const LOCK_RETRY_MS = 20
/** Only its owner may read and write a new file. */
const NEW_FILE_MODE = 0o600

export interface KeyFileChange<T> {
  readonly records: readonly ApiKeyRecord[]
  readonly result: T
}

/** @throws CommandError if it cannot be read, or has a fault */
export function readKeyFile(file: string): readonly ApiKeyRecord[] {
  try {
    return parseApiKeys(readApiKeyFile(file).bytes)
  } catch (error) {
    throw error instanceof ApiKeyFileError ? new CommandError(`${file}: ${error.message}`) : error
  }
}

/** Reads the file, which may be missing, and replaces it. @throws CommandError */
export async function changeKeyFile<T>(
  file: string,
  change: (records: readonly ApiKeyRecord[]) => KeyFileChange<T>,
  lockWaitMs = LOCK_WAIT_MS,
): Promise<T> {
  // A link stays a link: what it points to is replaced.
  const path = statSync(file, { throwIfNoEntry: false }) === undefined ? file : realpathSync(file)
  const unlock = await lock(path, lockWaitMs)
  try {
    // Nothing waits from here on, so that no signal ends the command in between.
    const former = statSync(path, { throwIfNoEntry: false })
    const { records, result } = change(former === undefined ? [] : readKeyFile(path))
    const text = `${JSON.stringify({ keys: records }, undefined, 2)}\n`
    assertValid(file, text)
    replace(path, text, former)
    return result
  } finally {
    unlock()
  }
}

/** @returns gives the file free again */
async function lock(path: string, waitMs: number): Promise<() => void> {
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
      if (performance.now() > untilMs)
        throw new CommandError(
          `${name} is there: ${describeHolder(name)} changes the file; if it was killed, delete ${name}`,
        )
      await delay(LOCK_RETRY_MS)
    }
  }
}

function describeHolder(name: string): string {
  try {
    return `process ${Number(readFileSync(name, 'utf8'))}`
  } catch {
    // It has gone in this moment.
    return 'another process'
  }
}

/** The server would refuse it: there may be too many keys. */
function assertValid(file: string, text: string): void {
  try {
    parseApiKeys(Buffer.from(text))
  } catch (error) {
    throw error instanceof ApiKeyFileError ? new CommandError(`${file}: ${error.message}; nothing is written`) : error
  }
}

function replace(path: string, text: string, former: Stats | undefined): void {
  const temporary = `${path}.new`
  // Left by a command that was killed.
  rmSync(temporary, { force: true })
  try {
    write(temporary, text, former)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

function write(path: string, text: string, former: Stats | undefined): void {
  const descriptor = openSync(path, 'wx', NEW_FILE_MODE)
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

/** The server has to read it, also if root has changed it. */
function keepOwner(descriptor: number, { uid, gid }: Stats): void {
  try {
    fchownSync(descriptor, uid, gid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
    throw new CommandError('the file belongs to another user, who has to change it; nothing is written')
  }
}
