// The task store of one process: a map in order of creation, bounded per client and in total.
import { hasEnded, isVisibleChange, type Task, type TaskStatus } from '../task.ts'
import {
  clientTasksTooLarge,
  END_RESERVE_BYTES,
  type TaskPosition,
  type TaskStore,
  tooManyClientTasks,
  tooManyTasks,
  USAGE_BOUNDS,
  type UsageBounds,
} from '../tasks.ts'

interface Usage {
  tasks: number
  size: number
}

/** Counts tasks and their bytes, per client and in total. */
export class TaskUsage {
  readonly #bounds: UsageBounds
  /** By client; a client without tasks has no entry. */
  readonly #clients = new Map<string, Usage>()
  readonly #total: Usage = { tasks: 0, size: 0 }

  constructor(bounds: UsageBounds) {
    this.#bounds = bounds
  }

  /** Checks the room for one more task. @throws McpError RATE_LIMITED (429), BUSY (503) */
  assertRoom(clientKey: string, size: number): void {
    const { maxTasks, maxTasksPerClient, maxSizePerClient, maxShareOfFree } = this.#bounds
    const addToOwner = this.#getUsage(clientKey)
    const isNew = addToOwner.tasks === 0
    if (addToOwner.tasks >= maxTasksPerClient) throw tooManyClientTasks(addToOwner.tasks)
    if (addToOwner.size + size > maxSizePerClient) throw clientTasksTooLarge()
    const freeTasks = maxTasks - this.#total.tasks
    if (freeTasks < 1) throw tooManyTasks()
    // A client without a task may have one as long as there is any room.
    if (!isNew && addToOwner.tasks + 1 > maxShareOfFree * freeTasks) throw tooManyClientTasks(addToOwner.tasks)
    if (!this.#fits(addToOwner.size, size)) throw isNew ? tooManyTasks() : clientTasksTooLarge()
  }

  /** Checks the room for a task that grows. @throws McpError RATE_LIMITED (429) */
  assertGrowth(clientKey: string, growth: number): void {
    const { size } = this.#getUsage(clientKey)
    if (size + growth > this.#bounds.maxSizePerClient || !this.#fits(size, growth)) throw clientTasksTooLarge()
  }

  /** @param tasks change of the number of tasks @param size change of their bytes */
  add(clientKey: string, tasks: number, size: number): void {
    const usage = this.#getUsage(clientKey)
    for (const counted of [usage, this.#total]) {
      counted.tasks += tasks
      counted.size += size
    }
    if (usage.tasks > 0) this.#clients.set(clientKey, usage)
    else this.#clients.delete(clientKey)
  }

  clear(): void {
    this.#clients.clear()
  }

  #fits(held: number, growth: number): boolean {
    const free = this.#bounds.maxSize - this.#total.size
    return growth <= free && held + growth <= this.#bounds.maxShareOfFree * free
  }

  #getUsage(clientKey: string): Usage {
    return this.#clients.get(clientKey) ?? { tasks: 0, size: 0 }
  }
}

/** Interval at which expired tasks are removed and their listeners called, ms. */
export const TASK_SWEEP_MS = 5000

export interface TaskBounds extends Partial<UsageBounds> {
  /** A clock that never steps back, ms. */
  readonly now?: () => number
}

interface StoredTask {
  task: Task
  readonly createdAtMs: number
  expiresAtMs: number
}

export function createMemoryTasks({
  now = () => performance.now(),
  ...bounds
}: TaskBounds = {}): TaskStore & { stats(): Record<TaskStatus, number> } {
  const kept = new Map<string, StoredTask>()
  /** By owner. An owner without tasks has no entry; tasks without an owner are not in it. */
  const tasksByOwner = new Map<string, Set<StoredTask>>()
  const usage = new TaskUsage({ ...USAGE_BOUNDS, ...bounds })
  let changed: (id: string, task: Task | undefined) => void = () => {}
  let sweeper: NodeJS.Timeout | undefined

  function addToOwner(entry: StoredTask): void {
    const { owner } = entry.task
    if (owner === undefined) return
    const entries = tasksByOwner.get(owner) ?? new Set()
    tasksByOwner.set(owner, entries.add(entry))
  }

  function removeFromOwner(entry: StoredTask): void {
    const { owner } = entry.task
    const entries = owner === undefined ? undefined : tasksByOwner.get(owner)
    if (entries?.delete(entry) && entries.size === 0) tasksByOwner.delete(owner!)
  }

  function dropTask(id: string, entry: StoredTask): void {
    const { clientKey, size } = entry.task
    kept.delete(id)
    removeFromOwner(entry)
    usage.add(clientKey, -1, -size)
    changed(id, undefined)
  }

  function sweep(): void {
    const nowMs = now()
    for (const [id, entry] of kept) if (entry.expiresAtMs <= nowMs) dropTask(id, entry)
    if (kept.size > 0) return
    clearInterval(sweeper)
    sweeper = undefined
  }

  function current(id: string): StoredTask | undefined {
    const entry = kept.get(id)
    if (entry === undefined || entry.expiresAtMs > now()) return entry
    return void dropTask(id, entry)
  }

  return {
    create(task) {
      usage.assertRoom(task.clientKey, task.size)
      const createdAtMs = now()
      const entry = { task, createdAtMs, expiresAtMs: createdAtMs + task.ttlMs }
      kept.set(task.id, entry)
      addToOwner(entry)
      usage.add(task.clientKey, 1, task.size)
      sweeper ??= setInterval(sweep, TASK_SWEEP_MS).unref()
    },
    find: id => current(id)?.task,
    change(id, step) {
      const entry = current(id)
      const next = entry && step(entry.task)
      if (entry === undefined || next === undefined) return undefined
      const growth = next.size - entry.task.size
      if (growth > (hasEnded(next) ? END_RESERVE_BYTES : 0)) usage.assertGrowth(next.clientKey, growth)
      usage.add(next.clientKey, 0, growth)
      entry.expiresAtMs = entry.createdAtMs + next.ttlMs
      const before = entry.task
      entry.task = next
      if (isVisibleChange(before, next)) changed(id, next)
      return next
    },
    remove(id) {
      const entry = kept.get(id)
      if (entry !== undefined) dropTask(id, entry)
    },
    list(owner, size, after) {
      const nowMs = now()
      return [...(tasksByOwner.get(owner) ?? [])]
        .filter(({ task, expiresAtMs }) => task.isHandedOut && expiresAtMs > nowMs)
        .map(({ task }) => task)
        .filter(task => after === undefined || comparePositions(task, after) > 0)
        .sort(comparePositions)
        .slice(0, size)
    },
    onChange(listener) {
      changed = listener
    },
    stats() {
      const counts = { working: 0, input_required: 0, completed: 0, failed: 0, cancelled: 0 }
      for (const { task } of kept.values()) counts[task.status]++
      return counts
    },
    onMissed() {},
    close() {
      clearInterval(sweeper)
      kept.clear()
      tasksByOwner.clear()
      usage.clear()
    },
  }
}

const comparePositions = (a: TaskPosition, b: TaskPosition) =>
  a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : Number(a.id > b.id))
