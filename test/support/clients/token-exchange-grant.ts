// Token exchange (RFC 8693) as a grant of oidc-provider, for access tokens that it has issued
// itself.
import { createRemoteJWKSet, jwtVerify } from 'jose'
import type Provider from 'oidc-provider'
import type { GrantContext } from 'oidc-provider'

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
const PARAMETERS = ['subject_token', 'subject_token_type', 'requested_token_type', 'audience', 'scope']

export interface ExchangeClient {
  readonly id: string
  readonly secret: string
  /** The services for which it gets tokens, and their scopes. */
  readonly services: Readonly<Record<string, readonly string[]>>
}

export const toExchangeClient = ({ id, secret, services }: ExchangeClient): object => ({
  client_id: id,
  client_secret: secret,
  redirect_uris: [],
  response_types: [],
  grant_types: [TOKEN_EXCHANGE],
  token_endpoint_auth_method: 'client_secret_basic',
  services,
})

/** Of the metadata of its clients. */
export const EXCHANGE_METADATA = ['services']

export function addTokenExchange(provider: Provider, issuer: string): void {
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))
  provider.registerGrantType(TOKEN_EXCHANGE, ctx => exchange(provider, keys, issuer, ctx), PARAMETERS)
}

class GrantError extends Error {
  readonly expose = true
  readonly statusCode = 400
  readonly status = 400
  readonly error: string
  readonly error_description: string

  constructor(error: string, description: string) {
    super(error)
    this.error = error
    this.error_description = description
  }
}

async function exchange(
  provider: Provider,
  keys: ReturnType<typeof createRemoteJWKSet>,
  issuer: string,
  ctx: GrantContext,
): Promise<void> {
  const { client, params } = ctx.oidc
  const { subject_token: subjectToken = '', audience = '', scope = '' } = params
  if (params['subject_token_type'] !== ACCESS_TOKEN || params['requested_token_type'] !== ACCESS_TOKEN)
    throw new GrantError('invalid_request', 'only access tokens are exchanged')
  const { payload } = await jwtVerify(subjectToken, keys, { issuer }).catch(() => {
    throw new GrantError('invalid_grant', 'the subject token is not valid')
  })
  const services = client['services'] as ExchangeClient['services']
  if (!Object.hasOwn(services, audience)) throw new GrantError('invalid_target', `no service is called ${audience}`)
  const granted = scope === '' ? services[audience]! : scope.split(' ')
  if (!granted.every(each => services[audience]!.includes(each)))
    throw new GrantError('invalid_scope', `${audience} has no such scope`)
  const token = new provider.AccessToken({ accountId: payload.sub!, client, gty: 'token_exchange' })
  token.resourceServer = new provider.ResourceServer(audience, {
    scope: services[audience]!.join(' '),
    audience,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'ES256' } },
  })
  token.scope = granted.join(' ')
  ctx.body = {
    access_token: await token.save(),
    issued_token_type: ACCESS_TOKEN,
    token_type: 'Bearer',
    expires_in: token.expiration,
    scope: token.scope,
  }
}
