// notifications/tasks on a stream of subscriptions/listen: each task as tasks/get would show it at that moment.
// Extension io.modelcontextprotocol/tasks: tasks, "Task Status Notifications".
import { ownerOf } from '../access/identity.ts'
import type { Caller, Log } from '../exchange.ts'
import type { Revision } from '../protocol/revisions/index.ts'
import type { ClientCapabilities } from '../protocol/schemas/common.ts'
import type { Task } from '../task.ts'
import { describeTask } from '../tasks/describe.ts'
import type { Services } from './method.ts'
import type { NewsTo } from './news-to.ts'

export interface TaskAudience {
  readonly news: NewsTo
  readonly caller: Caller | undefined
  readonly capabilities: ClientCapabilities
  readonly revision: Revision
  /** Members of `_meta` of every notification, as JSON. */
  readonly meta: string
  readonly log: Log
}

/** Of the tasks that a client names, those that it may hear of. */
export async function knownTasks(
  taskIds: readonly string[],
  caller: Caller | undefined,
  { tasks, access }: Services,
): Promise<string[]> {
  const owner = ownerOf(caller)
  const found = await Promise.all(taskIds.map(id => tasks.find(id, owner)))
  return [...new Set(found.filter(task => task !== undefined && access.may(caller, task.scopes)).map(task => task!.id))]
}

export class TaskSubscription {
  readonly #audience: TaskAudience
  readonly #services: Services
  readonly #stops: (() => void)[]
  /** Of each task the newest version that was heard of: what is looked up may come behind it. */
  readonly #heard = new Map<string, number>()

  /** Tells at once what each task is: it may have ended before anybody listened. */
  constructor(taskIds: readonly string[], audience: TaskAudience, services: Services) {
    this.#audience = audience
    this.#services = services
    const { tasks } = services
    this.#stops = taskIds.map(id => tasks.watch(id, task => task && this.#hear(task)))
    this.#tellAll(taskIds).catch(error => audience.log.error({ err: error }, 'tasks could not be told'))
  }

  end(): void {
    for (const stop of this.#stops) stop()
  }

  async #tellAll(taskIds: readonly string[]): Promise<void> {
    for (const id of taskIds) {
      const task = await this.#services.tasks.read(id)
      if (task !== undefined) this.#hear(task)
    }
  }

  #hear(task: Task): void {
    const { id, version } = task
    if (version <= (this.#heard.get(id) ?? -1)) return
    this.#heard.set(id, version)
    this.#audience.news.tell(`task ${id}`, () => this.#jsonOf(task))
  }

  #jsonOf(task: Task): string | undefined {
    const { caller, capabilities, revision, meta } = this.#audience
    if (!this.#services.access.may(caller, task.scopes)) return undefined
    const described = revision.shape('tasks/get', describeTask(task, capabilities))
    const params = `{"_meta":{${meta}},${JSON.stringify(described).slice(1)}`
    return `{"jsonrpc":"2.0","method":"notifications/tasks","params":${params}}`
  }
}
