// All sessions of a server: those at rest are in the store only, those at work have a part here that hears the news.
import type { Eventually } from '../chain.ts'
import type { Caller } from '../exchange.ts'
import type { Revision } from '../protocol/revisions/index.ts'
import type { Change, ChangeListener, Changes } from '../registry/changes.ts'
import type { Session } from '../session.ts'
import type { Events } from '../state/events.ts'
import type { Peers } from '../state/peers.ts'
import type { Opening, Sessions } from '../state/sessions.ts'
import { hearPeers } from './hear-peers.ts'
import { LiveSession, type NewsStream } from './live-session.ts'
import { NewsTeller } from './news-teller.ts'

export interface LiveParts {
  readonly sessions: Sessions
  readonly events: Events
  readonly changes: Changes
  /** The other replicas. */
  readonly peers: Peers
  /** Idle life of a session, ms. */
  readonly ttlMs: number
  /** Whether somebody may know of a resource: a session is longer than the token that opened it. */
  mayRead(caller: Caller | undefined, uri: string): boolean
}

export class LiveSessions implements ChangeListener {
  readonly #parts: LiveParts
  readonly #atWork = new Map<string, LiveSession>()
  readonly #news: NewsTeller
  readonly #touching: NodeJS.Timeout
  #hasEnded = false
  #onEnd: (id: string) => void = () => {}

  constructor(parts: LiveParts) {
    this.#parts = parts
    this.#news = new NewsTeller({
      ...parts,
      keep: ({ session }) => void this.#quietly(() => this.store.save(session)),
      settle: live => {
        if (this.at(live.session) === live) this.settle(live.session)
      },
    })
    parts.changes.relay(this)
    hearPeers(parts.peers, {
      news: this.#news,
      at: id => this.#atWork.get(id),
      drop: id => this.#drop(id),
      reload: live => this.#reload(live),
    })
    parts.sessions.onExpired(({ id }) => this.#drop(id))
    parts.sessions.spare(id => this.#atWork.get(id)?.isBusy === true)
    this.#touching = setInterval(() => this.#touch(), parts.ttlMs / 3).unref()
  }

  /** Those at work here. */
  get size(): number {
    return this.#atWork.size
  }

  get events(): Events {
    return this.#parts.events
  }

  get store(): Sessions {
    return this.#parts.sessions
  }

  get peers(): Peers {
    return this.#parts.peers
  }

  /** The session, whose idle life begins anew; undefined where it is unknown, ended or expired. */
  find(id: string): Eventually<Session | undefined> {
    const found = this.store.find(id)
    return found instanceof Promise ? found.then(this.#current) : found
  }

  /** @param opening `seen`, if its client may not know of the lists as they are */
  open(opening: Omit<Opening, 'seen'> & Partial<Opening>): Eventually<Session> {
    return this.store.open({ seen: this.#parts.changes.versions, ...opening })
  }

  /** Keeps what a request has changed of it. */
  save(session: Session): Eventually<void> {
    const said = () => this.peers.say({ kind: 'changed', session: session.id })
    const saved = this.store.save(session)
    return saved instanceof Promise ? saved.then(said) : said()
  }

  /** Ends a session and all that it has under way. */
  async close({ id }: Session): Promise<void> {
    await this.store.end(id)
    this.#drop(id)
    this.peers.say({ kind: 'ended', session: id })
  }

  /** Stops what it has under way, on whichever replica; the session itself stays. */
  stop(session: Session): void {
    this.at(session)?.stop()
    this.peers.say({ kind: 'stop', session: session.id })
  }

  /** Its client has left for good: what it has under way stops, also where its end cannot be kept now. */
  async abandon(session: Session): Promise<void> {
    await this.close(session).catch(() => this.#drop(session.id))
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
    if (!live.listening.includes(stream)) stream.onDrain(() => this.#news.goOn(live, stream))
    live.listen(stream)
    this.#news.readHere(live)
    if (this.#hasEnded) stream.endNews()
    else this.#news.tell(live)
    return () => {
      // Its client may have come back before it was noticed that an earlier connection was gone.
      if (stream.isConnected) return
      live.leave(stream)
      if (live.listening.length === 0) this.#news.leave(live)
      this.settle(session)
    }
  }

  hear(change: Change): void {
    for (const live of this.#atWork.values()) this.#news.hear(live, change)
  }

  /** Whether somebody here reads what such a session is told. */
  isHeard(sessionId: string): boolean {
    return this.#atWork.get(sessionId)?.reader !== undefined
  }

  /** Called with each session that has ended or expired. */
  onEnd(listener: (id: string) => void): void {
    this.#onEnd = listener
  }

  /**
   * What belongs to one session, told where it listens now; who does not can ask for it.
   *
   * @param json undefined where it is none of the reader's business
   */
  tell(sessionId: string, json: (revision: Revision, reader: Caller | undefined) => string | undefined): void {
    const live = this.#atWork.get(sessionId)
    if (live !== undefined) this.#news.say(live, reader => json(live.session.revision, reader))
  }

  /** No news will come: who only listens is let go. Requests under way go on. */
  end(): void {
    this.#hasEnded = true
    for (const { listening } of this.#atWork.values()) for (const stream of listening) stream.endNews()
  }

  shutDown(): void {
    clearInterval(this.#touching)
  }

  /** The one copy that is at work here, with what is kept of it. */
  readonly #current = (kept: Session | undefined) => (kept && this.at(kept)?.renew(kept)) ?? kept

  #reload(live: LiveSession): void {
    const reloading = this.#quietly(async () => {
      this.#current(await this.store.peek(live.session.id))
    }).then(() => {
      if (live.reloading === reloading) live.reloading = undefined
    })
    live.reloading = reloading
  }

  // What cannot be kept or looked at now can be later.
  async #quietly(work: () => Eventually<void>): Promise<void> {
    try {
      await work()
    } catch {}
  }

  #drop(id: string): void {
    const live = this.#atWork.get(id)
    this.#atWork.delete(id)
    live?.end()
    this.#onEnd(id)
  }

  // Who listens or waits for an answer is not idle. Who only watches resources is.
  async #touch(): Promise<void> {
    for (const [id, { isBusy }] of this.#atWork) {
      await this.#quietly(async () => {
        const isThere = isBusy ? (await this.store.find(id)) !== undefined : await this.store.has(id)
        if (!isThere) this.#drop(id)
      })
    }
  }
}
