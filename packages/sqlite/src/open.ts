// Opens the file: private, of the right version, sound, and bounded in size.
import { chmodSync, closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { McpError, StartError } from 'toolrack/stores'
import { toReason } from 'toolrack/text'
import { findTrouble } from './errors.ts'
import { type DatabaseSync, loadSqlite } from './module.ts'
import { migrate } from './schema.ts'

/** How long a statement waits for another program that writes, ms. The whole process waits. */
const LOCKED_MS = 100
/** Size of the empty write-ahead log on disk, bytes. */
const WAL_KEPT_BYTES = 16 * 1024 * 1024

// `NORMAL`: a commit survives the end of the process at once. It survives a power cut once the log
// has been copied into the file. A server cannot use a setting that waits for the disk at each call.
const PRAGMAS = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA journal_size_limit = ${WAL_KEPT_BYTES};
`

/** @throws StartError, or an error of SQLite */
export function openDatabase(path: string, maxBytes: number): DatabaseSync {
  createPrivately(path)
  const { DatabaseSync } = loadSqlite()
  const database = new DatabaseSync(path)
  try {
    database.exec(`PRAGMA busy_timeout = ${LOCKED_MS}`)
    migrate(database, path)
    database.exec(PRAGMAS)
    for (const end of ['', '-wal', '-shm']) if (existsSync(path + end)) closeToOthers(path + end)
    assertSound(database, path)
    limitPages(database, maxBytes)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Two names of one file get the same path, and so the same lock. @throws StartError */
export function findPath(path: string): string {
  const folder = dirname(path)
  if (!existsSync(folder)) throw new StartError(`the folder ${folder} is missing; make it first`)
  if (existsSync(path) && !statSync(path).isFile())
    throw new StartError(`${path} is a folder or a device; expected the path of a file`)
  createPrivately(path)
  return realpathSync(path)
}

/** The file contains arguments and results of tools, and the secret that seals. */
export function createPrivately(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
}

// Only once it is sure that the file belongs to Toolrack.
function closeToOthers(path: string): void {
  const { mode } = statSync(path)
  if ((mode & 0o007) !== 0) chmodSync(path, mode & 0o770)
}

// Reads the whole file, so that damage shows at the start, and not in a call.
function assertSound(database: DatabaseSync, path: string): void {
  const [found] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})
  if (found !== 'ok') throw new StartError(describeDamage(path))
}

/** SQLite accepts no limit below the current size of the file. */
export function limitPages(database: DatabaseSync, maxBytes: number): void {
  const [pageBytes] = Object.values(database.prepare('PRAGMA page_size').get()!)
  database.exec(`PRAGMA max_page_count = ${Math.floor(maxBytes / Number(pageBytes))}`)
}

const describeDamage = (path: string): string =>
  `${path} is damaged, or not a database. Move it away, with ${path}-wal and ${path}-shm if they are there, and ` +
  'start again: sessions, tasks and results that it has are then forgotten'

/** @returns the error of a start, with advice how to fix it */
export function toStartError(thrown: unknown, path: string): unknown {
  const error = thrown instanceof McpError ? thrown.cause : thrown
  if (error instanceof StartError) return error
  const trouble = findTrouble(error)
  if (trouble === 'damaged') return new StartError(describeDamage(path))
  const isOfSystem = typeof (error as NodeJS.ErrnoException).errno === 'number'
  if (trouble === undefined && !isOfSystem) return error
  return new StartError(`${path} cannot be opened: ${toReason(error)}`)
}

/** @returns the id of the process that uses the file, if it can be read */
export function findHolder(path: string): number | undefined {
  const { DatabaseSync } = loadSqlite()
  try {
    const database = new DatabaseSync(path, { readOnly: true })
    try {
      return Number(database.prepare("SELECT value FROM meta WHERE key = 'pid'").get()?.['value']) || undefined
    } finally {
      database.close()
    }
  } catch {
    return undefined
  }
}
