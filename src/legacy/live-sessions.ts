// All sessions of a server: those at rest are in the store only, those at work have a part here that hears the news.
import type { Eventually } from '../chain.ts'
import type { Caller } from '../exchange.ts'
import type { Change, ChangeListener, Changes } from '../registry/changes.ts'
import type { Session } from '../session.ts'
import type { Events } from '../state/events.ts'
import type { Opening, Sessions } from '../state/sessions.ts'
import { LiveSession, type NewsStream } from './live-session.ts'
import { takeNews } from './news.ts'

export interface LiveParts {
  readonly sessions: Sessions
  readonly events: Events
  readonly changes: Changes
  /** Idle life of a session, ms. */
  readonly ttlMs: number
  /** Whether somebody may know of a resource: a session is longer than the token that opened it. */
  mayRead(caller: Caller | undefined, uri: string): boolean
}

export class LiveSessions implements ChangeListener {
  readonly #parts: LiveParts
  readonly #atWork = new Map<string, LiveSession>()
  /** Streams whose reader lags: it is told when it has caught up. */
  readonly #lagging = new WeakSet<NewsStream>()
  readonly #touching: NodeJS.Timeout
  #hasEnded = false

  constructor(parts: LiveParts) {
    this.#parts = parts
    parts.changes.relay(this)
    parts.sessions.onExpired(({ id }) => this.#drop(id))
    parts.sessions.spare(id => this.#atWork.get(id)?.isBusy === true)
    this.#touching = setInterval(() => this.#touch(), parts.ttlMs / 3).unref()
  }

  get events(): Events {
    return this.#parts.events
  }

  get store(): Sessions {
    return this.#parts.sessions
  }

  open(opening: Omit<Opening, 'seen'>): Eventually<Session> {
    return this.store.open({ ...opening, seen: this.#parts.changes.versions })
  }

  /** Ends a session and all that it has under way. */
  async close({ id }: Session): Promise<void> {
    await this.store.end(id)
    this.#drop(id)
  }

  /** The part of a session that is at work, if it is. */
  at({ id }: Session): LiveSession | undefined {
    return this.#atWork.get(id)
  }

  of(session: Session): LiveSession {
    let live = this.#atWork.get(session.id)
    if (live === undefined) this.#atWork.set(session.id, (live = new LiveSession(session)))
    return live
  }

  /** Lets go of the part where nothing is at work any more. */
  settle(session: Session): void {
    if (this.at(session)?.isIdle) this.#atWork.delete(session.id)
  }

  /** Sends news over this stream; what changed while nobody listened at once. @returns how to stop */
  listen(session: Session, stream: NewsStream): () => void {
    const live = this.of(session)
    if (!live.listening.includes(stream)) stream.onDrain(() => this.#goOn(live, stream))
    live.listen(stream)
    if (this.#hasEnded) stream.endNews()
    else this.#tell(live)
    return () => {
      // Its client may have come back before it was noticed that an earlier connection was gone.
      if (stream.isConnected) return
      live.leave(stream)
      this.settle(session)
    }
  }

  hear(change: Change): void {
    for (const live of this.#atWork.values()) {
      const { subscriptions } = live.session
      if (change.kind === 'updated' && subscriptions?.has(change.uri)) subscriptions.set(change.uri, true)
      if (live.listening.length > 0) this.#tell(live)
    }
  }

  /** No news will come: who only listens is let go. Requests under way go on. */
  end(): void {
    this.#hasEnded = true
    for (const { listening } of this.#atWork.values()) for (const stream of listening) stream.endNews()
  }

  async shutDown(): Promise<void> {
    clearInterval(this.#touching)
    await this.#parts.sessions.close()
    await this.#parts.events.close()
  }

  #tell(live: LiveSession): void {
    const { session, reader } = live
    if (reader === undefined || this.#lagging.has(reader)) return
    const news = takeNews(session, this.#parts.changes.versions, uri => this.#parts.mayRead(reader.caller, uri))
    if (news.length > 0 && !reader.sendAll(news)) this.#lagging.add(reader)
  }

  #goOn(live: LiveSession, stream: NewsStream): void {
    this.#lagging.delete(stream)
    this.#tell(live)
  }

  #drop(id: string): void {
    const live = this.#atWork.get(id)
    this.#atWork.delete(id)
    live?.end()
  }

  // Who listens or waits for an answer is not idle. Who only watches resources is.
  async #touch(): Promise<void> {
    for (const [id, { isBusy }] of this.#atWork) {
      const isThere = isBusy ? (await this.store.find(id)) !== undefined : await this.store.has(id)
      if (!isThere) this.#drop(id)
    }
  }
}
