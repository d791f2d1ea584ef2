// Checks a request before it uses up its code or refresh token. After a wrong request, or while the
// provider does not answer, a client can try again with the same one.
import Provider, { errors, type Grant } from 'oidc-provider'
import type { Settings } from '../settings.ts'
import type { BeforeUse } from '../state/adapter.ts'
import type { Accounts } from '../users/accounts.ts'
import { mapClaims } from '../users/claims.ts'
import { type Claims, grantable, isAllowed, readSubject } from '../users/rules.ts'
import type { KeptSignIns } from './kept-sign-ins.ts'
import { SignInRefused } from './upstream.ts'

/**
 * Each used refresh token leaves an entry. So a sign-in has this many more than its access tokens
 * need.
 */
const REFRESHES_PER_TOKEN = 4
const MIN_REFRESHES = 100

export interface UseCheckParts {
  readonly settings: Settings
  readonly accounts: Accounts
  readonly keptSignIns: KeptSignIns
  /** Called when a sign-in has ended according to the provider. */
  onEnded(reason: string, subject: string): void
}

export function createUseCheck({ settings, accounts, keptSignIns, onEnded }: UseCheckParts): BeforeUse {
  const { SIGN_IN_TTL_MS, ACCESS_TOKEN_TTL_MS } = settings
  const maxRefreshes = MIN_REFRESHES + Math.ceil((REFRESHES_PER_TOKEN * SIGN_IN_TTL_MS) / ACCESS_TOKEN_TTL_MS)

  /** @throws SignInRefused if the user no longer has the right */
  async function take(claims: Claims, grant: Grant, grantId: string, scopes: readonly string[]): Promise<void> {
    if (readSubject(claims, settings.SUBJECT_CLAIM) !== grant.accountId) throw new SignInRefused('it is another user')
    if (!isAllowed(claims, settings.ALLOWED_USERS)) throw new SignInRefused('ALLOWED_USERS does not let this user in')
    const granted = grantable(claims, scopes, settings.SCOPES).join(' ')
    if (granted === '') throw new SignInRefused('this user may have none of the scopes')
    for (const resource of Object.keys(grant.resources)) grant.resources[resource] = granted
    await grant.save()
    if (!(await keptSignIns.has(grantId))) throw new SignInRefused('it was ended')
    await accounts.save(grant.accountId, mapClaims(claims, settings.CLAIMS))
  }

  return async (kind, { resource, rotations = 0, grantId = '', scope = '' }, end) => {
    const { oidc } = Provider.ctx ?? {}
    const asked = oidc?.params?.resource
    if (asked !== undefined && asked !== resource) throw new errors.InvalidTarget('it was asked for another resource')
    const grant = oidc?.entities.Grant
    if (kind !== 'RefreshToken' || grant === undefined) return
    if (rotations >= maxRefreshes) throw new errors.InvalidGrant('refreshed too often; sign in again')
    try {
      const claims = await keptSignIns.renew(grantId)
      if (claims !== undefined) await take(claims, grant, grantId, scope.split(' '))
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error
      await end()
      onEnded(error.message, grant.accountId)
      throw new errors.InvalidGrant('the provider lets this user in no more')
    }
  }
}
