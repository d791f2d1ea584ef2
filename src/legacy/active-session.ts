// A session's state in this process: its streams, running requests and pending questions.
import type { JsonRpcResponse, RequestId } from '../protocol/messages.ts'
import type { Cancellation } from '../request/cancellation.ts'
import type { Caller } from '../request/exchange.ts'
import type { ListVersions, Session } from '../state/sessions.ts'
import type { ResumableStream } from './resumable-stream.ts'

/** Notification streams per session; one more ends the oldest. */
export const MAX_NOTIFICATION_STREAMS = 4

/** A stream that gets a session's notifications. */
export interface NotificationStream {
  readonly caller: Caller | undefined
  readonly isConnected: boolean
  /** False if the reader lags: the listener of `onDrain` is called once it has caught up. */
  send(json: string): boolean
  sendAll(jsons: readonly string[]): boolean
  onDrain(listener: () => void): void
  end(): void
  /** At a shutdown; responses may still follow. */
  endNotifications(): void
}

export class ActiveSession {
  readonly session: Session
  readonly runningRequests = new Map<RequestId, Cancellation>()
  /** Resolvers of the client's answers, by question id. */
  readonly pendingQuestions = new Map<string, (response: JsonRpcResponse) => void>()
  /** Streams of requests that are not answered yet, by stream id. */
  readonly replyStreams = new Map<string, ResumableStream>()
  /** The newest stream is at another replica, which sends the notifications. */
  isNotifiedElsewhere = false
  /** Pending while the session is read from the store again. */
  reloading: Promise<void> | undefined
  /** Newest last. */
  readonly notificationStreams: NotificationStream[] = []

  constructor(session: Session) {
    this.session = session
  }

  /** True if the client has a request, a question or a stream open here. */
  get isBusy(): boolean {
    const { runningRequests, pendingQuestions, replyStreams, notificationStreams } = this
    return runningRequests.size + pendingQuestions.size + replyStreams.size + notificationStreams.length > 0
  }

  get isIdle(): boolean {
    return !this.isBusy && (this.session.subscriptions?.size ?? 0) === 0
  }

  /** The stream that gets notifications: the newest connected one. */
  get reader(): NotificationStream | undefined {
    return this.notificationStreams.findLast(({ isConnected }) => isConnected)
  }

  /** The unfinished stream with this id, connected or not. */
  findStream(id: string): ResumableStream | undefined {
    const isIt = (stream: NotificationStream): stream is ResumableStream => 'id' in stream && stream.id === id
    return this.replyStreams.get(id) ?? this.notificationStreams.find(isIt)
  }

  /** Merges the stored session, which another replica may have changed. */
  mergeStored(kept: Session): Session {
    const { session } = this
    if (kept === session) return session
    const { logLevel, seen, subscriptions } = kept
    const watched = subscriptions?.keys()
    session.logLevel = logLevel
    session.seen = newest(session.seen, seen)
    session.subscriptions = watched && new Map([...watched].map(uri => [uri, session.subscriptions?.get(uri) ?? false]))
    return session
  }

  /**
   * Marks a subscribed resource as changed, even if another replica sends the notifications: its
   * stream may reconnect here. The client may then be notified twice, but never misses one.
   */
  markUpdated(uri: string): void {
    const { subscriptions } = this.session
    if (subscriptions?.has(uri)) subscriptions.set(uri, true)
  }

  addStream(stream: NotificationStream): void {
    this.removeStream(stream)
    this.notificationStreams.push(stream)
    if (this.notificationStreams.length > MAX_NOTIFICATION_STREAMS) this.notificationStreams.shift()!.end()
  }

  removeStream(stream: NotificationStream): void {
    const index = this.notificationStreams.indexOf(stream)
    if (index >= 0) this.notificationStreams.splice(index, 1)
  }

  cancelRequests(): void {
    for (const cancellation of this.runningRequests.values()) cancellation.cancel('cancelled')
  }

  end(): void {
    this.cancelRequests()
    for (const stream of [...this.notificationStreams, ...this.replyStreams.values()]) stream.end()
    this.notificationStreams.length = 0
  }
}

const newest = (one: ListVersions, other: ListVersions): ListVersions => ({
  tools: Math.max(one.tools, other.tools),
  prompts: Math.max(one.prompts, other.prompts),
  resources: Math.max(one.resources, other.resources),
})
