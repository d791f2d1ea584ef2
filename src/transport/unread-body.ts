// The body of a request that its headers have refused, read for its id alone: after the refusal is certain, never before.
// A stranger costs little that way: what it sends is short, comes soon, and of many at once only some are waited for.
import type { IncomingMessage } from 'node:http'
import type { ErrorName } from '../protocol/errors.ts'
import type { BodyBytes } from './body-bytes.ts'

interface Patience {
  /** Undefined: the bound of the route. */
  readonly maxBytes?: number
  readonly waitMs: number
}

/** Who has no token is a stranger. */
const STRANGER: Patience = { maxBytes: 8 * 1024, waitMs: 250 }
/** The same client could have had all of it parsed. */
const CALLER: Patience = { waitMs: 5000 }

/** Strangers that are waited for at once. */
export const MAX_STRANGERS = 100

/** Others, such as those under load or in a flood, are answered without a look at their body. */
const PATIENCE: Readonly<Partial<Record<ErrorName, Patience>>> = {
  UNAUTHENTICATED: STRANGER,
  NOT_ACCEPTABLE: CALLER,
  UNSUPPORTED_MEDIA_TYPE: CALLER,
}

/** A request that was refused. */
export interface RefusedRequest {
  readonly raw: IncomingMessage
  readonly clientKey: string
}

export class UnreadBodies {
  readonly #bodies: BodyBytes
  #strangers = 0

  constructor(bodies: BodyBytes) {
    this.#bodies = bodies
  }

  /**
   * @param done called once, with what was read; without where it is too long, too late, or one too many
   * @returns false where nothing is read, and so `done` will not be called
   */
  read(refused: RefusedRequest, reason: ErrorName, maxBytes: number, done: (body?: Buffer) => void): boolean {
    const { raw: request, clientKey } = refused
    const patience = PATIENCE[reason]
    if (patience === undefined || request.method !== 'POST' || request.readableDidRead || request.destroyed)
      return false
    const isStranger = patience === STRANGER
    const most = Math.min(patience.maxBytes ?? maxBytes, maxBytes)
    const announced = announcedBytes(request, isStranger)
    if (!(announced > 0 && announced <= most) || (isStranger && this.#strangers >= MAX_STRANGERS)) return false
    if (isStranger) this.#strangers++
    collect(request, { maxBytes: most, waitMs: patience.waitMs, bodies: this.#bodies, clientKey }, body => {
      if (isStranger) this.#strangers--
      done(body)
    })
    return true
  }
}

// In chunks a body has no length before its end, which nobody waits for with a stranger.
function announcedBytes({ headers }: IncomingMessage, isStranger: boolean): number {
  if (headers['transfer-encoding'] !== undefined) return isStranger ? 0 : 1
  return Number(headers['content-length'])
}

interface Collecting extends Required<Patience> {
  readonly bodies: BodyBytes
  readonly clientKey: string
}

function collect(
  request: IncomingMessage,
  { maxBytes, waitMs, bodies, clientKey }: Collecting,
  done: (body?: Buffer) => void,
) {
  const chunks: Buffer[] = []
  let size = 0
  const incoming = bodies.begin(clientKey, () => end())
  const onData = (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) end()
    else bodies.add(incoming, chunk.length)
  }
  const onEnd = () => end(Buffer.concat(chunks))
  const onClose = () => end()
  const timer = setTimeout(onClose, waitMs)
  function end(body?: Buffer): void {
    clearTimeout(timer)
    bodies.end(incoming)
    chunks.length = 0
    request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose).resume()
    done(body)
  }
  request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
}
