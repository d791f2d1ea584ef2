// How many tasks are kept, and how much they hold: of each client, and of all together.
import { tooManyOfClient, tooManyTasks, tooMuchOfClient, type UsageBounds } from '../task-bounds.ts'

interface Usage {
  tasks: number
  size: number
}

export class TaskUsage {
  readonly #bounds: UsageBounds
  /** By client; those with none have no entry. */
  readonly #clients = new Map<string, Usage>()
  readonly #total: Usage = { tasks: 0, size: 0 }

  constructor(bounds: UsageBounds) {
    this.#bounds = bounds
  }

  /** For one task more. @throws McpError RATE_LIMITED (429), BUSY (503) */
  assertRoom(clientKey: string): void {
    const { maxTasks, maxTasksOfClient, maxSize, maxSizeOfClient } = this.#bounds
    const { tasks, size } = this.#of(clientKey)
    if (tasks >= maxTasksOfClient || size >= maxSizeOfClient) throw tooManyOfClient(tasks)
    if (this.#total.tasks >= maxTasks || this.#total.size >= maxSize) throw tooManyTasks()
  }

  /** For a task that holds more than before. @throws McpError RATE_LIMITED (429) */
  assertGrowth(clientKey: string, growth: number): void {
    const { maxSize, maxSizeOfClient } = this.#bounds
    if (this.#of(clientKey).size + growth <= maxSizeOfClient && this.#total.size + growth <= maxSize) return
    throw tooMuchOfClient()
  }

  /** @param tasks so many more, or fewer @param size the same, of what they hold */
  count(clientKey: string, tasks: number, size: number): void {
    const usage = this.#of(clientKey)
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

  #of(clientKey: string): Usage {
    return this.#clients.get(clientKey) ?? { tasks: 0, size: 0 }
  }
}
