// The HTTP+SSE clients whose streams this process holds. A disconnected client is kept for
// RECONNECT_WAIT_MS; then its calls are cancelled. Its session lives for SESSION_TTL_MS as usual.
import { createHash, randomBytes } from 'node:crypto'
import type { HttpSessions } from 'toolrack/http'
import type { SseConnection } from 'toolrack/protocol'
import type { Session } from 'toolrack/stores'
import { HttpSseStream, type KeptTotal } from './sse-stream.ts'

/** How long the calls of a disconnected client continue, ms. EventSource reconnects within 5 s. */
export const RECONNECT_WAIT_MS = 15_000
/** Disconnected clients per process; above it, the one that left first is dropped. */
export const MAX_DISCONNECTED = 1000

const ID_BYTES = 24
const ID = /^[\w-]{32}$/

/** The client id from an address; undefined if it is malformed. */
export const readAddress = (text: unknown): string | undefined =>
  typeof text === 'string' && ID.test(text) ? text : undefined

/** A stream, and the session that its client opened on it. */
export interface HttpSseClient {
  readonly id: string
  readonly owner: string | undefined
  readonly stream: HttpSseStream
  session: Session | undefined
  /** The client's original capabilities are lost: it may send initialize again. */
  isRecreated: boolean
  stopNotifications: () => void
}

interface NewClient {
  readonly owner: string | undefined
  readonly id?: string
  readonly session?: Session | undefined
  readonly isRecreated?: boolean
}

/** The session id of an address. Hashed, so that it does not reveal the address. */
export const toSessionId = (id: string): string => createHash('sha256').update(id).digest('base64url').slice(0, 32)

export class HttpSseClients {
  readonly #sessions: Pick<HttpSessions['registry'], 'addStream' | 'stop'>
  readonly #clients = new Map<string, HttpSseClient>()
  /** In order of disconnection. */
  readonly #disconnected = new Map<HttpSseClient, NodeJS.Timeout>()
  readonly #keptTotal: KeptTotal = { size: 0 }

  constructor(sessions: Pick<HttpSessions['registry'], 'addStream' | 'stop'>) {
    this.#sessions = sessions
  }

  /** @returns undefined if the id is unknown or has another owner */
  find(id: string, owner: string | undefined): HttpSseClient | undefined {
    const client = this.#clients.get(id)
    return client?.owner === owner ? client : undefined
  }

  open({ owner, id = createClientId(), session, isRecreated = false }: NewClient): HttpSseClient {
    const stream = new HttpSseStream(undefined, { id, total: this.#keptTotal })
    const client = { id, owner, stream, session, isRecreated, stopNotifications: () => {} }
    this.#clients.set(id, client)
    return client
  }

  /** Starts to send notifications to the client's stream. */
  listen(client: HttpSseClient): void {
    const { session, stream } = client
    if (session !== undefined) client.stopNotifications = this.#sessions.addStream(session, stream)
  }

  onReconnect(client: HttpSseClient): void {
    clearTimeout(this.#disconnected.get(client))
    this.#disconnected.delete(client)
  }

  /** Ignored if the client uses another connection by now. */
  onDisconnect(client: HttpSseClient, connection: SseConnection): void {
    const { session, stream, id } = client
    if (!stream.isReadOver(connection) || this.#clients.get(id) !== client) return
    stream.markDisconnected()
    client.stopNotifications()
    // Without a session, nothing can be resumed.
    if (session === undefined) this.#giveUp(client)
    else this.#waitForReturn(client)
  }

  #waitForReturn(client: HttpSseClient): void {
    clearTimeout(this.#disconnected.get(client))
    this.#disconnected.set(client, setTimeout(() => this.#giveUp(client), RECONNECT_WAIT_MS).unref())
    if (this.#disconnected.size > MAX_DISCONNECTED) this.#giveUp(this.#disconnected.keys().next().value!)
  }

  close(): void {
    for (const timer of this.#disconnected.values()) clearTimeout(timer)
  }

  #giveUp(client: HttpSseClient): void {
    this.onReconnect(client)
    this.#clients.delete(client.id)
    client.stream.forget()
    client.stopNotifications()
    if (client.session !== undefined) this.#sessions.stop(client.session)
  }
}

export const createClientId = () => randomBytes(ID_BYTES).toString('base64url')
