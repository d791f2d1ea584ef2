// A session at work in this process: its streams, its requests under way, the questions that wait for its client.
import type { JsonRpcResponse, RequestId } from '../protocol/messages.ts'
import type { Cancellation } from '../request/cancellation.ts'
import type { ListVersions, Session } from '../state/sessions.ts'
import type { ResumableStream } from './resumable-stream.ts'
import type { HttpSseStream } from './sse-stream.ts'

/** Streams that one session may listen to; past it the oldest ends. */
export const MAX_NOTIFICATION_STREAMS = 4

export type NotificationStream = ResumableStream | HttpSseStream

export class ActiveSession {
  readonly session: Session
  /** Requests under way, by their id. */
  readonly runningRequests = new Map<RequestId, Cancellation>()
  /** Who waits for the client's answer, by the id of the question. */
  readonly pendingQuestions = new Map<string, (response: JsonRpcResponse) => void>()
  /** Streams of requests that have not been answered, by their id. */
  readonly replyStreams = new Map<string, ResumableStream>()
  /** Its newest stream is at another replica, which sends its notifications. */
  isNotifiedElsewhere = false
  /** What is kept of it is being read again. */
  reloading: Promise<void> | undefined
  /** Streams that are open for news, newest last. */
  readonly notificationStreams: NotificationStream[] = []

  constructor(session: Session) {
    this.session = session
  }

  /** Somebody waits: for news, or for an answer. */
  get isBusy(): boolean {
    const { runningRequests, pendingQuestions, replyStreams, notificationStreams } = this
    return runningRequests.size + pendingQuestions.size + replyStreams.size + notificationStreams.length > 0
  }

  /** Nothing here is needed any more. */
  get isIdle(): boolean {
    return !this.isBusy && (this.session.subscriptions?.size ?? 0) === 0
  }

  /** Where news goes: the newest stream that somebody reads, and that one only. */
  get reader(): NotificationStream | undefined {
    return this.notificationStreams.findLast(({ isConnected }) => isConnected)
  }

  /** The stream of this id that has not come to its end, whether or not somebody reads it. */
  findStream(id: string): ResumableStream | undefined {
    const isIt = (stream: NotificationStream): stream is ResumableStream => 'id' in stream && stream.id === id
    return this.replyStreams.get(id) ?? this.notificationStreams.find(isIt)
  }

  /** With what is kept of it: another replica may have changed that. */
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
   * A watched resource has changed. Noted also while another replica sends the notifications, since
   * its reader may leave and come back here: then one may come twice, and none is lost.
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

  /** The client ended the session, or has not been heard of for too long. */
  end(): void {
    this.cancelRequests()
    for (const stream of [...this.notificationStreams, ...this.replyStreams.values()]) stream.end()
    this.notificationStreams.length = 0
  }
}

/** Versions only grow. */
const newest = (one: ListVersions, other: ListVersions): ListVersions => ({
  tools: Math.max(one.tools, other.tools),
  prompts: Math.max(one.prompts, other.prompts),
  resources: Math.max(one.resources, other.resources),
})
