// Sends a session its notifications: lists that changed, watched resources that changed, and news of
// its tasks. Each goes to one stream, the newest that somebody reads, on whichever replica that is.
// Spec 2025-11-25: server/tools, "List Changed Notification", and server/resources, "Subscriptions".
import type { CatalogChange } from '../registry/changes.ts'
import type { Caller } from '../request/exchange.ts'
import type { ListVersions, Session } from '../state/sessions.ts'
import type { ActiveSession, NotificationStream } from './active-session.ts'

const LIST_NAMES = ['tools', 'prompts', 'resources'] as const

export interface NotifierParts {
  /** How often each list has changed. */
  readonly changes: { readonly versions: ListVersions }
  /** Whether a caller may know of a resource: a session is longer than the token that opened it. */
  mayRead(caller: Caller | undefined, uri: string): boolean
}

export class SessionNotifier {
  readonly #parts: NotifierParts
  /** Streams whose reader lags. They get what is pending when the reader has caught up. */
  readonly #lagging = new WeakSet<NotificationStream>()

  constructor(parts: NotifierParts) {
    this.#parts = parts
  }

  /** Sends what is pending, if somebody reads here. */
  sendPending(active: ActiveSession): void {
    const reader = this.#findReader(active)
    if (reader === undefined) return
    const { changes, mayRead } = this.#parts
    const news = pendingNotifications(active.session, changes.versions, uri => mayRead(reader.caller, uri))
    if (news.length > 0) this.#write(reader, news)
  }

  /** Sends one message, if somebody reads here. */
  send(active: ActiveSession, json: (reader: Caller | undefined) => string | undefined): void {
    const reader = this.#findReader(active)
    const said = reader && json(reader.caller)
    if (said !== undefined) this.#write(reader!, [said])
  }

  onChange(active: ActiveSession, change: CatalogChange): void {
    // The client may have subscribed just before, at another replica.
    if (active.reloading !== undefined) return void active.reloading.then(() => this.onChange(active, change))
    if (change.kind === 'updated') active.markUpdated(change.uri)
    if (active.notificationStreams.length > 0) this.sendPending(active)
  }

  /** The reader of this stream has caught up. */
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

/**
 * Takes the pending notifications of a session, as JSON. Each comes once, however often it changed.
 *
 * @param mayRead whether the reader of the stream may know of a resource
 */
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
