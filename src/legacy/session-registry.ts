// All sessions of a server. Those at rest are in the store only; those at work have a part here.
import type { Revision } from '../protocol/revisions/index.ts'
import type { CatalogChange, ChangeEmitter, ChangeListener } from '../registry/changes.ts'
import type { Caller } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { EventStore } from '../state/events.ts'
import type { ReplicaChannel, ReplicaMessage } from '../state/replicas.ts'
import type { NewSession, Session, SessionStore } from '../state/sessions.ts'
import { ActiveSession, type NotificationStream } from './active-session.ts'
import { SessionNotifier } from './notifier.ts'

export interface SessionRegistryParts {
  readonly sessions: SessionStore
  readonly events: EventStore
  readonly changes: ChangeEmitter
  /** The other replicas. */
  readonly replicas: ReplicaChannel
  /** Idle life of a session, ms. */
  readonly ttlMs: number
  /** Whether somebody may know of a resource: a session is longer than the token that opened it. */
  mayRead(caller: Caller | undefined, uri: string): boolean
}

export class SessionRegistry implements ChangeListener {
  readonly #parts: SessionRegistryParts
  readonly #active = new Map<string, ActiveSession>()
  readonly #notifier: SessionNotifier
  readonly #refreshTimer: NodeJS.Timeout
  #hasEnded = false
  #onEnd: (id: string) => void = () => {}

