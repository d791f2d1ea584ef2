// Changes the file of API keys: completely or not at all, and one change after the other.
import { statSync } from 'node:fs'
import { ApiKeyFileError, type ApiKeyRecord, parseApiKeys, readApiKeyFile } from 'toolrack/keys'
import { CommandError } from './errors.ts'
import { followLink, LOCK_WAIT_MS, lockFile, replaceFile } from './locked-file.ts'

export interface KeyFileChange<T> {
  readonly records: readonly ApiKeyRecord[]
  readonly result: T
}

/** @throws CommandError if the file cannot be read, or is invalid */
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
  const path = followLink(file)
  const unlock = await lockFile(path, { waitMs: lockWaitMs })
  try {
    // Synchronous from here on, so that no signal ends the command in between.
    const former = statSync(path, { throwIfNoEntry: false })
    const { records, result } = change(former === undefined ? [] : readKeyFile(path))
    const text = `${JSON.stringify({ keys: records }, undefined, 2)}\n`
    assertValid(file, text)
    replaceFile(path, text, former)
    return result
  } finally {
    unlock()
  }
}

/** Checks what the server would check, such as the number of keys. */
function assertValid(file: string, text: string): void {
  try {
    parseApiKeys(Buffer.from(text))
  } catch (error) {
    throw error instanceof ApiKeyFileError ? new CommandError(`${file}: ${error.message}; nothing is written`) : error
  }
}
