// subscriptions/listen: a stream of changes that stays open. Spec 2026-07-28: basic/patterns/subscriptions.
import type { Sink } from '../exchange.ts'
import { McpError } from '../protocol/errors.ts'
import type { RequestId } from '../protocol/messages.ts'
import { META_SUBSCRIPTION } from '../protocol/schemas/common.ts'
import { ListenParams, type SubscriptionFilter } from '../protocol/schemas/methods.ts'
import type { Change } from '../registry/changes.ts'
import { hasPrompts, hasResources, hasTools } from './discover.ts'
import type { Method, Services } from './method.ts'

export const listen: Method = {
  params: ListenParams,
  serve(exchange, services) {
    const { sink } = exchange
    if (sink === undefined)
      throw new McpError('NOT_ACCEPTABLE', 'subscriptions/listen answers with text/event-stream only')
    if (services.changes.listeners >= services.rules.maxStreams) {
      throw new McpError('BUSY', 'too many streams are open; retry later', { retryAfterS: 30 })
    }
    const { notifications } = exchange.params as ListenParams
    const filter = honoured(notifications, services)
    const subscription = new Subscription(exchange.id, filter, sink)
    return new Promise(resolve => {
      const end = () => resolve({ result: { resultType: 'complete', _meta: { [META_SUBSCRIPTION]: exchange.id } } })
      const unsubscribe = services.changes.subscribe({ hear: change => subscription.hear(change), end })
      exchange.cancellation.onCancel(() => {
        unsubscribe()
        end()
      })
    })
  },
}

// What nothing is registered for is left out, so that the client knows that it will never hear of it.
function honoured(asked: SubscriptionFilter, { catalog }: Services): SubscriptionFilter {
  return {
    ...(asked.toolsListChanged && hasTools(catalog) && { toolsListChanged: true }),
    ...(asked.promptsListChanged && hasPrompts(catalog) && { promptsListChanged: true }),
    ...(asked.resourcesListChanged && hasResources(catalog) && { resourcesListChanged: true }),
    ...(asked.resourceSubscriptions && hasResources(catalog) && { resourceSubscriptions: asked.resourceSubscriptions }),
  }
}

class Subscription {
  readonly #id: string
  readonly #sink: Sink
  readonly #wanted: ReadonlySet<string>
  /** What a reader that lags will be told once it has caught up: each change once. */
  #waiting: Map<string, Change> | undefined

  constructor(id: RequestId, filter: SubscriptionFilter, sink: Sink) {
    this.#id = JSON.stringify(id)
    this.#sink = sink
    this.#wanted = wantedBy(filter)
    sink.onDrain(() => this.#catchUp())
    const params = `{"_meta":{"${META_SUBSCRIPTION}":${this.#id}},"notifications":${JSON.stringify(filter)}}`
    sink.send(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":${params}}`)
  }

  hear(change: Change): void {
    const key = keyOf(change)
    if (!this.#wanted.has(key)) return
    if (this.#waiting !== undefined) this.#waiting.set(key, change)
    else this.#send(change)
  }

  #send(change: Change): void {
    const meta = `"_meta":{"${META_SUBSCRIPTION}":${this.#id}}`
    const isRead =
      change.kind === 'updated'
        ? this.#sink.send(
            `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{${meta},"uri":${JSON.stringify(change.uri)}}}`,
          )
        : this.#sink.send(`{"jsonrpc":"2.0","method":"notifications/${change.kind}/list_changed","params":{${meta}}}`)
    if (!isRead) this.#waiting ??= new Map()
  }

  #catchUp(): void {
    const missed = this.#waiting
    this.#waiting = undefined
    if (missed !== undefined) for (const change of missed.values()) this.hear(change)
  }
}

const keyOf = (change: Change) => (change.kind === 'updated' ? `updated ${change.uri}` : change.kind)

function wantedBy(filter: SubscriptionFilter): Set<string> {
  const wanted = new Set<string>((filter.resourceSubscriptions ?? []).map(uri => keyOf({ kind: 'updated', uri })))
  if (filter.toolsListChanged) wanted.add('tools')
  if (filter.promptsListChanged) wanted.add('prompts')
  if (filter.resourcesListChanged) wanted.add('resources')
  return wanted
}
