// subscriptions/listen: a stream of changes that stays open. Spec 2026-07-28: basic/patterns/subscriptions.
import type { Caller, HeldStream } from '../exchange.ts'
import { McpError } from '../protocol/errors.ts'
import type { RequestId } from '../protocol/messages.ts'
import { META_SUBSCRIPTION } from '../protocol/schemas/common.ts'
import { ListenParams, type SubscriptionFilter } from '../protocol/schemas/methods.ts'
import type { Change, ChangeListener } from '../registry/changes.ts'
import { spreadRetry } from '../retry.ts'
import { hasPrompts, hasResources, hasTools } from './discover.ts'
import { HELD, type Method, type Services } from './method.ts'
import { mayRead } from './resources.ts'

export const listen: Method = {
  params: ListenParams,
  serve({ id, params, caller, sink, cancellation }, services) {
    if (sink === undefined)
      throw new McpError('NOT_ACCEPTABLE', 'subscriptions/listen answers with text/event-stream only')
    if (services.changes.listeners >= services.rules.maxStreams) {
      throw new McpError('BUSY', 'too many streams are open; retry later', { retryAfterS: spreadRetry(30) })
    }
    const filter = honoured((params as ListenParams).notifications, caller, services)
    const stream = sink.hold()
    const subscription = new Subscription(id, filter, { stream, caller, services })
    cancellation.onCancel(services.changes.subscribe(subscription))
    stream.onExpiry(() => {
      cancellation.cancel('deadline')
      subscription.end()
    })
    return HELD
  },
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
  readonly services: Services
}

class Subscription implements ChangeListener {
  readonly #id: string
  readonly #stream: HeldStream
  readonly #filter: SubscriptionFilter
  readonly #caller: Caller | undefined
  readonly #services: Services
  /** What a reader that lags will be told once it has caught up: each change once. */
  #waiting: Map<string, Change> | undefined

  constructor(id: RequestId, filter: SubscriptionFilter, { stream, caller, services }: Listening) {
    this.#id = JSON.stringify(id)
    this.#stream = stream
    this.#filter = filter
    this.#caller = caller
    this.#services = services
    stream.onDrain(() => this.#catchUp())
    const params = `{"_meta":{${this.#meta}},"notifications":${JSON.stringify(filter)}}`
    stream.send(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":${params}}`)
  }

  get #meta(): string {
    return `"${META_SUBSCRIPTION}":${this.#id}`
  }

  /** The server goes down, or the token has ended: the response to the request, so that the client knows that this is no accident. */
  end(): void {
    const meta = `${this.#services.serverMetaJson.slice(0, -1)},${this.#meta}}`
    this.#stream.finish(`{"jsonrpc":"2.0","id":${this.#id},"result":{"resultType":"complete","_meta":${meta}}}`)
  }

  hear(change: Change): void {
    if (!isWanted(this.#filter, change)) return
    // What is served may have come, or have changed, since it was asked for.
    if (change.kind === 'updated' && !mayRead(this.#services, this.#caller, change.uri)) return
    if (this.#waiting !== undefined) this.#waiting.set(keyOf(change), change)
    else this.#send(change)
  }

  #send(change: Change): void {
    const method = change.kind === 'updated' ? 'resources/updated' : `${change.kind}/list_changed`
    const uri = change.kind === 'updated' ? `,"uri":${JSON.stringify(change.uri)}` : ''
    const params = `{"_meta":{${this.#meta}}${uri}}`
    const isRead = this.#stream.send(`{"jsonrpc":"2.0","method":"notifications/${method}","params":${params}}`)
    if (!isRead) this.#waiting ??= new Map()
  }

  #catchUp(): void {
    const missed = this.#waiting
    this.#waiting = undefined
    if (missed !== undefined) for (const change of missed.values()) this.hear(change)
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
