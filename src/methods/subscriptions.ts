// subscriptions/listen: a stream of changes that stays open. Spec 2026-07-28: basic/patterns/subscriptions.
import type { Caller, Exchange, HeldStream, Log } from '../exchange.ts'
import { McpError } from '../protocol/errors.ts'
import type { RequestId } from '../protocol/messages.ts'
import type { Revision } from '../protocol/revisions/index.ts'
import { type ClientCapabilities, META_SUBSCRIPTION } from '../protocol/schemas/common.ts'
import { ListenParams, type SubscriptionFilter } from '../protocol/schemas/methods.ts'
import type { Change, ChangeListener } from '../registry/changes.ts'
import { spreadRetry } from '../retry.ts'
import { hasPrompts, hasResources, hasTasks, hasTools } from './discover.ts'
import { HELD, type Method, type Services } from './method.ts'
import { NewsTo } from './news-to.ts'
import { mayRead } from './resources.ts'
import { knownTasks, TaskSubscription } from './task-subscription.ts'
import { assertKnowsTasks } from './tasks.ts'

export const listen: Method = {
  params: ListenParams,
  serve(exchange, services) {
    const { params, caller, sink } = exchange
    if (sink === undefined)
      throw new McpError('NOT_ACCEPTABLE', 'subscriptions/listen answers with text/event-stream only')
    if (services.changes.listeners >= services.rules.maxStreams) {
      throw new McpError('BUSY', 'too many streams are open; retry later', { retryAfterS: spreadRetry(30) })
    }
    const asked = (params as ListenParams).notifications
    const filter = honoured(asked, caller, services)
    if (asked.taskIds === undefined || !hasTasks(services.catalog)) return hold(exchange, services, filter)
    assertKnowsTasks(exchange)
    return knownTasks(asked.taskIds, caller, services).then(taskIds => hold(exchange, services, { ...filter, taskIds }))
  },
}

function hold(
  { id, caller, capabilities, revision, sink, cancellation, log }: Exchange,
  services: Services,
  filter: SubscriptionFilter,
): typeof HELD {
  const stream = sink!.hold()
  const subscription = new Subscription(id, filter, { stream, caller, capabilities, revision, services, log })
  const stop = services.changes.subscribe(subscription)
  cancellation.onCancel(() => {
    stop()
    subscription.leave()
  })
  stream.onExpiry(() => {
    cancellation.cancel('deadline')
    subscription.end()
  })
  return HELD
}

// What nothing is registered for is left out, so that the client knows that it will never hear of it.
function honoured(asked: SubscriptionFilter, caller: Caller | undefined, services: Services): SubscriptionFilter {
  const { catalog } = services
  return {
    ...(asked.toolsListChanged && hasTools(catalog) && { toolsListChanged: true }),
    ...(asked.promptsListChanged && hasPrompts(catalog) && { promptsListChanged: true }),
    ...(asked.resourcesListChanged && hasResources(catalog) && { resourcesListChanged: true }),
    ...(asked.resourceSubscriptions &&
      hasResources(catalog) && {
        resourceSubscriptions: asked.resourceSubscriptions.filter(uri => mayRead(services, caller, uri)),
      }),
  }
}

interface Listening {
  readonly stream: HeldStream
  readonly caller: Caller | undefined
  readonly capabilities: ClientCapabilities
  readonly revision: Revision
  readonly services: Services
  readonly log: Log
}

class Subscription implements ChangeListener {
  readonly #id: string
  readonly #stream: HeldStream
  readonly #filter: SubscriptionFilter
  readonly #caller: Caller | undefined
  readonly #services: Services
  readonly #news: NewsTo
  readonly #tasks: TaskSubscription | undefined

  constructor(
    id: RequestId,
    filter: SubscriptionFilter,
    { stream, caller, capabilities, revision, services, log }: Listening,
  ) {
    this.#id = JSON.stringify(id)
    this.#stream = stream
    this.#filter = filter
    this.#caller = caller
    this.#services = services
    this.#news = new NewsTo(stream)
    const params = `{"_meta":{${this.#meta}},"notifications":${JSON.stringify(filter)}}`
    stream.send(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":${params}}`)
    const { taskIds = [] } = filter
    if (taskIds.length === 0) return
    const audience = { news: this.#news, caller, capabilities, revision, meta: this.#meta, log }
    this.#tasks = new TaskSubscription(taskIds, audience, services)
  }

  get #meta(): string {
    return `"${META_SUBSCRIPTION}":${this.#id}`
  }

  /** The server goes down, or the token has ended: the response to the request, so that the client knows that this is no accident. */
  end(): void {
    this.leave()
    const meta = `${this.#services.serverMetaJson.slice(0, -1)},${this.#meta}}`
    this.#stream.finish(`{"jsonrpc":"2.0","id":${this.#id},"result":{"resultType":"complete","_meta":${meta}}}`)
  }

  /** Nothing is told any more. */
  leave(): void {
    this.#tasks?.end()
  }

  hear(change: Change): void {
    if (isWanted(this.#filter, change)) this.#news.tell(keyOf(change), () => this.#jsonOf(change))
  }

  /** @returns undefined where it is none of the caller's business: what is served may have come, or have changed */
  #jsonOf(change: Change): string | undefined {
    if (change.kind === 'updated' && !mayRead(this.#services, this.#caller, change.uri)) return undefined
    const method = change.kind === 'updated' ? 'resources/updated' : `${change.kind}/list_changed`
    const uri = change.kind === 'updated' ? `,"uri":${JSON.stringify(change.uri)}` : ''
    const params = `{"_meta":{${this.#meta}}${uri}}`
    return `{"jsonrpc":"2.0","method":"notifications/${method}","params":${params}}`
  }
}

const keyOf = (change: Change) => (change.kind === 'updated' ? `updated ${change.uri}` : change.kind)

function isWanted(filter: SubscriptionFilter, change: Change): boolean {
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
