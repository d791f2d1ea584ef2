// Reads the body of a refused request only for its JSON-RPC id, within tight bounds.
import type { IncomingMessage } from 'node:http'
import type { ErrorName } from '../protocol/errors.ts'
import type { BodyBytes } from './body-bytes.ts'

interface WaitLimit {
  /** Undefined: the route's limit applies. */
  readonly maxBytes?: number
  readonly waitMs: number
}

/** Without a token: short bodies and short waits. */
const ANONYMOUS_WAIT: WaitLimit = { maxBytes: 8 * 1024, waitMs: 250 }
/** An accepted caller could have sent the whole body anyway. */
const CALLER_WAIT: WaitLimit = { waitMs: 5000 }

/** Anonymous requests whose bodies are awaited at the same time. */
export const MAX_ANONYMOUS_WAITS = 100

/** Other errors, such as rate limits, are answered without the body. */
const WAIT_BY_REASON: Readonly<Partial<Record<ErrorName, WaitLimit>>> = {
  UNAUTHENTICATED: ANONYMOUS_WAIT,
  NOT_ACCEPTABLE: CALLER_WAIT,
  UNSUPPORTED_MEDIA_TYPE: CALLER_WAIT,
}

export interface RefusedRequest {
  readonly raw: IncomingMessage
  readonly clientKey: string
}

export class RefusedBodyReader {
  readonly #bodies: BodyBytes
  #anonymousWaits = 0

  constructor(bodies: BodyBytes) {
    this.#bodies = bodies
  }

  /**
   * @param done called once with the body; or without it if it is too long or too late, or too many
   *   wait
   * @returns false if the body is not read; then `done` is not called
   */
  read(refused: RefusedRequest, reason: ErrorName, maxBytes: number, done: (body?: Buffer) => void): boolean {
    const { raw: request, clientKey } = refused
    const patience = WAIT_BY_REASON[reason]
    if (patience === undefined || request.method !== 'POST' || request.readableDidRead || request.destroyed)
      return false
    const isStranger = patience === ANONYMOUS_WAIT
    const most = Math.min(patience.maxBytes ?? maxBytes, maxBytes)
    const announced = getAnnouncedBytes(request, isStranger)
    if (!(announced > 0 && announced <= most) || (isStranger && this.#anonymousWaits >= MAX_ANONYMOUS_WAITS))
      return false
    if (isStranger) this.#anonymousWaits++
    collectBody(request, { maxBytes: most, waitMs: patience.waitMs, bodies: this.#bodies, clientKey }, body => {
      if (isStranger) this.#anonymousWaits--
      done(body)
    })
    return true
  }
}

// A body without a length is not read for an anonymous caller.
function getAnnouncedBytes({ headers, httpVersionMajor }: IncomingMessage, isStranger: boolean): number {
  const { 'transfer-encoding': transfer, 'content-length': length = httpVersionMajor === 2 ? undefined : '0' } = headers
  return transfer !== undefined || length === undefined ? Number(!isStranger) : Number(length)
}

interface CollectOptions extends Required<WaitLimit> {
  readonly bodies: BodyBytes
  readonly clientKey: string
}

function collectBody(
  request: IncomingMessage,
  { maxBytes, waitMs, bodies, clientKey }: CollectOptions,
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
