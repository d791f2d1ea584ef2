// Tokens of the provider for other services, on behalf of users (RFC 8693). The server sends an
// access token of the broker. It gets the token that the provider gives for the refresh token of
// that sign-in. So on- behalf-of works behind the broker, although providers do not accept the
// broker's own tokens.
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import type Provider from 'oidc-provider'
import { errors, type GrantContext } from 'oidc-provider'
import { ALGORITHM, type KeySet } from './keys.ts'
import type { Settings } from './settings.ts'
import type { KeptSignIns } from './sign-in/kept-sign-ins.ts'
import { SignInRefused } from './sign-in/upstream.ts'
import { busy } from './state/rooms.ts'

/** The client id of the server. */
export const EXCHANGE_CLIENT_ID = 'toolrack-server'
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
const PARAMETERS = ['subject_token', 'subject_token_type', 'requested_token_type', 'audience', 'resource', 'scope']
/** The provider's errors that the server knows. Any other means that it gives no such token. */
const CODES: readonly string[] = [
  'invalid_grant',
  'invalid_scope',
  'interaction_required',
  'login_required',
  'consent_required',
]

export interface ExchangeParts {
  readonly settings: Settings
  readonly keys: KeySet
  readonly keptSignIns: KeptSignIns
}

export const toExchangeClient = (secret: string): object => ({
  client_id: EXCHANGE_CLIENT_ID,
  client_secret: secret,
  redirect_uris: [],
  response_types: [],
  grant_types: [TOKEN_EXCHANGE],
  token_endpoint_auth_method: 'client_secret_basic',
})

export function addExchange(provider: Provider, { settings, keys, keptSignIns }: ExchangeParts): void {
  const verificationKeys = createLocalJWKSet({ keys: keys.map(({ d: _, ...key }) => key) } as JSONWebKeySet)
  const rules = {
    issuer: settings.BROKER_URL,
    audience: [...settings.RESOURCE_URL],
    algorithms: [ALGORITHM],
    typ: 'at+jwt',
  }

  async function exchange(context: GrantContext): Promise<void> {
    const { params } = context.oidc
    const { subject_token: token = '', requested_token_type: wanted = ACCESS_TOKEN } = params
    if (params['subject_token_type'] !== ACCESS_TOKEN || wanted !== ACCESS_TOKEN)
      throw new errors.InvalidRequest('only access tokens are exchanged, for access tokens')
    const scope = toScope(params['audience'] ?? params['resource'], params['scope'] ?? '')
    const { payload } = await jwtVerify(token, verificationKeys, rules).catch(() => {
      throw new errors.InvalidGrant('subject_token must be a good access token of this broker')
    })
    // For the audit.
    context.oidc.entity('Account', { accountId: String(payload.sub) })
    const given = await keptSignIns.tokenFor(String(payload['sid']), scope).catch(error => {
      throw error instanceof SignInRefused ? toRefusal(error.message) : error
    })
    context.body = {
      access_token: given.accessToken,
      issued_token_type: ACCESS_TOKEN,
      token_type: 'Bearer',
      expires_in: given.expiresInS,
    }
  }

  provider.registerGrantType(TOKEN_EXCHANGE, exchange, PARAMETERS)
}

function toRefusal(code: string): Error {
  if (code === 'invalid_client') return busy('the provider takes the broker for no client of its own')
  const known = CODES.includes(code) ? code : 'invalid_target'
  return new errors.CustomOIDCProviderError(known, 'the provider gives no token for that on behalf of this user')
}

/**
 * In the form of Entra: scopes begin with their service; `.default` stands for all scopes of the
 * application.
 */
function toScope(service: string | undefined, scope: string): string {
  const names = scope.split(' ').filter(Boolean)
  if (service === undefined && names.length === 0)
    throw new errors.InvalidRequest('expected audience, resource or scope')
  if (service === undefined) return names.join(' ')
  return (names.length === 0 ? ['.default'] : names)
    .map(name => (name.includes('/') ? name : `${service}/${name}`))
    .join(' ')
}
