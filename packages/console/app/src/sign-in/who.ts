// Asks the server who the user is.
import type { Who } from './state.ts'
import { readPersonName } from './token-words.ts'

/** `GET api/me`; without access control it names nobody. */
interface Me {
  readonly name?: string
  readonly issuer?: string
  readonly scopes?: readonly string[]
  readonly expiresAt?: string
}

export interface KnownUser {
  /** `null` if the server does not name the user. */
  readonly who: Who | null
  readonly scopes?: readonly string[]
}

/** @returns undefined if the server refuses the token; the next request shows the reason */
export async function askWho(token: string): Promise<KnownUser | undefined> {
  const headers = { authorization: `Bearer ${token}` }
  try {
    const response = await fetch(new URL('api/me', document.baseURI), { headers })
    if (response.status === 401) return undefined
    if (!response.ok) return { who: null }
    const { name: subject, issuer, scopes, expiresAt } = (await response.json()) as Me
    if (subject === undefined) return { who: null, scopes }
    const expires = expiresAt === undefined ? undefined : Date.parse(expiresAt)
    return { who: { name: readPersonName(token) ?? subject, subject, issuer, expiresAt: expires }, scopes }
  } catch {
    return { who: null }
  }
}
