// Creates the token exchange from the settings. The secret may change while the server runs.
import type { CallerTokenParts } from 'toolrack/access'
import type { CallerTokens } from 'toolrack/execution'
import { isSafeUrl } from 'toolrack/settings'
import { ExchangedTokens } from './exchanged-tokens.ts'
import { SubjectTokens } from './subject-tokens.ts'
import { TokenEndpoint } from './token-endpoint.ts'

export function openTokenExchange({ liveSettings, liveSecrets, mask, metrics, audit }: CallerTokenParts): CallerTokens {
  const { tokenExchangeUrl: url, jwtIssuer: [issuer] = [], ...settings } = liveSettings.current
  const { tokenExchangeGrant: grant = 'token-exchange' } = settings
  // The settings contain both or neither.
  const clientId = settings.tokenExchangeClientId!
  const clientSecret = () => liveSettings.current.tokenExchangeClientSecret!
  return new ExchangedTokens({
    endpoint: new TokenEndpoint({ url, issuer, clientId, clientSecret, grant, mayAsk: isSafeUrl }),
    subjectTokens: new SubjectTokens(),
    liveSecrets,
    mask,
    count: outcome => metrics.tokenExchanged(outcome),
    record: asked => audit.record({ event: 'token-exchange', ...asked }),
  })
}
