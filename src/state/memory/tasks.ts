// Tasks in a map, in the order in which they were made.
import { hasEnded, isNews, type Task, type TaskStatus } from '../../task.ts'
import { ALWAYS_ADDED, USAGE_BOUNDS, type UsageBounds } from '../task-bounds.ts'
import type { TaskPosition, TaskStore } from '../tasks.ts'
import { TaskUsage } from './task-usage.ts'

/** How soon those are told to be gone whose time has passed. */
export const MAX_SWEEP_MS = 5000

export interface TaskBounds extends Partial<UsageBounds> {
  /** A clock that never steps back, ms. */
  readonly now?: () => number
}

interface Kept {
  task: Task
  readonly createdAtMs: number
  expiresAtMs: number
}

export function memoryTasks({
  now = () => performance.now(),
  ...bounds
}: TaskBounds = {}): TaskStore & { census(): Record<TaskStatus, number> } {
  const kept = new Map<string, Kept>()
  /** By owner; those with none have no entry, and what has no owner is in none. */
  const owned = new Map<string, Set<Kept>>()
  const usage = new TaskUsage({ ...USAGE_BOUNDS, ...bounds })
  let changed: (id: string, task: Task | undefined) => void = () => {}
  let sweeper: NodeJS.Timeout | undefined

  function own(entry: Kept): void {
    const { owner } = entry.task
    if (owner === undefined) return
    const entries = owned.get(owner) ?? new Set()
    owned.set(owner, entries.add(entry))
  }

  function disown(entry: Kept): void {
    const { owner } = entry.task
    const entries = owner === undefined ? undefined : owned.get(owner)
    if (entries?.delete(entry) && entries.size === 0) owned.delete(owner!)
  }

  function drop(id: string, entry: Kept): void {
    const { clientKey, size } = entry.task
    kept.delete(id)
    disown(entry)
    usage.count(clientKey, -1, -size)
    changed(id, undefined)
  }

  function sweep(): void {
    const nowMs = now()
    for (const [id, entry] of kept) if (entry.expiresAtMs <= nowMs) drop(id, entry)
    if (kept.size > 0) return
    clearInterval(sweeper)
    sweeper = undefined
  }

  function current(id: string): Kept | undefined {
    const entry = kept.get(id)
    if (entry === undefined || entry.expiresAtMs > now()) return entry
    return void drop(id, entry)
  }

  return {
    create(task) {
      usage.assertRoom(task.clientKey, task.size)
      const createdAtMs = now()
      const entry = { task, createdAtMs, expiresAtMs: createdAtMs + task.ttlMs }
      kept.set(task.id, entry)
      own(entry)
      usage.count(task.clientKey, 1, task.size)
      sweeper ??= setInterval(sweep, MAX_SWEEP_MS).unref()
    },
    find: id => current(id)?.task,
    change(id, step) {
      const entry = current(id)
      const next = entry && step(entry.task)
      if (entry === undefined || next === undefined) return undefined
      const growth = next.size - entry.task.size
      if (growth > (hasEnded(next) ? ALWAYS_ADDED : 0)) usage.assertGrowth(next.clientKey, growth)
      usage.count(next.clientKey, 0, growth)
      entry.expiresAtMs = entry.createdAtMs + next.ttlMs
      const before = entry.task
      entry.task = next
      if (isNews(before, next)) changed(id, next)
      return next
    },
    remove(id) {
      const entry = kept.get(id)
      if (entry !== undefined) drop(id, entry)
    },
    list(owner, size, after) {
      const nowMs = now()
      return [...(owned.get(owner) ?? [])]
        .filter(({ task, expiresAtMs }) => task.isHandedOut && expiresAtMs > nowMs)
        .map(({ task }) => task)
        .filter(task => after === undefined || compare(task, after) > 0)
        .sort(compare)
        .slice(0, size)
    },
    onChange(listener) {
      changed = listener
    },
    census() {
      const counts = { working: 0, input_required: 0, completed: 0, failed: 0, cancelled: 0 }
      for (const { task } of kept.values()) counts[task.status]++
      return counts
    },
    onMissed() {},
    close() {
      clearInterval(sweeper)
      kept.clear()
      owned.clear()
      usage.clear()
    },
  }
}

const compare = (a: TaskPosition, b: TaskPosition) =>
  a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : Number(a.id > b.id))
