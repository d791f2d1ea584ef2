// Notifies a session of changed lists, changed resources and its tasks. Each notification goes to
// one stream only, on whichever replica: the newest that is connected.
// Spec 2025-11-25: server/tools, "List Changed Notification"; server/resources, "Subscriptions".
import type { CatalogChange } from '../registry/changes.ts'
import type { Caller, Exchange } from '../request/exchange.ts'
import type { ListVersions, Session } from '../state/sessions.ts'
import type { ActiveSession, NotificationStream } from './active-session.ts'

const LIST_NAMES = ['tools', 'prompts', 'resources'] as const

export interface NotifierParts {
  /** The version of each list. */
  readonly changes: { readonly versions: ListVersions }
  /** Whether a caller may read a resource: a session may live longer than the token that opened it. */
  mayRead(reader: Pick<Exchange, 'caller' | 'capabilities'>, uri: string): boolean
}

export class SessionNotifier {
  readonly #parts: NotifierParts
  /** Streams whose reader lags. They get pending notifications once it has caught up. */
  readonly #lagging = new WeakSet<NotificationStream>()

  constructor(parts: NotifierParts) {
    this.#parts = parts
  }

  /** Sends pending notifications, if a stream is connected here. */
  sendPending(active: ActiveSession): void {
    const reader = this.#findReader(active)
    if (reader === undefined) return
    const { changes, mayRead } = this.#parts
    const { capabilities } = active.session
    const knows = (uri: string) => mayRead({ caller: reader.caller, capabilities }, uri)
    const news = pendingNotifications(active.session, changes.versions, knows)
    if (news.length > 0) this.#write(reader, news)
  }

  /** Sends one message, if a stream is connected here. */
  send(active: ActiveSession, json: (reader: Caller | undefined) => string | undefined): void {
    const reader = this.#findReader(active)
    const said = reader && json(reader.caller)
    if (said !== undefined) this.#write(reader!, [said])
  }

  onChange(active: ActiveSession, change: CatalogChange): void {
    // The client may have just subscribed at another replica.
    if (active.reloading !== undefined) return void active.reloading.then(() => this.onChange(active, change))
    if (change.kind === 'updated') active.markUpdated(change.uri)
    if (active.notificationStreams.length > 0) this.sendPending(active)
  }

  resume(active: ActiveSession, stream: NotificationStream): void {
    this.#lagging.delete(stream)
    this.sendPending(active)
  }

  #findReader(active: ActiveSession): NotificationStream | undefined {
    const { reader } = active
    return reader === undefined || active.isNotifiedElsewhere || this.#lagging.has(reader) ? undefined : reader
  }

  #write(reader: NotificationStream, jsons: readonly string[]): void {
    if (!reader.sendAll(jsons)) this.#lagging.add(reader)
  }
}

/** Takes the pending notifications as JSON: one for each change, however often it happened. */
function pendingNotifications(session: Session, versions: ListVersions, mayRead: (uri: string) => boolean): string[] {
  const news =
    session.seen === versions ? [] : LIST_NAMES.filter(list => session.seen[list] !== versions[list]).map(toListChanged)
  session.seen = versions
  const { subscriptions } = session
  if (subscriptions === undefined) return news
  for (const [uri, isWaiting] of subscriptions) {
    if (!isWaiting) continue
    subscriptions.set(uri, false)
    if (!mayRead(uri)) continue
    news.push(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } }))
  }
  return news
}

const toListChanged = (list: string) => `{"jsonrpc":"2.0","method":"notifications/${list}/list_changed"}`
