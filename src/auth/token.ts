// A bearer token as it is written: three parts, canonical base64url, a header and a payload that are plain JSON objects.
// Read strictly before any signature is looked at; says nothing about whom to trust.
// RFC 7515, 3.1 and 4.1; RFC 6750, 2.1.
import { parseJson } from '../protocol/json.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'

/** Longest token that is looked at, bytes. */
export const MAX_TOKEN_BYTES = 8 * 1024

/** Why a token is not accepted: for the log and the challenge; never quotes the token. */
export class TokenError extends Error {
  override name = 'TokenFault'
}

export interface ParsedToken {
  readonly header: { readonly alg: string; readonly kid: string | undefined; readonly typ: string | undefined }
  readonly payload: JsonObject
}

const SCHEME = /^Bearer(?![^\s,])/i
const BEARER = /^Bearer +([^\s,]+)$/i
const PART = /^[A-Za-z0-9_-]+$/

/** The token of an Authorization header; undefined where it is of another scheme. @throws TokenFault where it is malformed */
export function parseBearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || !SCHEME.test(authorization)) return undefined
  // Joined by a comma where the header came twice.
  const [, token] = BEARER.exec(authorization.trim()) ?? []
  if (token === undefined) throw new TokenError('expected Authorization: Bearer and one token')
  if (token.length > MAX_TOKEN_BYTES) throw new TokenError(`longer than ${MAX_TOKEN_BYTES} bytes`)
  return token
}

/** @throws TokenFault */
export function parseToken(token: string): ParsedToken {
  const parts = token.split('.')
  if (parts.length !== 3) throw new TokenError('a signed token has three parts')
  // A claim that is named like a prototype, or lost half of a character, is one more that nobody reads; a header has no
  // business with it.
  const header = parseJsonPart(parts[0]!, 'header', false)
  const payload = parseJsonPart(parts[1]!, 'payload', true)
  decodePart(parts[2]!, 'signature')
  const { alg, kid, typ, crit, b64 } = header
  if (typeof alg !== 'string') throw new TokenError('alg is missing')
  if (crit !== undefined || b64 !== undefined) throw new TokenError('critical header parameters are not known here')
  return { header: { alg, kid: readShortText(kid, 'kid'), typ: readShortText(typ, 'typ') }, payload }
}

function parseJsonPart(part: string, name: string, isLenient: boolean): JsonObject {
  let value: unknown
  try {
    // A key twice is refused: another reader may have seen the other.
    value = parseJson(decodePart(part, name), { allowsPrototypes: isLenient, allowsLoneSurrogates: isLenient })
  } catch (cause) {
    throw new TokenError(`the ${name} is not JSON`, { cause })
  }
  if (!isObject(value)) throw new TokenError(`the ${name} is not an object`)
  return value
}

// Node decodes anything; only the canonical encoding may pass, so that a token has one spelling.
function decodePart(part: string, name: string): Buffer {
  const bytes = Buffer.from(part, 'base64url')
  if (!PART.test(part) || bytes.toString('base64url') !== part) throw new TokenError(`the ${name} is not base64url`)
  return bytes
}

function readShortText(value: unknown, name: string): string | undefined {
  if (value === undefined || (typeof value === 'string' && value.length <= 256)) return value
  throw new TokenError(`${name} is not a short text`)
}
