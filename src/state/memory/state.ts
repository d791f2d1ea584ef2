// The state of one process: every memory store, and the used tokens.
import { localVersions } from '../list-versions.ts'
import { noReplicas } from '../replicas.ts'
import type { State, StateBounds, UsedTokens } from '../state.ts'
import { USAGE_BOUNDS } from '../tasks.ts'
import { createMemoryEvents } from './events.ts'
import { createMemoryFiles } from './files.ts'
import { createMemoryKeptResults } from './kept-results.ts'
import { createMemoryLimits } from './limits.ts'
import { createMemorySessions, MAX_SESSIONS } from './sessions.ts'
import { createMemoryTaskQueue } from './task-queue.ts'
import { createMemoryTasks } from './tasks.ts'

const MAX_USED_TOKENS = 100_000

/** Keeps used ids in a bounded map: expired ids go first, then the oldest. */
export function createMemoryUsedTokens(now: () => number = Date.now): UsedTokens {
  const expiries = new Map<string, number>()

  function forget(): void {
    const nowMs = now()
    for (const [id, expiresAtMs] of expiries) {
      if (expiresAtMs > nowMs && expiries.size < MAX_USED_TOKENS) return
      expiries.delete(id)
    }
  }

  return {
    consumeOnce(id, expiresAtMs) {
      if (expiries.has(id)) return false
      forget()
      expiries.set(id, expiresAtMs)
      return true
    },
    release(id) {
      expiries.delete(id)
    },
  }
}

const NOTHING: readonly string[] = Object.freeze([])

/** @param now of the tools' rate limits: a clock that never steps back, ms */
export function createMemoryState({ sessionTtlMs, maxConcurrentCalls }: StateBounds, now?: () => number): State {
  const sessions = createMemorySessions({ ttlMs: sessionTtlMs })
  const events = createMemoryEvents()
  const tasks = createMemoryTasks()
  const taskQueue = createMemoryTaskQueue({ max: maxConcurrentCalls })
  return {
    sessions,
    events,
    requestLimits: createMemoryLimits(),
    toolLimits: createMemoryLimits(now),
    usedTokens: createMemoryUsedTokens(),
    files: createMemoryFiles(),
    keptResults: createMemoryKeptResults(),
    tasks,
    taskQueue,
    replicas: noReplicas,
    versions: localVersions,
    onSharedSecret: () => {},
    bounds: { sessions: MAX_SESSIONS, tasks: USAGE_BOUNDS.maxTasks },
    stats: async () => ({ sessions: sessions.size, tasks: tasks.stats(), queue: taskQueue.stats() }),
    degraded: () => NOTHING,
    async close() {
      await Promise.all([sessions.close(), events.close(), tasks.close(), taskQueue.close()])
    },
  }
}
