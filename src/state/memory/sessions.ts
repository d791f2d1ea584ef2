// The session store of one process: a map, the least recently used first, so that expiry and
// eviction look only at its beginning.
import { McpError } from '../../protocol/errors.ts'
import { jitterRetryAfter } from '../../request/answer.ts'
import { createSessionId, type Session, type SessionStore } from '../sessions.ts'

/** Largest number of sessions of one process; past it, the least recently used is evicted. */
export const MAX_SESSIONS = 100_000

const MAX_SWEEP_MS = 30_000
/** Busy sessions that an eviction passes over before it gives up. */
const MAX_EVICTION_SCAN = 1000

export interface MemorySessionBounds {
  /** TTL of an unused session, ms. */
  readonly ttlMs: number
  readonly maxSessions?: number
  /** A clock that never steps back, ms. */
  readonly now?: () => number
}

interface StoredSession {
  readonly session: Session
  usedAtMs: number
}

export function createMemorySessions({
  ttlMs,
  maxSessions = MAX_SESSIONS,
  now = () => performance.now(),
}: MemorySessionBounds): SessionStore & { readonly size: number } {
  const kept = new Map<string, StoredSession>()
  let expired: (session: Session) => void = () => {}
  let isProtected: (id: string) => boolean = () => false
  let sweeper: NodeJS.Timeout | undefined
  // A session is moved at most this often, not with each request. It may expire this much early.
  const touchIntervalMs = Math.min(1000, ttlMs / 10)

  function expire(id: string, session: Session): void {
    kept.delete(id)
    expired(session)
  }

  // A busy session counts as just used, so that an eviction passes over each of them only once.
  function makeRoom(): void {
    for (let left = MAX_EVICTION_SCAN; kept.size >= maxSessions; left--) {
      if (left === 0)
        throw new McpError('BUSY', 'too many sessions are active; retry later', { retryAfterS: jitterRetryAfter(30) })
      const [id, oldest] = kept.entries().next().value!
      if (isProtected(id)) touch(id, oldest)
      else expire(id, oldest.session)
    }
  }

  function touch(id: string, entry: StoredSession): void {
    kept.delete(id)
    kept.set(id, entry)
    entry.usedAtMs = now()
  }

  function sweep(): void {
    const oldestMs = now() - ttlMs
    for (const [id, { session, usedAtMs }] of kept) {
      if (usedAtMs > oldestMs) break
      expire(id, session)
    }
    if (kept.size > 0) return
    clearInterval(sweeper)
    sweeper = undefined
  }

  function peek(id: string): Session | undefined {
    const found = kept.get(id)
    return found !== undefined && now() - found.usedAtMs < ttlMs ? found.session : undefined
  }

  return {
    get size() {
      return kept.size
    },
    open({ id = createSessionId(), ...opening }) {
      makeRoom()
      const session: Session = { id, ...opening, logLevel: undefined, subscriptions: undefined }
      kept.set(id, { session, usedAtMs: now() })
      sweeper ??= setInterval(sweep, Math.min(ttlMs, MAX_SWEEP_MS)).unref()
      return session
    },
    find(id) {
      const found = kept.get(id)
      if (found === undefined) return undefined
      const idleMs = now() - found.usedAtMs
      if (idleMs >= ttlMs) return void expire(id, found.session)
      if (idleMs >= touchIntervalMs) touch(id, found)
      return found.session
    },
    peek,
    has: id => peek(id) !== undefined,
    save: () => {},
    end(id) {
      kept.delete(id)
    },
    onExpired(listener) {
      expired = listener
    },
    protectFromEviction(isBusy) {
      isProtected = isBusy
    },
    close() {
      clearInterval(sweeper)
      kept.clear()
    },
  }
}
