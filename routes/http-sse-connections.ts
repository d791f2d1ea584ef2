// The clients of HTTP+SSE whose streams this replica holds. A client whose stream has dropped is kept for a while, since
// it may come back. If it does not, its calls stop. Its session is kept for SESSION_TTL_MS, like any other.
import { createHash, randomBytes } from 'node:crypto'
import type { Wire } from '../src/exchange.ts'
import type { LiveSessions } from '../src/legacy/live-sessions.ts'
import { type Keeping, type Moved, PlainStream } from '../src/legacy/plain-stream.ts'
import type { Session } from '../src/session.ts'

/** How long a client whose stream has dropped finds what it had under way, ms: EventSource comes back within five seconds. */
export const AWAY_MS = 15_000
/** Clients that may come back, of a process; past it the one that has been away for longest is given up. */
export const MAX_AWAY = 1000

const ID_BYTES = 24
/** Behind the name of the replica that holds the stream. */
const ID_LENGTH = 32
const ADDRESS = /^[\w-]{32,64}$/

/** Where a client posts to: the replica of its stream, and an id. */
export interface Address {
  readonly holder: string
  readonly id: string
}

/** @returns undefined where it is none of ours */
export function readAddress(text: unknown): Address | undefined {
  if (typeof text !== 'string' || !ADDRESS.test(text)) return undefined
  return { holder: text.slice(0, -ID_LENGTH), id: text.slice(-ID_LENGTH) }
}

/** A stream, and what its client has begun on it. */
export interface Connection {
  readonly id: string
  readonly owner: string | undefined
  readonly stream: PlainStream
  session: Session | undefined
  /** Nobody knows what its client once declared: it may begin anew. */
  isPresumed: boolean
  stopNews: () => void
}

interface Opened {
  readonly owner: string | undefined
  readonly id?: string
  readonly session?: Session | undefined
  readonly isPresumed?: boolean
  readonly moved?: Moved
}

/** Of which session an address is. One cannot be told from the other, since they are for different doors. */
export const sessionIdOf = (id: string): string => createHash('sha256').update(id).digest('base64url').slice(0, 32)

export class Connections {
  readonly #sessions: Pick<LiveSessions, 'peers' | 'listen' | 'stop'>
  readonly #connections = new Map<string, Connection>()
  /** The one that left first comes first. */
  readonly #away = new Map<Connection, NodeJS.Timeout>()
  readonly #keeping: Keeping = { size: 0 }

  constructor(sessions: Pick<LiveSessions, 'peers' | 'listen' | 'stop'>) {
    this.#sessions = sessions
  }

  /** @returns undefined where it is unknown, or somebody else's */
  find(id: string, owner: string | undefined): Connection | undefined {
    const connection = this.#connections.get(id)
    return connection?.owner === owner ? connection : undefined
  }

  get(id: string): Connection | undefined {
    return this.#connections.get(id)
  }

  open({ owner, id = newId(), session, isPresumed = false, moved }: Opened): Connection {
    const stream = new PlainStream(undefined, { id: this.#sessions.peers.name + id, keeping: this.#keeping, moved })
    const connection = { id, owner, stream, session, isPresumed, stopNews: () => {} }
    this.#connections.set(id, connection)
    return connection
  }

  /** What its client posts to. */
  addressOf({ id }: Connection): string {
    return this.#sessions.peers.name + id
  }

  /** News goes there from now on. */
  listen(connection: Connection): void {
    const { session, stream } = connection
    if (session !== undefined) connection.stopNews = this.#sessions.listen(session, stream)
  }

  /** Its client is there again. */
  cameBack(connection: Connection): void {
    clearTimeout(this.#away.get(connection))
    this.#away.delete(connection)
  }

  /** The connection has closed that it was read over. */
  left(connection: Connection, wire: Wire): void {
    const { session, stream, id } = connection
    if (!stream.isOver(wire) || this.#connections.get(id) !== connection) return
    stream.leave()
    connection.stopNews()
    // Nothing is lost with it.
    if (session === undefined) this.#giveUp(connection)
    else this.#wait(connection)
  }

  #wait(connection: Connection): void {
    clearTimeout(this.#away.get(connection))
    this.#away.set(connection, setTimeout(() => this.#giveUp(connection), AWAY_MS).unref())
    if (this.#away.size > MAX_AWAY) this.#giveUp(this.#away.keys().next().value!)
  }

  /** Its client reads at another replica. */
  remove(connection: Connection): void {
    this.cameBack(connection)
    this.#connections.delete(connection.id)
    connection.stream.forget()
    connection.stopNews()
  }

  close(): void {
    for (const timer of this.#away.values()) clearTimeout(timer)
  }

  #giveUp(connection: Connection): void {
    this.remove(connection)
    if (connection.session !== undefined) this.#sessions.stop(connection.session)
  }
}

export const newId = () => randomBytes(ID_BYTES).toString('base64url')
