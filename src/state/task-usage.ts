// The bounds of tasks and their bytes, per client and in total, as rules. Also counts kept tasks, for
// stores of one process.
import { hasEnded, type Task } from './task.ts'
import { clientTasksTooLarge, END_RESERVE_BYTES, tooManyClientTasks, tooManyTasks, type UsageBounds } from './tasks.ts'

/** Tasks, and their `size` together. */
export interface Usage {
  readonly tasks: number
  readonly size: number
}

/** Usage now: of the client of a task, and of all clients. */
export interface UsageNow {
  readonly client: Usage
  readonly all: Usage
}

/** Checks the room for a new task. @throws McpError RATE_LIMITED (429), BUSY (503) */
export function assertTaskFits(bounds: UsageBounds, { client, all }: UsageNow, { size }: Pick<Task, 'size'>): void {
  const isNew = client.tasks === 0
  if (client.tasks >= bounds.maxTasksPerClient) throw tooManyClientTasks(client.tasks)
  if (client.size + size > bounds.maxSizePerClient) throw clientTasksTooLarge()
  const freeTasks = bounds.maxTasks - all.tasks
  if (freeTasks < 1) throw tooManyTasks()
  // A client without a task may have one as long as there is any room.
  if (!isNew && client.tasks + 1 > bounds.maxShareOfFree * freeTasks) throw tooManyClientTasks(client.tasks)
  if (!hasRoom(bounds, { client, all }, size)) throw isNew ? tooManyTasks() : clientTasksTooLarge()
}

/** Checks the room for a step; one that ends a task may always add a little. @throws McpError RATE_LIMITED (429) */
export function assertStepFits(bounds: UsageBounds, now: UsageNow, before: Task, after: Task): void {
  const growth = after.size - before.size
  if (growth <= (hasEnded(after) ? END_RESERVE_BYTES : 0)) return
  if (now.client.size + growth > bounds.maxSizePerClient || !hasRoom(bounds, now, growth)) throw clientTasksTooLarge()
}

function hasRoom({ maxSize, maxShareOfFree }: UsageBounds, { client, all }: UsageNow, growth: number): boolean {
  const free = maxSize - all.size
  return growth <= free && client.size + growth <= maxShareOfFree * free
}

const NOTHING: Usage = { tasks: 0, size: 0 }

/** Counts tasks and their bytes, per client and in total. */
export class TaskUsage {
  /** By client; a client without tasks has no entry. */
  readonly #clients = new Map<string, Usage>()
  #all = NOTHING

  read(clientKey: string): UsageNow {
    return { client: this.#clients.get(clientKey) ?? NOTHING, all: this.#all }
  }

  /** @param tasks change of the number of tasks @param size change of their bytes */
  add(clientKey: string, tasks: number, size: number): void {
    const { client, all } = this.read(clientKey)
    const changed = { tasks: client.tasks + tasks, size: client.size + size }
    if (changed.tasks > 0) this.#clients.set(clientKey, changed)
    else this.#clients.delete(clientKey)
    this.#all = { tasks: all.tasks + tasks, size: all.size + size }
  }

  clear(): void {
    this.#clients.clear()
  }
}
