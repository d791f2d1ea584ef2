// The error of a call that the server refused.
import { McpError } from 'toolrack/protocol'

/** Code, name and data of a protocol error. */
export interface ProtocolErrorFacts {
  readonly code: number
  readonly reason: string
  readonly data?: unknown
}

/** The server answered with a protocol error. A tool's own failure is a result with `isError`. */
export class ProtocolError extends Error {
  override name = 'ProtocolError'
  /** The code of the error, such as -32602. */
  readonly code: number
  /** The row of the error catalogue, such as `UNKNOWN_TOOL`. */
  readonly reason: string
  readonly data: unknown

  constructor(message: string, { code, reason, data }: ProtocolErrorFacts) {
    super(message)
    this.code = code
    this.reason = reason
    this.data = data
  }
}

/** @param error that the server threw; any error except an McpError is a bug of the server */
export function toProtocolError(error: unknown): ProtocolError {
  const known = error instanceof McpError ? error : new McpError('INTERNAL_ERROR')
  return new ProtocolError(known.message, known)
}
