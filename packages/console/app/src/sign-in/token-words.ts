// Reads a token to show the user's name, and why a token was refused. Only the server decides about
// tokens.
import { isObject, type JsonObject } from '../client/json-rpc.ts'

/** The claims of a JWT; an empty object for any other token. */
export function readClaims(token: string): JsonObject {
  try {
    const [, payload = ''] = token.split('.')
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), each => each.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isObject(claims) ? claims : {}
  } catch {
    return {}
  }
}

/**
 * Characters that a header cannot contain: an ellipsis, curly quotes, or a hidden mark. Copied texts
 * have them.
 */
export function describeStrange(token: string): string | undefined {
  const strange = /[^ -~]/u.exec(token)
  return strange === null ? undefined : `The token is not whole: it has ${strange[0]} at place ${strange.index + 1}`
}

/**
 * Explains the text of a refusal, since OAuth has the same code, `invalid_token`, for every reason.
 *
 * @param reason the `error_description` of the server's 401
 */
export function describeRefusal(token: string, reason: string | undefined): string {
  const { exp, aud } = readClaims(token)
  const what = reason?.includes('API key') ? 'API key' : 'token'
  if (reason === undefined) return `The server refused this ${what}`
  if (reason.includes('expired'))
    return typeof exp === 'number' ? `This ${what} ended on ${formatMoment(exp * 1000)}` : `This ${what} has ended`
  if (reason.startsWith('aud ')) {
    const other = [aud].flat().filter(each => typeof each === 'string')
    return `This token is for another server${other.length > 0 ? `: ${other.join(', ')}` : ''}`
  }
  return `The server refused this ${what}: ${reason}`
}

/** The name that people know the user by. The subject of a token may be a number. */
export function readPersonName(token: string): string | undefined {
  const { name, preferred_username, email } = readClaims(token)
  return [name, preferred_username, email].find(each => typeof each === 'string' && each !== '') as string | undefined
}

/** Such as `25 November, 18:00`, in the zone of this browser. */
export function formatMoment(ms: number): string {
  const date = new Date(ms)
  const day = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long' })
  return `${day}, ${date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}`
}
