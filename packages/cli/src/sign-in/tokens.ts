// The access token of a kept sign-in, for each request to its server. Refreshed when it has expired,
// or when the server refuses it.
import {
  type AuthProvider,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokens,
  refreshAuthorization,
} from '@modelcontextprotocol/client'
import { readErrorMessage } from 'toolrack/text'
import { hasAuthorization, type Target } from '../client/target.ts'
import { CommandError } from '../errors.ts'
import { explainSignIn } from './failures.ts'
import { readSignIn, type SignIn, withSignInLock, writeSignIn } from './kept.ts'

/** An access token is refreshed this long before it expires, ms: clocks differ. */
const EARLY_MS = 30_000
const REFRESH_TIMEOUT_MS = 10_000

/** @returns undefined if nobody has signed in to this server @throws CommandError */
export function findTokens(url: URL): AuthProvider | undefined {
  if (readSignIn(url) === undefined) return undefined
  let sent: string | undefined
  return {
    async token() {
      const kept = readSignIn(url)
      const fresh = kept !== undefined && isExpired(kept) && canRefresh(kept) ? await refresh(url, kept) : kept
      sent = fresh?.tokens.access_token
      return sent
    },
    async onUnauthorized() {
      const kept = readSignIn(url)
      // Another command has refreshed it already.
      if (kept !== undefined && kept.tokens.access_token !== sent) return
      if (kept === undefined || !canRefresh(kept)) throw expired(url)
      await refresh(url, kept)
    },
  }
}

/** For a command that makes its own requests. @throws CommandError */
export async function withSignIn(target: Target): Promise<Target> {
  if (hasAuthorization(target.headers)) return target
  for (const url of target.urls) {
    const token = await findTokens(url)?.token()
    if (token !== undefined)
      return { ...target, token, headers: { ...target.headers, authorization: `Bearer ${token}` } }
  }
  return target
}

const canRefresh = ({ tokens }: SignIn): boolean => tokens.refresh_token !== undefined
const isExpired = ({ expiresMs }: SignIn): boolean => expiresMs !== undefined && Date.now() > expiresMs - EARLY_MS

/**
 * A refresh token can be used once. If several commands need it, one refreshes, and the others take
 * its result.
 */
const refresh = (url: URL, old: SignIn): Promise<SignIn> =>
  withSignInLock(url, async () => {
    const kept = readSignIn(url)
    if (kept === undefined || !canRefresh(kept)) throw expired(url)
    if (kept.tokens.access_token !== old.tokens.access_token) return kept
    const { issuer, metadata, client, resource } = kept
    const tokens = await refreshAuthorization(issuer, {
      ...(metadata && { metadata }),
      clientInformation: client,
      refreshToken: kept.tokens.refresh_token!,
      ...(resource !== undefined && { resource }),
      fetchFn: (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(REFRESH_TIMEOUT_MS) }),
    }).catch(cause => {
      throw isRefusal(cause) ? expired(url, cause) : createFailed(url, issuer, cause)
    })
    const fresh = { ...kept, tokens: { ...kept.tokens, ...tokens }, expiresMs: toExpiry(tokens) }
    writeSignIn(fresh)
    return fresh
  })

/** Whether the authorization server has refused the token; a temporary failure is not a refusal. */
const isRefusal = (cause: unknown): boolean => cause instanceof OAuthError && !PASSING.includes(cause.code)

const PASSING: readonly string[] = [
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
]

function createFailed({ href }: URL, issuer: string, cause: unknown): CommandError {
  const reason = readErrorMessage(explainSignIn(cause, issuer))
  return new CommandError(`the token for ${href} could not be refreshed: ${reason}`, { cause })
}

const expired = (url: URL, cause?: unknown) =>
  new CommandError(`the sign-in to ${url.href} has expired; sign in again: toolrack login ${url.href}`, { cause })

/** The last day of Date, ms. */
const MAX_DATE_MS = 8.64e15

/** @returns ms since 1970; undefined if it never expires, or the time is unknown */
export function toExpiry({ expires_in: seconds }: OAuthTokens): number | undefined {
  const ms = seconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + seconds * 1000
  return ms <= MAX_DATE_MS ? ms : undefined
}
