// Counts incomplete bodies per client and per process, so that slow bodies cannot fill memory.
import { McpError } from '../protocol/errors.ts'

export interface BodyBounds {
  readonly process: number
  /** Bytes per client. */
  readonly client: number
}

/** Incomplete bodies of the largest size per process; a client may have a quarter as many. */
const MAX_BODIES = 64
/** Smallest body size from which the bounds are computed. */
const MIN_BODY_BYTES = 2 ** 20

export function createBodyBounds(maxBodyBytes: number): BodyBounds {
  const process = MAX_BODIES * Math.max(maxBodyBytes, MIN_BODY_BYTES)
  return Object.freeze({ process, client: process / 4 })
}

export interface IncomingBody {
  readonly clientKey: string
  readonly bytes: number
}

interface CountedBody extends IncomingBody {
  bytes: number
  readonly refuse: (reason: McpError) => void
}

interface ClientBodies {
  bytes: number
  /** Oldest first. */
  readonly bodies: Set<CountedBody>
}

export class BodyBytes {
  readonly bounds: BodyBounds
  readonly #clients = new Map<string, ClientBodies>()
  #bytes = 0

  constructor(bounds: BodyBounds) {
    this.bounds = bounds
  }

  /** Bytes read so far of all incomplete bodies. */
  get bytes(): number {
    return this.#bytes
  }

  /** @param refuse called at most once, if the body must not be read further; it is then dropped */
  begin(clientKey: string, refuse: (reason: McpError) => void): IncomingBody {
    return { clientKey, bytes: 0, refuse } as CountedBody
  }

  add(incoming: IncomingBody, bytes: number): void {
    const body = incoming as CountedBody
    let client = this.#clients.get(body.clientKey)
    if (client === undefined) this.#clients.set(body.clientKey, (client = { bytes: 0, bodies: new Set() }))
    client.bodies.add(body)
    body.bytes += bytes
    client.bytes += bytes
    this.#bytes += bytes
    if (client.bytes > this.bounds.client) this.#refuse(body, tooManyBodies())
    else if (this.#bytes > this.bounds.process) this.#refuse(this.#oldestOfLargest(), tooManyBodiesInAll())
  }

  /** Call when the body is complete or was given up. */
  end(incoming: IncomingBody): void {
    const body = incoming as CountedBody
    const client = this.#clients.get(body.clientKey)
    if (client === undefined || !client.bodies.delete(body)) return
    client.bytes -= body.bytes
    this.#bytes -= body.bytes
    if (client.bodies.size === 0) this.#clients.delete(body.clientKey)
  }

  #refuse(body: CountedBody, reason: McpError): void {
    this.end(body)
    body.refuse(reason)
  }

  // The client with the most bytes pays, and its oldest body has had the most time.
  #oldestOfLargest(): CountedBody {
    const largest = [...this.#clients.values()].reduce((most, each) => (each.bytes > most.bytes ? each : most))
    return largest.bodies.values().next().value!
  }
}

const tooManyBodies = () =>
  new McpError('RATE_LIMITED', 'too many request bodies are being read; finish some first', { retryAfterS: 1 })
const tooManyBodiesInAll = () =>
  new McpError('BUSY', 'too many request bodies are being read; retry', { retryAfterS: 1 })
