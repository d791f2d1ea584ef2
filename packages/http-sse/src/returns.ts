// Restores the session and the missed events of an HTTP+SSE client that reconnects.
// The official SDKs send no `Last-Event-ID`: such a client gets a ping, which it answers at its old
// address. Spec 2024-11-05: basic/transports, "HTTP with SSE", and basic/utilities/ping.
import { randomBytes } from 'node:crypto'
import { type HttpSessions, parseEventId, type SseResponse, toClientCapabilities } from 'toolrack/http'
import {
  findRevision,
  getHeader,
  type Headers,
  HTTP_SSE_REVISION,
  isObject,
  type Log,
  type Revision,
} from 'toolrack/protocol'
import { NEVER_SEEN } from 'toolrack/stores'
import { toLogged } from 'toolrack/text'
import { createClientId, type HttpSseClient, type HttpSseClients, readAddress, toSessionId } from './connections.ts'

/** How long a client may take to answer the ping from its old address, ms. */
export const ASKED_MS = 2000

/** The client's earlier stream and position, as far as its headers name them. */
export interface ReturnRequest {
  readonly id: string | undefined
  readonly afterSeq: number | undefined
  readonly revision: Revision
}

/** An open stream that has sent no address yet. */
export interface Arrival {
  readonly connection: SseResponse
  readonly owner: string | undefined
  readonly back: ReturnRequest
}

const PING = /^return-[\w-]{24}$/

/**
 * Reads from the headers of a GET whether the client had a stream before; undefined if not.
 * A reconnect without an id is recognised by `MCP-Protocol-Version` and the `no-cache` of EventSource.
 * The version alone proves nothing: clients without EventSource also send it on their first GET.
 */
export function readReturn(headers: Headers): ReturnRequest | undefined {
  const left = parseEventId(getHeader(headers, 'last-event-id') ?? '')
  const id = readAddress(left?.stream)
  const named = findRevision(getHeader(headers, 'mcp-protocol-version')?.trim() ?? '')
  const known = named?.era === 'legacy' ? named : undefined
  const revision = known ?? HTTP_SSE_REVISION
  if (left !== undefined && id !== undefined) return { id, afterSeq: left.seq, revision }
  const isEventSource = /\bno-cache\b/.test(getHeader(headers, 'cache-control') ?? '')
  return known !== undefined && isEventSource ? { id: undefined, afterSeq: undefined, revision } : undefined
}

export function findReturnPing(message: unknown): string | undefined {
  if (!isObject(message) || 'method' in message) return undefined
  const { id } = message
  return typeof id === 'string' && PING.test(id) ? id : undefined
}

export interface ReturnParts {
  readonly clients: HttpSseClients
  readonly sessions: HttpSessions['registry']
  readonly log: Log
  /** Sends the address and the missed events. */
  resume(client: HttpSseClient, arrival: Arrival): void
}

export class Returns {
  readonly #parts: ReturnParts
  readonly #asked = new Map<string, { arrival: Arrival; timer: NodeJS.Timeout }>()

  constructor(parts: ReturnParts) {
    this.#parts = parts
  }

  arrive(arrival: Arrival): void {
    const { id } = arrival.back
    if (id === undefined) this.#ask(arrival)
    else this.#settle(arrival, this.#find(arrival, id))
  }

  /** @returns whether this process sent that ping to this owner */
  answered(ping: string, id: string, owner: string | undefined): boolean {
    const asked = this.#asked.get(ping)
    if (asked === undefined || asked.arrival.owner !== owner) return false
    this.#asked.delete(ping)
    clearTimeout(asked.timer)
    this.#settle(asked.arrival, this.#find(asked.arrival, id))
    return true
  }

  close(): void {
    for (const { timer } of this.#asked.values()) clearTimeout(timer)
  }

  #ask(arrival: Arrival): void {
    const id = `return-${randomBytes(18).toString('base64url')}`
    const timer = setTimeout(() => {
      this.#asked.delete(id)
      this.#settle(arrival, this.#presume(arrival))
    }, ASKED_MS).unref()
    this.#asked.set(id, { arrival, timer })
    arrival.connection.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }))
  }

  #settle(arrival: Arrival, finding: Promise<HttpSseClient>): void {
    const { resume, log } = this.#parts
    finding
      .then(client => resume(client, arrival))
      .catch(error => {
        // The client will reconnect once more.
        log.info({ err: toLogged(error) }, 'an HTTP+SSE client could not resume')
        arrival.connection.end()
      })
  }

  async #find(arrival: Arrival, id: string): Promise<HttpSseClient> {
    const { clients } = this.#parts
    const { owner } = arrival
    const here = clients.find(id, owner)
    if (here !== undefined) return here
    // With Redis, a session outlives the process that held its stream.
    const session = await this.#parts.sessions.find(toSessionId(id), owner)
    // Two streams of one client may reconnect at once.
    const meanwhile = clients.find(id, owner)
    if (meanwhile !== undefined) return meanwhile
    return session === undefined ? this.#presume(arrival) : clients.open({ owner, id, session })
  }

  /** Replaces an expired session: the client expects it to exist and sends no new initialize. */
  async #presume({ owner, back: { revision } }: Arrival): Promise<HttpSseClient> {
    const { clients, sessions } = this.#parts
    const id = createClientId()
    const capabilities = toClientCapabilities(revision, {})
    const session = await sessions.open({ id: toSessionId(id), revision, owner, capabilities, seen: NEVER_SEEN })
    return clients.open({ owner, id, session, isRecreated: true })
  }
}
