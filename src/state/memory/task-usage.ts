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
  assertRoom(clientKey: string, size: number): void {
    const { maxTasks, maxTasksOfClient, maxSizeOfClient, shareOfFree } = this.#bounds
    const own = this.#of(clientKey)
    const isNew = own.tasks === 0
    if (own.tasks >= maxTasksOfClient) throw tooManyOfClient(own.tasks)
    if (own.size + size > maxSizeOfClient) throw tooMuchOfClient()
    const freeTasks = maxTasks - this.#total.tasks
    if (freeTasks < 1) throw tooManyTasks()
    // Who has none may have one as long as there is room at all.
    if (!isNew && own.tasks + 1 > shareOfFree * freeTasks) throw tooManyOfClient(own.tasks)
    if (!this.#fits(own.size, size)) throw isNew ? tooManyTasks() : tooMuchOfClient()
  }

  /** For a task that holds more than before. @throws McpError RATE_LIMITED (429) */
  assertGrowth(clientKey: string, growth: number): void {
    const { size } = this.#of(clientKey)
    if (size + growth > this.#bounds.maxSizeOfClient || !this.#fits(size, growth)) throw tooMuchOfClient()
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

  #fits(held: number, growth: number): boolean {
    const free = this.#bounds.maxSize - this.#total.size
    return growth <= free && held + growth <= this.#bounds.shareOfFree * free
  }

  #of(clientKey: string): Usage {
    return this.#clients.get(clientKey) ?? { tasks: 0, size: 0 }
  }
}
