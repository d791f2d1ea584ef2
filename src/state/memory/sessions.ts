// Sessions in a map, the one unused for longest first, so that expiry and eviction look at its beginning only.
import { randomBytes } from 'node:crypto'
import { McpError } from '../../protocol/errors.ts'
import { spreadRetry } from '../../retry.ts'
import type { Session } from '../../session.ts'
import type { Sessions } from '../sessions.ts'

/** Most sessions of one process; past it the one unused for longest goes. */
export const MAX_SESSIONS = 100_000

const ID_BYTES = 24
const MAX_SWEEP_MS = 30_000
/** Busy sessions that are looked at for one that is not, when there is no room. */
const MAX_PASSED_BY = 1000

export interface SessionBounds {
  /** Idle life, ms. */
  readonly ttlMs: number
  readonly maxSessions?: number
  /** A clock that never steps back, ms. */
  readonly now?: () => number
}

interface Kept {
  readonly session: Session
  usedAtMs: number
}

export function memorySessions({
  ttlMs,
  maxSessions = MAX_SESSIONS,
  now = () => performance.now(),
}: SessionBounds): Sessions & { readonly size: number } {
  const kept = new Map<string, Kept>()
  let expired: (session: Session) => void = () => {}
  let isSpared: (id: string) => boolean = () => false
  let sweeper: NodeJS.Timeout | undefined
  // A use is noted so often only: a session may end that much early, and a busy one is not moved with each request.
  const exactnessMs = Math.min(1000, ttlMs / 10)

  function drop(id: string, session: Session): void {
    kept.delete(id)
    expired(session)
  }

  // Those that are busy are in use, so that each is passed by once only.
  function makeRoom(): void {
    for (let left = MAX_PASSED_BY; kept.size >= maxSessions; left--) {
      if (left === 0)
        throw new McpError('BUSY', 'too many sessions are at work; retry later', { retryAfterS: spreadRetry(30) })
      const [id, oldest] = kept.entries().next().value!
      if (isSpared(id)) use(id, oldest)
      else drop(id, oldest.session)
    }
  }

  function use(id: string, entry: Kept): void {
    kept.delete(id)
    kept.set(id, entry)
    entry.usedAtMs = now()
  }

  function sweep(): void {
    const oldestMs = now() - ttlMs
    for (const [id, { session, usedAtMs }] of kept) {
      if (usedAtMs > oldestMs) break
      drop(id, session)
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
    open({ id = randomBytes(ID_BYTES).toString('base64url'), ...opening }) {
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
      if (idleMs >= ttlMs) return void drop(id, found.session)
      if (idleMs >= exactnessMs) use(id, found)
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
    spare(isBusy) {
      isSpared = isBusy
    },
    close() {
      clearInterval(sweeper)
      kept.clear()
    },
  }
}
