// The meaning of SQLite's errors for the state, by result code.
import { jitterRetryAfter } from 'toolrack/protocol'
import { McpError } from 'toolrack/stores'

/** `unusable`: the file can neither be read nor written, as with a broken disk. */
export type Trouble = 'locked' | 'full' | 'damaged' | 'unusable'

/** By primary result code: https://sqlite.org/rescode.html. Any other error is a bug. */
const TROUBLES: Readonly<Record<number, Trouble>> = {
  3: 'unusable', // PERM
  5: 'locked', // BUSY
  6: 'locked', // LOCKED
  7: 'unusable', // NOMEM
  8: 'unusable', // READONLY
  10: 'unusable', // IOERR
  11: 'damaged', // CORRUPT
  13: 'full', // FULL: the disk, or the file by its bound
  14: 'unusable', // CANTOPEN
  26: 'damaged', // NOTADB
}

/** @returns undefined if the error is a bug */
export function findTrouble(error: unknown): Trouble | undefined {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? TROUBLES[errcode & 0xff] : undefined
}

/** For `GET /ready`. */
export const PROBLEMS: Readonly<Record<Trouble, string>> = {
  locked: 'sqlite: another program has locked the file of the state: sessions and tasks are refused',
  full: 'sqlite: the file of the state, or its disk, is full: new sessions and tasks are refused',
  damaged: 'sqlite: the file of the state is damaged: sessions and tasks are refused if they need that part',
  unusable: 'sqlite: the file of the state cannot be read or written: sessions and tasks are refused',
}

const RETRY_S = 2
const FULL_RETRY_S = 30

export const unavailable = (cause?: unknown): McpError =>
  new McpError('STATE_UNAVAILABLE', 'the kept state cannot be reached; retry', {
    retryAfterS: jitterRetryAfter(RETRY_S),
    cause,
  })

export const tooFull = (cause: unknown): McpError =>
  new McpError('BUSY', 'there is no room for more state; retry later', {
    retryAfterS: jitterRetryAfter(FULL_RETRY_S),
    cause,
  })
