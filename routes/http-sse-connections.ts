// The clients of HTTP+SSE whose streams this process holds. A client whose stream has dropped is
// kept for a while, since it may come back. If it does not, its calls stop. Its session is kept for
// SESSION_TTL_MS, like any other.
import { createHash, randomBytes } from 'node:crypto'
import type { SessionRegistry } from '../src/legacy/session-registry.ts'
import { HttpSseStream, type KeptTotal } from '../src/legacy/sse-stream.ts'
import type { SseConnection } from '../src/request/exchange.ts'
import type { Session } from '../src/state/sessions.ts'

/** How long a client whose stream has dropped finds what it had under way, ms: EventSource comes back within five seconds. */
export const RECONNECT_WAIT_MS = 15_000
/** Clients that may come back, of a process; past it the one that has been away for longest is given up. */
export const MAX_DISCONNECTED = 1000

const ID_BYTES = 24
const ID = /^[\w-]{32}$/

/** Reads the id in the address of a client; undefined if it is none of ours. */
export const readAddress = (text: unknown): string | undefined =>
  typeof text === 'string' && ID.test(text) ? text : undefined

/** A stream, and what its client has begun on it. */
export interface HttpSseClient {
  readonly id: string
  readonly owner: string | undefined
  readonly stream: HttpSseStream
  session: Session | undefined
  /** Nobody knows what its client once declared: it may begin anew. */
  isRecreated: boolean
  stopNotifications: () => void
}

interface NewClient {
  readonly owner: string | undefined
  readonly id?: string
  readonly session?: Session | undefined
  readonly isRecreated?: boolean
}

/** Of which session an address is. One cannot be told from the other, since they are for different doors. */
export const toSessionId = (id: string): string => createHash('sha256').update(id).digest('base64url').slice(0, 32)

export class HttpSseClients {
  readonly #sessions: Pick<SessionRegistry, 'addStream' | 'stop'>
  readonly #connections = new Map<string, HttpSseClient>()
  /** The one that left first comes first. */
  readonly #disconnected = new Map<HttpSseClient, NodeJS.Timeout>()
  readonly #keptTotal: KeptTotal = { size: 0 }

  constructor(sessions: Pick<SessionRegistry, 'addStream' | 'stop'>) {
    this.#sessions = sessions
  }

  /** @returns undefined where it is unknown, or somebody else's */
  find(id: string, owner: string | undefined): HttpSseClient | undefined {
    const connection = this.#connections.get(id)
    return connection?.owner === owner ? connection : undefined
  }

  open({ owner, id = createClientId(), session, isRecreated = false }: NewClient): HttpSseClient {
    const stream = new HttpSseStream(undefined, { id, total: this.#keptTotal })
    const connection = { id, owner, stream, session, isRecreated, stopNotifications: () => {} }
    this.#connections.set(id, connection)
    return connection
  }

  /** News goes there from now on. */
  listen(connection: HttpSseClient): void {
    const { session, stream } = connection
    if (session !== undefined) connection.stopNotifications = this.#sessions.addStream(session, stream)
  }

  /** Its client is there again. */
  onReconnect(connection: HttpSseClient): void {
    clearTimeout(this.#disconnected.get(connection))
    this.#disconnected.delete(connection)
  }

  /** The connection has closed that it was read over. */
  onDisconnect(connection: HttpSseClient, wire: SseConnection): void {
    const { session, stream, id } = connection
    if (!stream.isReadOver(wire) || this.#connections.get(id) !== connection) return
    stream.markDisconnected()
    connection.stopNotifications()
    // Nothing is lost with it.
    if (session === undefined) this.#giveUp(connection)
    else this.#waitForReturn(connection)
  }

  #waitForReturn(connection: HttpSseClient): void {
    clearTimeout(this.#disconnected.get(connection))
    this.#disconnected.set(connection, setTimeout(() => this.#giveUp(connection), RECONNECT_WAIT_MS).unref())
    if (this.#disconnected.size > MAX_DISCONNECTED) this.#giveUp(this.#disconnected.keys().next().value!)
  }

  close(): void {
    for (const timer of this.#disconnected.values()) clearTimeout(timer)
  }

  #giveUp(connection: HttpSseClient): void {
    this.onReconnect(connection)
    this.#connections.delete(connection.id)
    connection.stream.forget()
    connection.stopNotifications()
    if (connection.session !== undefined) this.#sessions.stop(connection.session)
  }
}

export const createClientId = () => randomBytes(ID_BYTES).toString('base64url')
