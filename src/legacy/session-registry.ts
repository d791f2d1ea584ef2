// All sessions of a server. Idle ones exist only in the store; active ones have state here too.
import type { CatalogChange, ChangeEmitter, ChangeListener } from '../registry/changes.ts'
import type { Caller, Exchange } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { EventStore } from '../state/events.ts'
import type { ReplicaChannel, ReplicaMessage } from '../state/replicas.ts'
import { NEVER_SEEN, type NewSession, type Session, type SessionStore } from '../state/sessions.ts'
import { ActiveSession, type NotificationStream } from './active-session.ts'
import { SessionNotifier } from './notifier.ts'
import type { SessionTickets } from './session-tickets.ts'

export interface SessionRegistryParts {
  readonly sessions: SessionStore
  readonly events: EventStore
  readonly changes: ChangeEmitter
  readonly replicas: ReplicaChannel
  /** Idle lifetime of a session, ms. */
  readonly ttlMs: number
  /** Undefined if sessions end with their process, or are shared by replicas. */
  readonly tickets?: SessionTickets | undefined
  /** Whether a caller may read a resource: a session may live longer than the token that opened it. */
  mayRead(reader: Pick<Exchange, 'caller' | 'capabilities'>, uri: string): boolean
}

const toOwned = (session: Session | undefined, owner: string | undefined): Session | undefined =>
  session?.owner === owner ? session : undefined

export class SessionRegistry implements ChangeListener {
  readonly #parts: SessionRegistryParts
  readonly #active = new Map<string, ActiveSession>()
  readonly #notifier: SessionNotifier
  readonly #refreshTimer: NodeJS.Timeout
  #hasEnded = false
  #onEnd: (id: string) => void = () => {}
  #onLook: (taskId: string, session: string) => void = () => {}

