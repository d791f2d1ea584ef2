// Gives a client of HTTP+SSE that comes back its session, and the events that it missed.
// EventSource sends `Last-Event-ID`, but the official SDKs drop that header. Such a client gets a ping on its new stream,
// before that names an address. It answers at its old address, which says whose stream it is.
// Spec 2024-11-05: basic/transports, "HTTP with SSE", and basic/utilities/ping.
import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { ownerOf } from '../src/access/identity.ts'
import type { Caller, Log } from '../src/exchange.ts'
import { askableOf } from '../src/legacy/capabilities.ts'
import type { LiveSessions } from '../src/legacy/live-sessions.ts'
import { type Moved, positionOf } from '../src/legacy/plain-stream.ts'
import { type Headers, headerOf } from '../src/protocol/headers.ts'
import { isObject, type JsonObject } from '../src/protocol/messages.ts'
import { type Revision, revisionOf } from '../src/protocol/revisions/index.ts'
import type { Session } from '../src/session.ts'
import type { EventStream } from '../src/transport/event-stream.ts'
import {
  type Address,
  type Connection,
  type Connections,
  newId,
  readAddress,
  sessionIdOf,
} from './http-sse-connections.ts'
import { isCaller } from './http-sse-parcel.ts'

/** How long a client may take to answer from its old address, ms. */
export const ASKED_MS = 2000

/** Where the stream of a client was that comes back, as far as it says so. */
export interface Return {
  readonly address: Address | undefined
  readonly afterSeq: number | undefined
  readonly revision: Revision
}

/** A stream that is open, and has named no address yet. */
export interface Arrival {
  readonly wire: EventStream
  readonly caller: Caller | undefined
  readonly back: Return
}

const PING = /^return-([\w-]*)\.[\w-]{24}$/
const NEVER_SEEN = Object.freeze({ tools: -1, prompts: -1, resources: -1 })

/**
 * Reads from the headers of a GET whether the client had a stream before. Returns undefined if it had none.
 *
 * A client that comes back without an id sends `MCP-Protocol-Version`, since it had a handshake, and `no-cache`, since
 * EventSource does. The version alone says nothing: clients without EventSource send it with their first stream too.
 */
export function readReturn(headers: Headers): Return | undefined {
  const left = positionOf(headerOf(headers, 'last-event-id') ?? '')
  const address = readAddress(left?.stream)
  const named = revisionOf(headerOf(headers, 'mcp-protocol-version')?.trim() ?? '')
  const known = named?.era === 'legacy' ? named : undefined
  const revision = known ?? revisionOf('2024-11-05')!
  if (left !== undefined && address !== undefined) return { address, afterSeq: left.seq, revision }
  const isEventSource = /\bno-cache\b/.test(headerOf(headers, 'cache-control') ?? '')
  return known !== undefined && isEventSource ? { address: undefined, afterSeq: undefined, revision } : undefined
}

/** A ping of ours, and the replica that waits for its answer. */
export interface Asked {
  readonly ping: string
  readonly replica: string
}

export interface ReturnParts {
  readonly connections: Connections
  readonly sessions: LiveSessions
  readonly log: Log
  /** Names the address, and tells what was missed. */
  resume(connection: Connection, arrival: Arrival): void
}

export class Returns {
  readonly #parts: ReturnParts
  readonly #asked = new Map<string, { arrival: Arrival; timer: NodeJS.Timeout }>()

  constructor(parts: ReturnParts) {
    this.#parts = parts
  }

  arrive(arrival: Arrival): void {
    const { address } = arrival.back
    if (address === undefined) this.#ask(arrival)
    else this.#goOn(arrival, address)
  }

  /** Which replica has asked what this message answers; undefined where it answers no such ping. */
  static askedBy(message: unknown): Asked | undefined {
    if (!isObject(message) || 'method' in message || typeof message['id'] !== 'string') return undefined
    const [ping, replica] = PING.exec(message['id']) ?? []
    return ping === undefined ? undefined : { ping, replica: replica! }
  }

  /** @returns whether it was asked here, of this caller */
  answered(ping: string, address: Address, caller: Caller | undefined): boolean {
    const asked = this.#asked.get(ping)
    if (asked === undefined || ownerOf(asked.arrival.caller) !== ownerOf(caller)) return false
    this.#asked.delete(ping)
    clearTimeout(asked.timer)
    this.#goOn(asked.arrival, address)
    return true
  }

