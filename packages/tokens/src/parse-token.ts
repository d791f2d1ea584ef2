// Parses a signed token strictly, and trusts nothing: `TokenVerifier` runs the whole check. Three
// canonical base64url parts, header and payload JSON objects. RFC 7515, 3.1, 4.1.
import type { JsonObject } from 'toolrack'
import { TokenError } from 'toolrack/access'
import { isObject, parseJson } from 'toolrack/protocol'

export interface ParsedToken {
  readonly header: { readonly alg: string; readonly kid: string | undefined; readonly typ: string | undefined }
  readonly payload: JsonObject
}

const PART = /^[A-Za-z0-9_-]+$/

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
