// Sessions in the file. They expire by the time of their last use.
import {
  createSessionId,
  MAX_EVICTION_SCAN,
  MAX_SESSIONS,
  type NewSession,
  parseObject,
  parseSessionRecord,
  type Session,
  type SessionBounds,
  type SessionStore,
  tooManySessions,
  toSessionRecord,
} from 'toolrack/stores'
import type { Row, StateFile } from './file.ts'
import { readUsage } from './usage.ts'

const SWEPT_AT_ONCE = 1000
/** A use is written at most this often, ms. A session may expire this much early. */
const TOUCH_MS = 1000

export interface SqliteSessionBounds extends SessionBounds {
  readonly now?: () => number
}

export class SqliteSessions implements SessionStore {
  readonly backend: StateFile
  readonly maxSessions: number
  readonly #now: () => number
  #ttlMs: number
  #expired: (session: Session) => void = () => {}
  #isProtected: (id: string) => boolean = () => false

  constructor(file: StateFile, { ttlMs, maxSessions = MAX_SESSIONS, now = Date.now }: SqliteSessionBounds = {}) {
    this.backend = file
    this.maxSessions = maxSessions
    this.#now = now
    this.#ttlMs = ttlMs ?? Number.POSITIVE_INFINITY
    file.addChores({
      open: ({ sessionTtlMs }) => {
        this.#ttlMs = ttlMs ?? sessionTtlMs
      },
      sweep: () => this.#sweep(),
    })
  }

  open({ id = createSessionId(), ...opening }: NewSession): Session {
    const session: Session = { id, ...opening, logLevel: undefined, subscriptions: undefined }
    this.#makeRoom()
    const sql = `INSERT INTO sessions VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE
      SET used_at = excluded.used_at, record = excluded.record`
    this.backend.run(sql, id, this.#now(), JSON.stringify(toSessionRecord(session)))
    return session
  }

  find(id: string): Session | undefined {
    const row = this.#read(id)
    if (row === undefined) return undefined
    const nowMs = this.#now()
    const idleMs = nowMs - Number(row['used_at'])
    if (idleMs >= this.#ttlMs) return void this.#expire(row)
    if (idleMs >= Math.min(TOUCH_MS, this.#ttlMs / 10)) this.backend.tryTo(() => this.#touch(id))
    return parseSession(row)
  }

  peek(id: string): Session | undefined {
    const row = this.#read(id)
    return row !== undefined && this.#now() - Number(row['used_at']) < this.#ttlMs ? parseSession(row) : undefined
  }

  has(id: string): boolean {
    return this.peek(id) !== undefined
  }

  save(session: Session): void {
    const record = JSON.stringify(toSessionRecord(session))
    this.backend.run('UPDATE sessions SET record = ? WHERE id = ?', record, session.id)
  }

  end(id: string): void {
    this.backend.run('DELETE FROM sessions WHERE id = ?', id)
  }

  onExpired(listener: (session: Session) => void): void {
    this.#expired = listener
  }

  protectFromEviction(isBusy: (id: string) => boolean): void {
    this.#isProtected = isBusy
  }

  count(): number {
    return readUsage(this.backend, 'sessions*').count
  }

  #read(id: string): Row | undefined {
    return this.backend.get('SELECT * FROM sessions WHERE id = ?', id)
  }

  #touch(id: string): void {
    this.backend.run('UPDATE sessions SET used_at = ? WHERE id = ?', this.#now(), id)
  }

  #expire(row: Row): void {
    this.end(String(row['id']))
    const session = parseSession(row)
    if (session !== undefined) this.backend.tell(() => this.#expired(session))
  }

  // A busy session counts as just used, so that an eviction passes over each of them only once.
  #makeRoom(): void {
    const tooMany = this.count() + 1 - this.maxSessions
    if (tooMany <= 0) return
    const oldest = this.backend.all('SELECT * FROM sessions ORDER BY used_at LIMIT ?', MAX_EVICTION_SCAN + tooMany)
    let left = tooMany
    for (const row of oldest) {
      if (left === 0) return
      if (this.#isProtected(String(row['id']))) this.#touch(String(row['id']))
      else {
        this.#expire(row)
        left--
      }
    }
    if (left > 0) throw tooManySessions()
  }

  #sweep(): void {
    const sql = `SELECT * FROM sessions WHERE used_at <= ? LIMIT ${SWEPT_AT_ONCE}`
    for (const row of this.backend.all(sql, this.#now() - this.#ttlMs)) this.#expire(row)
  }
}

const parseSession = ({ id, record }: Row): Session | undefined => parseSessionRecord(String(id), parseObject(record))
