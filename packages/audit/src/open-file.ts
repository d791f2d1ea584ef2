// Opens the audit file. It appends, so that a copied and truncated file continues at its start, and
// only the owner may read it. O_NONBLOCK makes a pipe without a reader an error; otherwise the start
// would hang.
import { closeSync, constants, openSync, readSync, statSync, writeSync } from 'node:fs'
import { ConfigError } from 'toolrack/settings'

/**
 * @returns a function that closes it, to be called once the audit has it open: a pipe's reader
 *   would take an earlier close for the end
 * @throws ConfigError if the file cannot be opened for appending
 */
export function assertAuditFile(path: string | undefined, name: string): () => void {
  if (path === undefined) return () => {}
  const fd = openAuditFile(path, name)
  return () => closeSync(fd)
}

/** @returns its descriptor @throws ConfigError, with the code of its cause */
export function openAuditFile(path: string, name = 'audit.file'): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK = 0 } = constants
  try {
    const isCutOff = endsWithinLine(path)
    const fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600)
    if (isCutOff) endLine(fd)
    return fd
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const fault = new ConfigError(`${name}: expected a file that can be added to; ${path}: ${code}`)
    throw Object.assign(fault, { code })
  }
}

/** Closes the descriptor, since a full disk is tried again each second. */
function endLine(fd: number): void {
  try {
    writeSync(fd, '\n')
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** Whether a killed process has left a partial line. Assumes so if the file is unreadable. */
function endsWithinLine(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || !found.isFile() || found.size === 0) return false
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch {
    return true
  }
  try {
    const last = Buffer.alloc(1)
    readSync(fd, last, 0, 1, found.size - 1)
    return last.toString() !== '\n'
  } finally {
    closeSync(fd)
  }
}
