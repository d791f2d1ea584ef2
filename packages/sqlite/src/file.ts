// The file of the state. Opens it, runs the statements of all stores, and reports its problems in
// `GET /ready`.
// It may be damaged, locked, full or moved while the server runs.
import { type Stats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { alreadyStarted, type Backend, McpError, StartError, type StoreContext } from 'toolrack/stores'
import { toReason } from 'toolrack/text'
import { findTrouble, PROBLEMS, type Trouble, tooFull, unavailable } from './errors.ts'
import { FileLock, isSameFile } from './lock.ts'
import type { DatabaseSync, SQLInputValue, StatementSync } from './module.ts'
import { findHolder, findPath, limitPages, openDatabase, toStartError } from './open.ts'

/** All stores at their bounds hold some 500 MiB. */
const MAX_BYTES = 1024 * 1024 * 1024
const MIN_BYTES = 1024 * 1024

/** Interval at which the file is checked, and expired rows are removed, ms. */
const BEAT_MS = 1000
/** After a vain attempt to make room in a full file, how long nobody tries again, ms. */
const ROOM_MS = 1000
/** Share of the bound that is reserved for outcomes. */
const RESERVE = 1 / 8
/** Free pages that one beat gives back to the disk. */
const VACUUM_PAGES = 256
/** This much must fit before a full file counts as usable again, bytes. */
const PROBE_BYTES = 64 * 1024

/** The path of the file, and its maximum size. */
export interface StateFileOptions {
  readonly path: string
  /** The file grows no further. @default 1 GiB */
  readonly maxBytes?: number
}

/** The work of a store apart from its requests. */
export interface Chores {
  /** Called once the file is open, also when the server opens a new file later. */
  open?(context: StoreContext): void
  /** Removes expired rows, a few at a time. */
  sweep?(): void
  /** Removes rows that are not essential, because the file is full. */
  shrink?(): void
}

export type Row = Readonly<Record<string, null | number | bigint | string | Uint8Array>>

export class StateFile implements Backend {
  readonly outlivesProcess = true
  readonly name: string
  #path: string
  readonly #maxBytes: number
  readonly #lock = new FileLock()
  readonly #chores: Chores[] = []
  readonly #statements = new Map<string, StatementSync>()
  readonly #later: (() => void)[] = []
  #context: StoreContext | undefined
  #database: DatabaseSync | undefined
  /** The open file, which may be at another path by now. */
  #opened: Stats | undefined
  #trouble: Trouble | undefined
  #process = 0
  #beating: NodeJS.Timeout | undefined
  #isInside = false
  #roomMadeMs = Number.NEGATIVE_INFINITY

  /** @throws TypeError if the path is empty, or `maxBytes` is below 1 MiB */
  constructor({ path, maxBytes = MAX_BYTES }: StateFileOptions) {
    if (path === '') throw new TypeError('path: expected the path of a file')
    if (!(maxBytes >= MIN_BYTES)) throw new TypeError(`maxBytes: expected at least ${MIN_BYTES}`)
    this.name = `SQLite ${path}`
    this.#path = resolve(path)
    this.#maxBytes = maxBytes
  }

  /** Counts the starts with this file. */
  get process(): number {
    return this.#process
  }

  addChores(chores: Chores): void {
    this.#chores.push(chores)
  }

  /** @throws StartError, which says how to fix the file */
  start(context: StoreContext): void {
    if (this.#context !== undefined) throw alreadyStarted()
    this.#context = context
    try {
      this.#path = findPath(this.#path)
      this.#takeLock()
      this.#open()
    } catch (error) {
      this.close()
      throw toStartError(error, this.#path)
    }
    this.#beating = setInterval(() => this.#beat(), BEAT_MS).unref()
  }

  problems(): readonly string[] {
    return this.#trouble === undefined ? [] : [PROBLEMS[this.#trouble]]
  }

  close(): void {
    clearInterval(this.#beating)
    this.#closeDatabase()
    this.#lock.release()
  }

  /** Reads one row. @throws McpError STATE_UNAVAILABLE (503) */
  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#attempt(() => this.#prepare(sql).get(...values))
  }

  /** @throws McpError STATE_UNAVAILABLE (503) */
  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#attempt(() => this.#prepare(sql).all(...values))
  }

  /** Writes. @returns how many rows changed @throws McpError STATE_UNAVAILABLE, BUSY (503) if the file is full */
  run(sql: string, ...values: SQLInputValue[]): number {
    return this.#attempt(() => {
      this.#assertWritable()
      return Number(this.#prepare(sql).run(...values).changes)
    })
  }

  /**
   * Writes everything or nothing. Repeats the work if the file was full and has room now.
   *
   * @throws as `run`
   */
  atomically<T>(work: () => T): T {
    return this.#attempt(() => this.#transact(work))
  }

  /** Lets the work use the reserve of a full file, because the outcome of a call must be known. */
  insist<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof McpError && error.reason === 'BUSY')) throw error
      return this.#withReserve(work)
    }
  }

  /** Writes data that the state can do without. Ignores a failure. */
  tryTo(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof McpError)) throw error
    }
  }

  /** Calls a listener once no statement is running. */
  tell(listener: () => void): void {
    if (this.#isInside) this.#later.push(listener)
    else listener()
  }

  #attempt<T>(work: () => T): T {
    // The outermost attempt handles the errors of the inner ones.
    if (this.#isInside) return work()
    this.#isInside = true
    try {
      return this.#tryTwice(work)
    } catch (error) {
      throw this.#toRefusal(error)
    } finally {
      this.#isInside = false
      for (const listener of this.#later.splice(0)) listener()
    }
  }

  #tryTwice<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (findTrouble(error) !== 'full' || performance.now() < this.#roomMadeMs + ROOM_MS) throw error
      this.#makeRoom()
      const result = work()
      // It has helped, so the next attempt may make room again.
      this.#roomMadeMs = Number.NEGATIVE_INFINITY
      return result
    }
  }

  #withReserve<T>(work: () => T): T {
    const database = this.#database
    if (database === undefined) throw unavailable()
    limitPages(database, this.#maxBytes * (1 + RESERVE))
    try {
      return work()
    } finally {
      limitPages(database, this.#maxBytes)
    }
  }

  #makeRoom(): void {
    this.#roomMadeMs = performance.now()
    for (const { sweep, shrink } of this.#chores) {
      sweep?.()
      shrink?.()
    }
  }

  #transact<T>(work: () => T): T {
    this.#assertWritable()
    this.#prepare('BEGIN IMMEDIATE').run()
    try {
      const result = work()
      this.#prepare('COMMIT').run()
      return result
    } catch (error) {
      // After some errors, SQLite has done so itself.
      if (this.#database?.isTransaction) this.#prepare('ROLLBACK').run()
      throw error
    }
  }

  // Each write would wait for the other program.
  #assertWritable(): void {
    if (this.#trouble === 'locked') throw unavailable()
  }

  #prepare(sql: string): StatementSync {
    if (this.#database === undefined) throw unavailable()
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #toRefusal(error: unknown): unknown {
    const trouble = findTrouble(error)
    if (trouble === undefined) return error
    this.#fail(trouble, error)
    return trouble === 'full' ? tooFull(error) : unavailable(error)
  }

  #fail(trouble: Trouble, error: unknown): void {
    // Damage stays until there is another file, whatever happens in the meantime.
    if (this.#trouble === trouble || this.#trouble === 'damaged') return
    this.#trouble = trouble
    this.#context?.log.error({ file: this.#path, reason: toReason(error) }, PROBLEMS[trouble])
  }

  #recover(sentence: string): void {
    this.#trouble = undefined
    this.#context?.log.info({ file: this.#path }, sentence)
  }

  #beat(): void {
    try {
      if (!this.#lock.isOn(this.#path)) this.#lockAgain()
      if (isSameFile(this.#path, this.#opened)) this.#mend()
      else this.#reopen()
    } catch (error) {
      // A trouble was logged when it began.
      if (this.#trouble === undefined)
        this.#context?.log.error({ reason: toReason(error) }, 'sqlite: could not tidy up')
    }
  }

  #mend(): void {
    // Each write would wait for the other program.
    if (this.#trouble !== 'locked') this.#tidy()
    if (this.#trouble !== undefined && this.#trouble !== 'damaged') this.#probe()
  }

  #tidy(): void {
    for (const { sweep } of this.#chores) this.tryTo(() => sweep?.())
    this.tryTo(() => this.#attempt(() => this.#database?.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`)))
    if (this.#isLogTooLong()) this.#fail('locked', new Error('the write-ahead log is too long'))
  }

  // A program that reads for long prevents that it is emptied.
  #isLogTooLong(): boolean {
    return (statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > this.#maxBytes
  }

  // Throws if the trouble continues; that error is known already.
  #probe(): void {
    const database = this.#database!
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    if (this.#isLogTooLong()) return
    database.exec(`INSERT OR REPLACE INTO meta VALUES ('probe', zeroblob(${PROBE_BYTES}))`)
    database.exec("DELETE FROM meta WHERE key = 'probe'")
    this.#recover('sqlite: the state can be read and written again')
  }

  // Another process may use the file, since somebody has removed the lock file.
  #lockAgain(): void {
    try {
      this.#takeLock()
    } catch (error) {
      this.#closeDatabase()
      this.#fail('unusable', error)
      throw error
    }
  }

  #reopen(): void {
    this.#closeDatabase()
    try {
      this.#open()
    } catch (error) {
      this.#fail(findTrouble(error) ?? 'unusable', error)
      throw error
    }
    this.#recover('sqlite: the file of the state was moved or removed; another one is used now')
  }

  #takeLock(): void {
    try {
      this.#lock.take(this.#path)
    } catch (error) {
      if (findTrouble(error) !== 'locked') throw error
      const pid = findHolder(this.#path)
      throw new StartError(
        `${this.#path} is used by another process${pid === undefined ? '' : ` (pid ${pid})`}: one process a file. ` +
          'Stop it, or name another file. Several processes share their state by REDIS_URL',
      )
    }
  }

  #open(): void {
    this.#database = openDatabase(this.#path, this.#maxBytes)
    this.run("INSERT INTO meta VALUES ('process', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1")
    this.run("INSERT OR REPLACE INTO meta VALUES ('pid', ?)", process.pid)
    this.#process = Number(this.get("SELECT value FROM meta WHERE key = 'process'")?.['value'])
    for (const { open } of this.#chores) open?.(this.#context!)
    this.#opened = statSync(this.#path)
  }

  #closeDatabase(): void {
    this.#statements.clear()
    this.#opened = undefined
    try {
      this.#database?.close()
    } finally {
      this.#database = undefined
    }
  }
}
