// subscriptions/listen: a stream of notifications that stays open.
// Spec 2026-07-28: basic/patterns/subscriptions.
// Extension io.modelcontextprotocol/tasks: tasks, "Task Status Notifications".
import { McpError } from '../protocol/errors.ts'
import type { RequestId } from '../protocol/messages.ts'
import type { Revision } from '../protocol/revisions/index.ts'
import { type ClientCapabilities, META_SUBSCRIPTION } from '../protocol/schemas/common.ts'
import { ListenParams, type SubscriptionFilter } from '../protocol/schemas/methods.ts'
import type { CatalogChange, ChangeListener } from '../registry/changes.ts'
import { jitterRetryAfter } from '../request/answer.ts'
import type { Caller, DetachedStream, Exchange, Log } from '../request/exchange.ts'
import type { Task } from '../state/task.ts'
import { describeWithProgress } from '../tasks/describe.ts'
import { toLogged } from '../text/logged-error.ts'
import { hasPrompts, hasResources, hasTasks, hasTools } from './discover.ts'
import { DETACHED, type Method, type Uses } from './method.ts'
import { mayRead, mayWatch } from './resources.ts'
import { assertSupportsTasks } from './tasks.ts'

export interface TaskSubscriber {
  readonly writer: NotificationWriter
  readonly caller: Caller | undefined
  readonly capabilities: ClientCapabilities
  readonly revision: Revision
  /** Members of `_meta` of every notification, as JSON. */
  readonly meta: string
  readonly log: Log
}

/** Filters the tasks that a client names down to those that the caller may see. */
export async function findVisibleTasks(
  taskIds: readonly string[],
  exchange: Exchange,
  { tasks, access }: Uses<'tasks' | 'access'>,
): Promise<string[]> {
  const found = await Promise.all(taskIds.map(id => tasks.find(id, exchange.owner)))
  return [
    ...new Set(found.filter(task => task !== undefined && access.mayReadTask(exchange, task)).map(task => task!.id)),
  ]
}

/** Sends notifications/tasks: each task as tasks/get would return it at that moment. */
export class TaskSubscription {
  readonly #subscriber: TaskSubscriber
  readonly #runtime: Uses<'tasks' | 'access'>
  readonly #stops: (() => void)[]
  /** The newest version seen of each task; a slow read may return an older one. */
  readonly #sentVersions = new Map<string, number>()

  /** Sends the state of each task at once, since it may have ended before the subscription. */
  constructor(taskIds: readonly string[], subscriber: TaskSubscriber, runtime: Uses<'tasks' | 'access'>) {
    this.#subscriber = subscriber
    this.#runtime = runtime
    const { tasks } = runtime
    this.#stops = taskIds.map(id => tasks.watch(id, task => task && this.#onTask(task)))
    this.#sendAll(taskIds).catch(error =>
      subscriber.log.error({ err: toLogged(error) }, 'task notifications could not be sent'),
    )
  }

  end(): void {
    for (const stop of this.#stops) stop()
  }

  async #sendAll(taskIds: readonly string[]): Promise<void> {
    for (const id of taskIds) {
      const task = await this.#runtime.tasks.read(id)
      if (task !== undefined) this.#onTask(task)
    }
  }

  #onTask(task: Task): void {
    const { id, version } = task
    if (version <= (this.#sentVersions.get(id) ?? -1)) return
    this.#sentVersions.set(id, version)
    this.#subscriber.writer.send(`task ${id}`, () => this.#toNotification(task))
  }

  #toNotification(task: Task): string | undefined {
    const { capabilities, revision, meta } = this.#subscriber
    if (!this.#runtime.access.mayReadTask(this.#subscriber, task)) return undefined
    const { _meta, ...described } = revision.shapeResult('tasks/get', describeWithProgress(task, capabilities))
    const own = _meta === undefined ? '' : `,${JSON.stringify(_meta).slice(1, -1)}`
    const params = `{"_meta":{${meta}${own}},${JSON.stringify(described).slice(1)}`
    return `{"jsonrpc":"2.0","method":"notifications/tasks","params":${params}}`
  }
}

/** The parts of the server that a subscription uses. */
type ListenRuntime = Uses<'catalog' | 'changes' | 'tasks' | 'access' | 'hooks' | 'maxStreams' | 'serverMeta'>

export const listen: Method<keyof ListenRuntime> = {
  params: ListenParams,
  serve(exchange, runtime) {
    const { params, sink } = exchange
    if (sink === undefined)
      throw new McpError('NOT_ACCEPTABLE', 'subscriptions/listen answers with text/event-stream only')
    if (runtime.changes.listenerCount >= runtime.maxStreams) {
      throw new McpError('BUSY', 'too many streams are open; retry later', { retryAfterS: jitterRetryAfter(30) })
    }
    const asked = (params as ListenParams).notifications
    const filter = grantFilter(asked, exchange, runtime)
    if (asked.taskIds === undefined || !hasTasks(runtime.catalog)) return openSubscription(exchange, runtime, filter)
    assertSupportsTasks(exchange)
    return findVisibleTasks(asked.taskIds, exchange, runtime).then(taskIds =>
      openSubscription(exchange, runtime, { ...filter, taskIds }),
    )
  },
}

