// The state of one process.
import { ownVersions } from '../list-versions.ts'
import { noPeers } from '../peers.ts'
import type { State, StateBounds } from '../state.ts'
import { USAGE_BOUNDS } from '../task-bounds.ts'
import { memoryEvents } from './events.ts'
import { memoryLimits } from './limits.ts'
import { MAX_SESSIONS, memorySessions } from './sessions.ts'
import { memorySpent } from './spent.ts'
import { memoryTaskQueue } from './task-queue.ts'
import { memoryTasks } from './tasks.ts'

const NOTHING: readonly string[] = Object.freeze([])

export function memoryState({ sessionTtlMs, maxConcurrentCalls }: StateBounds): State {
  const sessions = memorySessions({ ttlMs: sessionTtlMs })
  const events = memoryEvents()
  const tasks = memoryTasks()
  const taskQueue = memoryTaskQueue({ max: maxConcurrentCalls })
  return {
    sessions,
    events,
    requestLimits: memoryLimits(),
    toolLimits: memoryLimits(),
    spent: memorySpent(),
    tasks,
    taskQueue,
    peers: noPeers,
    versions: ownVersions,
    onSharedSecret: () => {},
    bounds: { sessions: MAX_SESSIONS, tasks: USAGE_BOUNDS.maxTasks },
    census: async () => ({ sessions: sessions.size, tasks: tasks.census(), queue: taskQueue.census() }),
    degraded: () => NOTHING,
    async close() {
      await Promise.all([sessions.close(), events.close(), tasks.close(), taskQueue.close()])
    },
  }
}