  constructor(parts: SessionRegistryParts) {
    this.#parts = parts
    this.#notifier = new SessionNotifier(parts)
    parts.changes.addRelay(this)
    parts.replicas.subscribe((message, isOwn) => this.#onReplicaMessage(message, isOwn))
    parts.sessions.onExpired?.(({ id }) => this.#remove(id))
    parts.sessions.protectFromEviction?.(id => this.#active.get(id)?.isBusy === true)
    this.#refreshTimer = setInterval(() => this.#refresh(), parts.ttlMs / 3).unref()
  }

  /** Number of sessions that are active in this process. */
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

  /**
   * Finds a session and renews its TTL; undefined if it is unknown, ended or expired, or another
   * owner's.
   *
   * @throws McpError BUSY (503) without room for one that a former process opened
   */
  find(id: string, owner: string | undefined): MaybePromise<Session | undefined> {
    const found = this.store.find(id)
    if (found instanceof Promise) return found.then(kept => toOwned(this.#mergeStored(kept), owner))
    return found === undefined ? this.#reopen(id, owner) : toOwned(this.#mergeStored(found), owner)
  }

  /** @param opening with `seen` if the client may not know the current lists */
  open(opening: Omit<NewSession, 'seen'> & Partial<NewSession>): MaybePromise<Session> {
    const id = opening.id ?? this.#parts.tickets?.issue(opening)
    return this.store.open({ seen: this.#parts.changes.versions, ...opening, id })
  }

  // The store holds no session of a former process. Its lists may have changed meanwhile.
  #reopen(id: string, owner: string | undefined): MaybePromise<Session | undefined> {
    const opening = this.#parts.tickets?.open(id, owner)
    return opening && this.store.open({ ...opening, id, seen: NEVER_SEEN })
  }

  /** Stores a changed session and notifies the other replicas. */
  save(session: Session): MaybePromise<void> {
    const said = () => this.replicas.publish({ kind: 'changed', session: session.id })
    const saved = this.store.save(session)
    return saved instanceof Promise ? saved.then(said) : said()
  }

  /** Ends a session, its calls and its streams. */
  async close({ id }: Session): Promise<void> {
    await this.store.end(id)
    this.#parts.tickets?.end(id)
    this.#remove(id)
    this.replicas.publish({ kind: 'ended', session: id })
  }

  /** Cancels the calls of a session that run in this process. The session stays. */
  stop(session: Session): void {
    this.get(session)?.cancelRequests()
  }

  /** Ends a session whose client has left; stops its calls here even if the store fails. */
  async abandon(session: Session): Promise<void> {
    await this.close(session).catch(() => this.#remove(session.id))
  }

  get({ id }: Session): ActiveSession | undefined {
    return this.#active.get(id)
  }

  getOrCreate(session: Session): ActiveSession {
    let active = this.#active.get(session.id)
    if (active === undefined) this.#active.set(session.id, (active = new ActiveSession(session)))
    return active
  }

  releaseIfIdle(session: Session): void {
    if (this.get(session)?.isIdle) this.#active.delete(session.id)
  }

  /**
   * Sends pending and later notifications over this stream. Other replicas stop sending to theirs.
   *
   * @returns the function that stops it
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
      // The client may have reconnected before the server noticed that the old connection was gone.
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

  /** Whether a client is connected here that reads the session's notifications. */
  hasReader(sessionId: string): boolean {
    return this.#active.get(sessionId)?.reader !== undefined
  }

  /** The session, if its notifications go to a client that is connected here. */
  findReader(sessionId: string): ActiveSession | undefined {
    const active = this.#active.get(sessionId)
    return active?.reader === undefined || active.isNotifiedElsewhere ? undefined : active
  }

  /** The listener is called with each task that a client looks at elsewhere, if it listens here. */
  onLook(listener: (taskId: string, session: string) => void): void {
    this.#onLook = listener
  }

  /** The listener is called with the id of each session that ended or expired. */
  onEnd(listener: (id: string) => void): void {
    this.#onEnd = listener
  }

  /** @param json returns undefined if the reader may not see the notification */
  notify(sessionId: string, json: (session: Session, reader: Caller | undefined) => string | undefined): void {
    const active = this.#active.get(sessionId)
    if (active !== undefined) this.#notifier.send(active, reader => json(active.session, reader))
  }

  /** Ends the notification streams. Requests under way go on. */
  end(): void {
    this.#hasEnded = true
    for (const { notificationStreams } of this.#active.values())
      for (const stream of notificationStreams) stream.endNotifications()
  }

  shutDown(): void {
    clearInterval(this.#refreshTimer)
  }

  #onReplicaMessage(message: ReplicaMessage, isOwn: boolean): void {
    const active = this.#active.get(message.session)
    if (active === undefined) return
    switch (message.kind) {
      case 'answer':
        active.pendingQuestions.get(String(message.response.id))?.(message.response)
        break
      case 'cancel':
        active.runningRequests.get(message.requestId)?.cancel('cancelled')
        break
      case 'looked':
        if (this.findReader(message.session) !== undefined) this.#onLook(message.taskId, message.session)
        break
      case 'ended':
        this.#remove(message.session)
        break
      case 'changed':
        this.#reload(active)
        break
      case 'reads':
        // All replicas receive these in one order, so they agree which stream is the newest.
        active.isNotifiedElsewhere = !isOwn
        this.#notifier.sendPending(active)
    }
  }

  /** Merges a stored session into the active one, if there is one. */
  readonly #mergeStored = (kept: Session | undefined) => (kept && this.get(kept)?.mergeStored(kept)) ?? kept

  #reload(active: ActiveSession): void {
    const reloading = this.#ignoreErrors(async () => {
      this.#mergeStored(await this.store.peek(active.session.id))
    }).then(() => {
      if (active.reloading === reloading) active.reloading = undefined
    })
    active.reloading = reloading
  }

  // A failed save or read is tried again later.
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

  // Renews sessions that have a stream, a request or a question open; subscriptions do not count.
  async #refresh(): Promise<void> {
    for (const [id, { isBusy }] of this.#active) {
      await this.#ignoreErrors(async () => {
        const isThere = isBusy ? (await this.store.find(id)) !== undefined : await this.store.has(id)
        if (!isThere) this.#remove(id)
      })
    }
  }
}
