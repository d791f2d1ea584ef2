// Bodies that are not complete: what was read of them is counted per client and for the process, so that bodies that
// never end cannot fill its memory for as long as they may take.
import { McpError } from '../protocol/errors.ts'

export interface BodyBounds {
  readonly process: number
  /** Of one client. */
  readonly client: number
}

/** Bodies of the largest size that may be on their way at once; of one client a quarter as many. */
const MAX_BODIES = 64
/** What the bounds are made of at least, however small bodies have to be. */
const MIN_BODY_BYTES = 2 ** 20

export function bodyBounds(maxBodyBytes: number): BodyBounds {
  const process = MAX_BODIES * Math.max(maxBodyBytes, MIN_BODY_BYTES)
  return Object.freeze({ process, client: process / 4 })
}

/** One body on its way. */
export interface Incoming {
  readonly clientKey: string
  readonly bytes: number
}

interface Counted extends Incoming {
  bytes: number
  readonly refuse: (reason: McpError) => void
}

interface Client {
  bytes: number
  /** Those that began first come first. */
  readonly bodies: Set<Counted>
}

export class BodyBytes {
  readonly bounds: BodyBounds
  readonly #clients = new Map<string, Client>()
  #bytes = 0

  constructor(bounds: BodyBounds) {
    this.bounds = bounds
  }

  /** Read so far of all that are not complete. */
  get bytes(): number {
    return this.#bytes
  }

  /** @param refuse called at most once, when it can be read no further; it is forgotten then */
  begin(clientKey: string, refuse: (reason: McpError) => void): Incoming {
    return { clientKey, bytes: 0, refuse } as Counted
  }

  add(incoming: Incoming, bytes: number): void {
    const body = incoming as Counted
    let client = this.#clients.get(body.clientKey)
    if (client === undefined) this.#clients.set(body.clientKey, (client = { bytes: 0, bodies: new Set() }))
    client.bodies.add(body)
    body.bytes += bytes
    client.bytes += bytes
    this.#bytes += bytes
    if (client.bytes > this.bounds.client) this.#refuse(body, tooMany())
    else if (this.#bytes > this.bounds.process) this.#refuse(this.#oldestOfLargest(), busy())
  }

  /** It is complete, or will never be. */
  end(incoming: Incoming): void {
    const body = incoming as Counted
    const client = this.#clients.get(body.clientKey)
    if (client === undefined || !client.bodies.delete(body)) return
    client.bytes -= body.bytes
    this.#bytes -= body.bytes
    if (client.bodies.size === 0) this.#clients.delete(body.clientKey)
  }

  #refuse(body: Counted, reason: McpError): void {
    this.end(body)
    body.refuse(reason)
  }

  // A client with one body does not pay for who has hundreds, and the oldest has had the most time.
  #oldestOfLargest(): Counted {
    const largest = [...this.#clients.values()].reduce((most, each) => (each.bytes > most.bytes ? each : most))
    return largest.bodies.values().next().value!
  }
}

const tooMany = () =>
  new McpError('RATE_LIMITED', 'too many bodies are on their way; end some first', { retryAfterS: 1 })
const busy = () => new McpError('BUSY', 'too many bodies are on their way; retry', { retryAfterS: 1 })