  /** Gives away one that has come back to another replica. @returns undefined where it is not here, or somebody else's */
  leave({ connection: text, to, afterSeq, caller }: JsonObject): Moved | undefined {
    const { connections, sessions } = this.#parts
    const id = readAddress(text)?.id
    if (id === undefined || typeof to !== 'string' || !(caller === undefined || isCaller(caller))) return undefined
    const connection = connections.find(id, ownerOf(caller))
    if (connection === undefined) return undefined
    const forward = inOrder(parcel => sessions.peers.hand(to, parcel))
    const seq = typeof afterSeq === 'number' ? afterSeq : undefined
    const moved = connection.stream.moveTo((json, isAnswer) => forward({ kind: 'said', id, json, isAnswer }), seq)
    connections.remove(connection)
    return moved
  }

  close(): void {
    for (const { timer } of this.#asked.values()) clearTimeout(timer)
  }

  #ask(arrival: Arrival): void {
    const id = `return-${this.#parts.sessions.peers.name}.${randomBytes(18).toString('base64url')}`
    const timer = setTimeout(() => {
      this.#asked.delete(id)
      this.#settle(arrival, this.#presume(arrival))
    }, ASKED_MS).unref()
    this.#asked.set(id, { arrival, timer })
    arrival.wire.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }))
  }

  #goOn(arrival: Arrival, address: Address): void {
    this.#settle(arrival, this.#find(arrival, address))
  }

  #settle(arrival: Arrival, finding: Promise<Connection>): void {
    const { resume, log } = this.#parts
    finding
      .then(connection => resume(connection, arrival))
      .catch(error => {
        // It comes back, to what may answer then.
        log.info({ err: error }, 'a client of HTTP+SSE that came back could not go on')
        arrival.wire.end()
      })
  }

  async #find(arrival: Arrival, { holder, id }: Address): Promise<Connection> {
    const { connections, sessions } = this.#parts
    const owner = ownerOf(arrival.caller)
    const here = connections.find(id, owner)
    if (here !== undefined) return here
    const moved = holder === sessions.peers.name ? undefined : await this.#fetch(arrival, { holder, id })
    const session = await this.#sessionOf(id, owner)
    // Two streams of one client may come back at once.
    const meanwhile = connections.find(id, owner)
    if (meanwhile !== undefined) return meanwhile
    return session === undefined ? this.#presume(arrival) : connections.open({ owner, id, session, moved })
  }

  async #fetch({ caller, back }: Arrival, { holder, id }: Address): Promise<Moved | undefined> {
    const { peers } = this.#parts.sessions
    const parcel = { kind: 'leave', connection: holder + id, to: peers.name, afterSeq: back.afterSeq, caller }
    const answer = await peers.hand(holder, parcel)
    return isObject(answer) && Array.isArray(answer['kept']) ? (answer as unknown as Moved) : undefined
  }

  async #sessionOf(id: string, owner: string | undefined): Promise<Session | undefined> {
    const session = await this.#parts.sessions.find(sessionIdOf(id))
    return session?.owner === owner ? session : undefined
  }

  /** Of its session nothing is known any more, but its client will not begin another: it has one to call with. */
  async #presume({ caller, back: { revision } }: Arrival): Promise<Connection> {
    const { connections, sessions } = this.#parts
    const owner = ownerOf(caller)
    const id = newId()
    const capabilities = askableOf(revision, {})
    const session = await sessions.open({ id: sessionIdOf(id), revision, owner, capabilities, seen: NEVER_SEEN })
    return connections.open({ owner, id, session, isPresumed: true })
  }
}

/** Most that waits to be handed on, of one client. */
const MAX_FORWARDED = 100

/** One after the other; what cannot be handed on is lost with its connection. */
function inOrder(hand: (parcel: JsonObject) => Promise<unknown>): (parcel: JsonObject) => void {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return parcel => {
    if (waiting >= MAX_FORWARDED) return
    waiting++
    last = last
      .then(() => hand(parcel))
      .catch(() => {})
      .finally(() => waiting--)
  }
}

/** The request that answers a ping of ours, as it is handed to the replica that has asked. */
export const returnedParcel = (ping: string, connection: string, { caller }: FastifyRequest): JsonObject => ({
  kind: 'returned',
  ping,
  connection,
  caller,
})
