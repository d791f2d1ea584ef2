// The task store of one process: a map in order of creation, bounded per client and in total.
import {
  assertStepFits,
  assertTaskFits,
  isVisibleChange,
  TASK_SWEEP_MS,
  type Task,
  type TaskPosition,
  type TaskStatus,
  type TaskStep,
  type TaskStore,
  TaskUsage,
  USAGE_BOUNDS,
  type UsageBounds,
} from 'toolrack/stores'

const compareTaskPositions = (a: TaskPosition, b: TaskPosition): number =>
  a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : Number(a.id > b.id))

export interface MemoryTaskBounds extends Partial<UsageBounds> {
  /** A clock that never steps back, ms. */
  readonly now?: () => number
}

interface StoredTask {
  task: Task
  readonly createdAtMs: number
  expiresAtMs: number
}

export class MemoryTasks implements TaskStore {
  readonly maxTasks: number
  readonly #now: () => number
  readonly #bounds: UsageBounds
  readonly #usage = new TaskUsage()
  readonly #kept = new Map<string, StoredTask>()
  /** By owner. An owner without tasks has no entry; tasks without an owner are not in it. */
  readonly #byOwner = new Map<string, Set<StoredTask>>()
  #changed: (id: string, task: Task | undefined) => void = () => {}
  #sweeper: NodeJS.Timeout | undefined

  constructor({ now = () => performance.now(), ...given }: MemoryTaskBounds = {}) {
    this.#bounds = { ...USAGE_BOUNDS, ...given }
    this.maxTasks = this.#bounds.maxTasks
    this.#now = now
  }

  create(task: Task): void {
    assertTaskFits(this.#bounds, this.#usage.read(task.clientKey), task)
    const createdAtMs = this.#now()
    const entry = { task, createdAtMs, expiresAtMs: createdAtMs + task.ttlMs }
    this.#kept.set(task.id, entry)
    this.#addToOwner(entry)
    this.#usage.add(task.clientKey, 1, task.size)
    this.#sweeper ??= setInterval(() => this.#sweep(), TASK_SWEEP_MS).unref()
  }

  find(id: string): Task | undefined {
    return this.#findEntry(id)?.task
  }

  change(id: string, step: TaskStep): Task | undefined {
    const entry = this.#findEntry(id)
    const next = entry && step(entry.task)
    if (entry === undefined || next === undefined) return undefined
    assertStepFits(this.#bounds, this.#usage.read(next.clientKey), entry.task, next)
    this.#usage.add(next.clientKey, 0, next.size - entry.task.size)
    entry.expiresAtMs = entry.createdAtMs + next.ttlMs
    const before = entry.task
    entry.task = next
    if (isVisibleChange(before, next)) this.#changed(id, next)
    return next
  }

  remove(id: string): void {
    const entry = this.#kept.get(id)
    if (entry !== undefined) this.#drop(id, entry)
  }

  list(owner: string, size: number, after?: TaskPosition): Task[] {
    const nowMs = this.#now()
    return [...(this.#byOwner.get(owner) ?? [])]
      .filter(({ task, expiresAtMs }) => task.isHandedOut && expiresAtMs > nowMs)
      .map(({ task }) => task)
      .filter(task => after === undefined || compareTaskPositions(task, after) > 0)
      .sort(compareTaskPositions)
      .slice(0, size)
  }

  onChange(listener: (id: string, task: Task | undefined) => void): void {
    this.#changed = listener
  }

  count(): Record<TaskStatus, number> {
    const counts = { working: 0, input_required: 0, completed: 0, failed: 0, cancelled: 0 }
    for (const { task } of this.#kept.values()) counts[task.status]++
    return counts
  }

  close(): void {
    clearInterval(this.#sweeper)
    this.#kept.clear()
    this.#byOwner.clear()
    this.#usage.clear()
  }

  #findEntry(id: string): StoredTask | undefined {
    const entry = this.#kept.get(id)
    if (entry === undefined || entry.expiresAtMs > this.#now()) return entry
    return void this.#drop(id, entry)
  }

  #drop(id: string, entry: StoredTask): void {
    const { clientKey, size } = entry.task
    this.#kept.delete(id)
    this.#removeFromOwner(entry)
    this.#usage.add(clientKey, -1, -size)
    this.#changed(id, undefined)
  }

  #addToOwner(entry: StoredTask): void {
    const { owner } = entry.task
    if (owner === undefined) return
    const entries = this.#byOwner.get(owner) ?? new Set()
    this.#byOwner.set(owner, entries.add(entry))
  }

  #removeFromOwner(entry: StoredTask): void {
    const { owner } = entry.task
    const entries = owner === undefined ? undefined : this.#byOwner.get(owner)
    if (entries?.delete(entry) && entries.size === 0) this.#byOwner.delete(owner!)
  }

  #sweep(): void {
    const nowMs = this.#now()
    for (const [id, entry] of this.#kept) if (entry.expiresAtMs <= nowMs) this.#drop(id, entry)
    if (this.#kept.size > 0) return
    clearInterval(this.#sweeper)
    this.#sweeper = undefined
  }
}
