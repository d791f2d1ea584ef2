// Parses a bearer token strictly, and trusts nothing: plugins/auth.ts runs the whole check. Three
// canonical base64url parts, header and payload JSON objects. RFC 7515, 3.1, 4.1; RFC 6750, 2.1.
import { parseJson } from '../protocol/json.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'

/** As large as the headers of this server: Entra puts up to 200 groups into a token. */
export const MAX_TOKEN_BYTES = 16 * 1024

/** Why a token is rejected, for log and challenge; never quotes the token. */
export class TokenError extends Error {
  override name = 'TokenError'
}

export interface ParsedToken {
  readonly header: { readonly alg: string; readonly kid: string | undefined; readonly typ: string | undefined }
  readonly payload: JsonObject
}

const SCHEME = /^Bearer(?![^\s,])/i
// Not `trim`, which takes a no-break space away, too: a token has one spelling.
const BEARER = /^Bearer +([^\s,]+)[ \t]*$/i
const PART = /^[A-Za-z0-9_-]+$/

/** The token; undefined for another scheme. @throws TokenError if the header is malformed */
export function parseBearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || !SCHEME.test(authorization)) return undefined
  // Node joins a repeated header with a comma.
  const [, token] = BEARER.exec(authorization) ?? []
  if (token === undefined) throw new TokenError('expected Authorization: Bearer and one token')
  if (token.length > MAX_TOKEN_BYTES) throw new TokenError(`longer than ${MAX_TOKEN_BYTES} bytes`)
  return token
}

/** @throws TokenError */
export function parseToken(token: string): ParsedToken {
  const parts = token.split('.')
  if (parts.length !== 3) throw new TokenError('a signed token has three parts')
  // Prototype keys and lone surrogates are harmless in unread claims, but not in a header.
  const header = parseJsonPart(parts[0]!, 'header', false)
  const payload = parseJsonPart(parts[1]!, 'payload', true)
  decodePart(parts[2]!, 'signature')
  const { alg, kid, typ, crit, b64 } = header
  if (typeof alg !== 'string') throw new TokenError('alg is missing')
  if (crit !== undefined || b64 !== undefined) throw new TokenError('critical header parameters are not known here')
  return { header: { alg, kid: readShortText(kid, 'kid'), typ: readShortText(typ, 'typ') }, payload }
}

/** Whether it is a signed token, though perhaps one that `parseToken` refuses. */
export function isSigned(token: string): boolean {
  const [header = '', ...others] = token.split('.')
  try {
    return others.length === 2 && isObject(JSON.parse(Buffer.from(header, 'base64url').toString()))
  } catch {
    return false
  }
}

function parseJsonPart(part: string, name: string, isLenient: boolean): JsonObject {
  let value: unknown
  try {
    // Duplicate keys are rejected: another parser may have read the other value.
    value = parseJson(decodePart(part, name), { allowsPrototypes: isLenient, allowsLoneSurrogates: isLenient })
  } catch (cause) {
    throw new TokenError(`the ${name} is not JSON`, { cause })
  }
  if (!isObject(value)) throw new TokenError(`the ${name} is not an object`)
  return value
}

// Node decodes any input; accept the canonical encoding only, so that a token has one spelling.
function decodePart(part: string, name: string): Buffer {
  const bytes = Buffer.from(part, 'base64url')
  if (!PART.test(part) || bytes.toString('base64url') !== part) throw new TokenError(`the ${name} is not base64url`)
  return bytes
}

function readShortText(value: unknown, name: string): string | undefined {
  if (value === undefined || (typeof value === 'string' && value.length <= 256)) return value
  throw new TokenError(`${name} is not a short text`)
}
