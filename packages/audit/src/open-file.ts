// Opens the audit file. It appends, so that a copied and truncated file continues at its start, and
// only the owner may read it. O_NONBLOCK makes a pipe without a reader an error instead of a start
// that hangs.
import { closeSync, constants, openSync, readSync, statSync, writeSync } from 'node:fs'
import { ConfigError } from 'toolrack/settings'

/**
 * @returns closes it, once the audit has it open: the reader of a pipe would take it for the end
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

/** A full disk is tried again each second, so the descriptor must not stay open. */
function endLine(fd: number): void {
  try {
    writeSync(fd, '\n')
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** Whether a killed process has left half a line. Assumes so if the file cannot be read. */
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
