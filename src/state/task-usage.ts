// Counts tasks and their bytes, per client and in total, and checks them against the bounds. For
// stores of one process, which count what they keep themselves.
import { clientTasksTooLarge, tooManyClientTasks, tooManyTasks, type UsageBounds } from './tasks.ts'

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