function openSubscription(
  { id, caller, capabilities, revision, sink, cancellation, log }: Exchange,
  runtime: ListenRuntime,
  filter: SubscriptionFilter,
): typeof DETACHED {
  const stream = sink!.detach()
  const subscription = new Subscription(id, filter, { stream, caller, capabilities, revision, runtime, log })
  const stop = runtime.changes.subscribe(subscription)
  cancellation.onCancel(() => {
    stop()
    subscription.stop()
  })
  stream.onExpiry(() => {
    cancellation.cancel('deadline')
    subscription.end()
  })
  return DETACHED
}

// Leaves out lists that are always empty, so that the client knows it will get no notifications.
function grantFilter(asked: SubscriptionFilter, exchange: Exchange, runtime: ListenRuntime): SubscriptionFilter {
  const { catalog } = runtime
  return {
    ...(asked.toolsListChanged && hasTools(catalog) && { toolsListChanged: true }),
    ...(asked.promptsListChanged && hasPrompts(catalog) && { promptsListChanged: true }),
    ...(asked.resourcesListChanged && hasResources(catalog) && { resourcesListChanged: true }),
    ...(asked.resourceSubscriptions &&
      hasResources(catalog) && {
        resourceSubscriptions: asked.resourceSubscriptions.filter(uri => mayWatch(runtime, exchange, uri)),
      }),
  }
}

interface SubscriptionParts {
  readonly stream: DetachedStream
  readonly caller: Caller | undefined
  readonly capabilities: ClientCapabilities
  readonly revision: Revision
  readonly runtime: ListenRuntime
  readonly log: Log
}

class Subscription implements ChangeListener {
  readonly #id: string
  readonly #stream: DetachedStream
  readonly #filter: SubscriptionFilter
  readonly #reader: Pick<Exchange, 'caller' | 'capabilities'>
  readonly #runtime: ListenRuntime
  readonly #writer: NotificationWriter
  readonly #tasks: TaskSubscription | undefined

  constructor(
    id: RequestId,
    filter: SubscriptionFilter,
    { stream, caller, capabilities, revision, runtime, log }: SubscriptionParts,
  ) {
    this.#id = JSON.stringify(id)
    this.#stream = stream
    this.#filter = filter
    this.#reader = { caller, capabilities }
    this.#runtime = runtime
    this.#writer = new NotificationWriter(stream)
    const params = `{"_meta":{${this.#meta}},"notifications":${JSON.stringify(filter)}}`
    stream.send(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":${params}}`)
    const { taskIds = [] } = filter
    if (taskIds.length === 0) return
    const subscriber = { writer: this.#writer, caller, capabilities, revision, meta: this.#meta, log }
    this.#tasks = new TaskSubscription(taskIds, subscriber, runtime)
  }

  get #meta(): string {
    return `"${META_SUBSCRIPTION}":${this.#id}`
  }

  /** Sends the response at a shutdown, or once the token has expired: the stream did not break. */
  end(): void {
    this.stop()
    const meta = `${this.#runtime.serverMeta.json.slice(0, -1)},${this.#meta}}`
    this.#stream.finish(`{"jsonrpc":"2.0","id":${this.#id},"result":{"resultType":"complete","_meta":${meta}}}`)
  }

  /** Stops all notifications. */
  stop(): void {
    this.#tasks?.end()
  }

  onChange(change: CatalogChange): void {
    if (matchesFilter(this.#filter, change)) this.#writer.send(getChangeKey(change), () => this.#toNotification(change))
  }

  /** @returns undefined if the caller may not see it: a resource's scopes and rules may have changed */
  #toNotification(change: CatalogChange): string | undefined {
    if (change.kind === 'updated' && !mayRead(this.#runtime, this.#reader, change.uri)) return undefined
    const method = change.kind === 'updated' ? 'resources/updated' : `${change.kind}/list_changed`
    const uri = change.kind === 'updated' ? `,"uri":${JSON.stringify(change.uri)}` : ''
    const params = `{"_meta":{${this.#meta}}${uri}}`
    return `{"jsonrpc":"2.0","method":"notifications/${method}","params":${params}}`
  }
}

const getChangeKey = (change: CatalogChange) => (change.kind === 'updated' ? `updated ${change.uri}` : change.kind)

function matchesFilter(filter: SubscriptionFilter, change: CatalogChange): boolean {
  switch (change.kind) {
    case 'tools':
      return filter.toolsListChanged === true
    case 'prompts':
      return filter.promptsListChanged === true
    case 'resources':
      return filter.resourcesListChanged === true
    case 'updated':
      return filter.resourceSubscriptions?.includes(change.uri) === true
  }
}

/** @returns the notification as JSON; undefined if there is nothing left to send */
type ToNotification = () => string | undefined

/** While a stream lags, keeps the newest notification of each subject, to send it later. */
class NotificationWriter {
  readonly #stream: Pick<DetachedStream, 'send' | 'onDrain'>
  #pending: Map<string, ToNotification> | undefined

  constructor(stream: Pick<DetachedStream, 'send' | 'onDrain'>) {
    this.#stream = stream
    stream.onDrain(() => this.#catchUp())
  }

  /** A newer notification replaces a pending one of the same subject. */
  send(subject: string, toJson: ToNotification): void {
    if (this.#pending !== undefined) {
      this.#pending.set(subject, toJson)
      return
    }
    const json = toJson()
    if (json !== undefined && !this.#stream.send(json)) this.#pending = new Map()
  }

  #catchUp(): void {
    const missed = this.#pending
    this.#pending = undefined
    if (missed !== undefined) for (const [subject, toJson] of missed) this.send(subject, toJson)
  }
}
