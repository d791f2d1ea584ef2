// The session store of one process: a map, the least recently used first, so that expiry and
// eviction look only at its beginning.
import {
  createSessionId,
  MAX_EVICTION_SCAN,
  MAX_SESSIONS,
  type NewSession,
  type Session,
  type SessionBounds,
  type SessionStore,
  type StoreContext,
  tooManySessions,
} from 'toolrack/stores'

const MAX_SWEEP_MS = 30_000

export interface MemorySessionBounds extends SessionBounds {
  /** A clock that never steps back, ms. */
  readonly now?: () => number
}

interface StoredSession {
  readonly session: Session
  usedAtMs: number
}

export class MemorySessions implements SessionStore {
  readonly maxSessions: number
  readonly #now: () => number
  readonly #kept = new Map<string, StoredSession>()
  readonly #hasOwnTtl: boolean
  #ttlMs: number
  #sweeper: NodeJS.Timeout | undefined
  #expired: (session: Session) => void = () => {}
  #isProtected: (id: string) => boolean = () => false

  constructor({ ttlMs, maxSessions = MAX_SESSIONS, now = () => performance.now() }: MemorySessionBounds = {}) {
    this.#ttlMs = ttlMs ?? Number.POSITIVE_INFINITY
    this.#hasOwnTtl = ttlMs !== undefined
    this.maxSessions = maxSessions
    this.#now = now
  }

  start({ sessionTtlMs }: Pick<StoreContext, 'sessionTtlMs'>): void {
    if (!this.#hasOwnTtl) this.#ttlMs = sessionTtlMs
  }

  open({ id = createSessionId(), ...opening }: NewSession): Session {
    this.#makeRoom()
    const session: Session = { id, ...opening, logLevel: undefined, subscriptions: undefined }
    this.#kept.set(id, { session, usedAtMs: this.#now() })
    this.#sweeper ??= setInterval(() => this.#sweep(), Math.min(this.#ttlMs, MAX_SWEEP_MS)).unref()
    return session
  }

  find(id: string): Session | undefined {
    const found = this.#kept.get(id)
    if (found === undefined) return undefined
    const idleMs = this.#now() - found.usedAtMs
    if (idleMs >= this.#ttlMs) return void this.#expire(id, found.session)
    // A session is moved at most this often, not with each request. It may expire this much early.
    if (idleMs >= Math.min(1000, this.#ttlMs / 10)) this.#touch(id, found)
    return found.session
  }

  peek(id: string): Session | undefined {
    const found = this.#kept.get(id)
    return found !== undefined && this.#now() - found.usedAtMs < this.#ttlMs ? found.session : undefined
  }

  has(id: string): boolean {
    return this.peek(id) !== undefined
  }

  // The session that `find` returns is the one that is kept.
  save(): void {}

  end(id: string): void {
    this.#kept.delete(id)
  }

  onExpired(listener: (session: Session) => void): void {
    this.#expired = listener
  }

  protectFromEviction(isBusy: (id: string) => boolean): void {
    this.#isProtected = isBusy
  }

  count(): number {
    return this.#kept.size
  }

  close(): void {
    clearInterval(this.#sweeper)
    this.#kept.clear()
  }

  #expire(id: string, session: Session): void {
    this.#kept.delete(id)
    this.#expired(session)
  }

  // A busy session counts as just used, so that an eviction passes over each of them only once.
  #makeRoom(): void {
    for (let left = MAX_EVICTION_SCAN; this.#kept.size >= this.maxSessions; left--) {
      if (left === 0) throw tooManySessions()
      const [id, oldest] = this.#kept.entries().next().value!
      if (this.#isProtected(id)) this.#touch(id, oldest)
      else this.#expire(id, oldest.session)
    }
  }

  #touch(id: string, entry: StoredSession): void {
    this.#kept.delete(id)
    this.#kept.set(id, entry)
    entry.usedAtMs = this.#now()
  }

  #sweep(): void {
    const oldestMs = this.#now() - this.#ttlMs
    for (const [id, { session, usedAtMs }] of this.#kept) {
      if (usedAtMs > oldestMs) break
      this.#expire(id, session)
    }
    if (this.#kept.size > 0) return
    clearInterval(this.#sweeper)
    this.#sweeper = undefined
  }
}