  constructor(parts: SessionRegistryParts) {
    this.#parts = parts
    this.#notifier = new SessionNotifier(parts)
    parts.changes.addRelay(this)
    parts.replicas.subscribe((word, isOwn) => this.#onReplicaMessage(word, isOwn))
    parts.sessions.onExpired(({ id }) => this.#remove(id))
    parts.sessions.protectFromEviction(id => this.#active.get(id)?.isBusy === true)
    this.#refreshTimer = setInterval(() => this.#refresh(), parts.ttlMs / 3).unref()
  }

  /** Those at work here. */
  get size(): number {
    return this.#active.size
  }

  get events(): EventStore {
    return this.#parts.events
  }

  get store(): SessionStore {
    return this.#parts.sessions
  }

  get replicas(): ReplicaChannel {
    return this.#parts.replicas
  }

  /** The session, whose idle life begins anew; undefined where it is unknown, ended or expired. */
  find(id: string): MaybePromise<Session | undefined> {
    const found = this.store.find(id)
    return found instanceof Promise ? found.then(this.#mergeStored) : found
  }

  /** @param opening `seen`, if its client may not know of the lists as they are */
  open(opening: Omit<NewSession, 'seen'> & Partial<NewSession>): MaybePromise<Session> {
    return this.store.open({ seen: this.#parts.changes.versions, ...opening })
  }

  /** Keeps what a request has changed of it. */
  save(session: Session): MaybePromise<void> {
    const said = () => this.replicas.publish({ kind: 'changed', session: session.id })
    const saved = this.store.save(session)
    return saved instanceof Promise ? saved.then(said) : said()
  }

  /** Ends a session and all that it has under way. */
  async close({ id }: Session): Promise<void> {
    await this.store.end(id)
    this.#remove(id)
    this.replicas.publish({ kind: 'ended', session: id })
  }

  /** Cancels the calls of a session that run in this process. The session stays. */
  stop(session: Session): void {
    this.get(session)?.cancelRequests()
  }

  /** Its client has left for good: what it has under way stops, also where its end cannot be kept now. */
  async abandon(session: Session): Promise<void> {
    await this.close(session).catch(() => this.#remove(session.id))
  }

  /** The part of a session that is at work, if it is. */
  get({ id }: Session): ActiveSession | undefined {
    return this.#active.get(id)
  }

  getOrCreate(session: Session): ActiveSession {
    let active = this.#active.get(session.id)
    if (active === undefined) this.#active.set(session.id, (active = new ActiveSession(session)))
    return active
  }

  /** Lets go of the part where nothing is at work any more. */
  releaseIfIdle(session: Session): void {
    if (this.get(session)?.isIdle) this.#active.delete(session.id)
  }

  /**
   * Sends notifications over this stream, at once what is pending. Every other replica stops to send
   * them to streams of its own.
   *
   * @returns how to stop
   */
  addStream(session: Session, stream: NotificationStream): () => void {
    const active = this.getOrCreate(session)
    if (!active.notificationStreams.includes(stream)) stream.onDrain(() => this.#notifier.resume(active, stream))
    active.addStream(stream)
    active.isNotifiedElsewhere = false
    this.replicas.publish({ kind: 'reads', session: session.id })
    if (this.#hasEnded) stream.endNotifications()
    else this.#notifier.sendPending(active)
    return () => {
      // Its client may have come back before it was noticed that an earlier connection was gone.
      if (stream.isConnected) return
      active.removeStream(stream)
      if (active.notificationStreams.length === 0 && !active.isNotifiedElsewhere)
        void this.#ignoreErrors(() => this.store.save(session))
      this.releaseIfIdle(session)
    }
  }

  onChange(change: CatalogChange): void {
    for (const active of this.#active.values()) this.#notifier.onChange(active, change)
  }

  /** Whether somebody here reads what such a session is told. */
  hasReader(sessionId: string): boolean {
    return this.#active.get(sessionId)?.reader !== undefined
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
  notify(sessionId: string, json: (revision: Revision, reader: Caller | undefined) => string | undefined): void {
    const active = this.#active.get(sessionId)
    if (active !== undefined) this.#notifier.send(active, reader => json(active.session.revision, reader))
  }

  /** No news will come: who only listens is let go. Requests under way go on. */
  end(): void {
    this.#hasEnded = true
    for (const { notificationStreams } of this.#active.values())
      for (const stream of notificationStreams) stream.endNotifications()
  }

  shutDown(): void {
    clearInterval(this.#refreshTimer)
  }

  #onReplicaMessage(word: ReplicaMessage, isOwn: boolean): void {
    const active = this.#active.get(word.session)
    if (active === undefined) return
    switch (word.kind) {
      case 'answer':
        active.pendingQuestions.get(String(word.response.id))?.(word.response)
        break
      case 'cancel':
        active.runningRequests.get(word.requestId)?.cancel('cancelled')
        break
      case 'ended':
        this.#remove(word.session)
        break
      case 'changed':
        this.#reload(active)
        break
      case 'reads':
        // All replicas hear these in one order: of two streams that open at once, the later is the newest.
        active.isNotifiedElsewhere = !isOwn
        this.#notifier.sendPending(active)
    }
  }

  /** The one copy that is at work here, with what is kept of it. */
  readonly #mergeStored = (kept: Session | undefined) => (kept && this.get(kept)?.mergeStored(kept)) ?? kept

  #reload(active: ActiveSession): void {
    const reloading = this.#ignoreErrors(async () => {
      this.#mergeStored(await this.store.peek(active.session.id))
    }).then(() => {
      if (active.reloading === reloading) active.reloading = undefined
    })
    active.reloading = reloading
  }

  // What cannot be kept or looked at now can be later.
  async #ignoreErrors(work: () => MaybePromise<void>): Promise<void> {
    try {
      await work()
    } catch {}
  }

  #remove(id: string): void {
    const active = this.#active.get(id)
    this.#active.delete(id)
    active?.end()
    this.#onEnd(id)
  }

  // Who listens or waits for an answer is not idle. Who only watches resources is.
  async #refresh(): Promise<void> {
    for (const [id, { isBusy }] of this.#active) {
      await this.#ignoreErrors(async () => {
        const isThere = isBusy ? (await this.store.find(id)) !== undefined : await this.store.has(id)
        if (!isThere) this.#remove(id)
      })
    }
  }
}
