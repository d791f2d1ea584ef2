// A session at work in this process: its streams, its requests under way, the questions that wait for its client.
import type { Cancellation } from '../cancellation.ts'
import type { JsonRpcResponse, RequestId } from '../protocol/messages.ts'
import type { Session } from '../session.ts'
import { type Handover, newest } from './handover.ts'
import type { PlainStream } from './plain-stream.ts'
import type { SessionStream } from './session-stream.ts'

/** Streams that one session may listen to; past it the oldest ends. */
export const MAX_LISTENING = 4

export type NewsStream = SessionStream | PlainStream

export class LiveSession {
  readonly session: Session
  /** Requests under way, by their id. */
  readonly running = new Map<RequestId, Cancellation>()
  /** Who waits for the client's answer, by the id of the question. */
  readonly asked = new Map<string, (response: JsonRpcResponse) => void>()
  /** Streams of requests that have not been answered, by their id. */
  readonly replies = new Map<string, SessionStream>()
  /** Its news is told by another replica. */
  isReadElsewhere = false
  /** Its news was told here last: what is kept here of it is right. */
  isTeller = false
  /** Asks the other replicas what was told, before more is told here. */
  handover: Handover | undefined
  /** What is kept of it is being read again. */
  reloading: Promise<void> | undefined
  /** Nobody reads here any more; another replica may still ask what was told. */
  lingers = false
  /** Streams that are open for news, newest last. */
  readonly listening: NewsStream[] = []

  constructor(session: Session) {
    this.session = session
  }

  /** Somebody waits: for news, or for an answer. */
  get isBusy(): boolean {
    const { running, asked, replies, listening } = this
    return running.size + asked.size + replies.size + listening.length > 0
  }

  /** Nothing here is needed any more. */
  get isIdle(): boolean {
    return !this.isBusy && !this.lingers && (this.session.subscriptions?.size ?? 0) === 0
  }

  /** Where news goes: the newest stream that somebody reads, and that one only. */
  get reader(): NewsStream | undefined {
    return this.listening.findLast(({ isConnected }) => isConnected)
  }

  /** The stream of this id that has not come to its end, whether or not somebody reads it. */
  streamOf(id: string): SessionStream | undefined {
    const isIt = (stream: NewsStream): stream is SessionStream => 'id' in stream && stream.id === id
    return this.replies.get(id) ?? this.listening.find(isIt)
  }

  /** With what is kept of it: another replica may have changed that. */
  renew(kept: Session): Session {
    const { session } = this
    if (kept === session) return session
    const { logLevel, seen, subscriptions } = kept
    const watched = subscriptions?.keys()
    session.logLevel = logLevel
    session.seen = newest(session.seen, seen)
    session.subscriptions = watched && new Map([...watched].map(uri => [uri, session.subscriptions?.get(uri) ?? false]))
    return session
  }

  /** A watched resource has changed. */
  note(uri: string): void {
    const { subscriptions } = this.session
    if (!this.isReadElsewhere && subscriptions?.has(uri)) subscriptions.set(uri, true)
  }

  listen(stream: NewsStream): void {
    this.leave(stream)
    this.listening.push(stream)
    if (this.listening.length > MAX_LISTENING) this.listening.shift()!.end()
  }

  leave(stream: NewsStream): void {
    const index = this.listening.indexOf(stream)
    if (index >= 0) this.listening.splice(index, 1)
  }

  stop(): void {
    for (const cancellation of this.running.values()) cancellation.cancel('cancelled')
  }

  /** The client ended the session, or has not been heard of for too long. */
  end(): void {
    this.stop()
    for (const stream of [...this.listening, ...this.replies.values()]) stream.end()
    this.listening.length = 0
  }
}
