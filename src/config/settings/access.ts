// Who may call: tokens, issuers, keys and scopes.
import { optional, type SettingRows, setting } from '../setting-row.ts'
import {
  algorithms,
  choice,
  claimNames,
  claimPatterns,
  flag,
  hierarchy,
  issuers,
  nonEmptyText,
  safeUrl,
  scopeClaims,
  scopePrefix,
  scopes,
  secret,
  texts,
  urls,
} from '../setting-types.ts'

export const ACCESS = {
  JWT_SECRET: optional({
    option: 'jwt.secret',
    type: secret(32),
    isSecret: true,
    meaning: 'The shared secret of tokens that are signed with HS256.',
  }),
  JWT_JWKS_URL: optional({
    option: 'jwt.jwksUrl',
    type: safeUrl,
    meaning:
      'Where the issuer publishes its keys (RSA, EC or Ed25519), if its metadata does not say. Needs `JWT_ISSUER`.',
  }),
  JWT_ALGORITHMS: optional({
    option: 'jwt.algorithms',
    type: algorithms,
    byDefault: 'those of the keys',
    meaning:
      'The algorithms that tokens may be signed with ([cryptography.md](cryptography.md#algorithms)). `HS256` only with `JWT_SECRET`.',
  }),
  JWT_ISSUER: optional({
    option: 'jwt.issuer',
    type: issuers,
    meaning:
      'The `iss` that a token must have. Its metadata names its keys, unless `JWT_JWKS_URL` or `JWT_SECRET` is set.',
  }),
  JWT_AUDIENCE: optional({
    option: 'jwt.audience',
    type: texts,
    byDefault: '`PUBLIC_URL`',
    meaning: 'The `aud` that a token must have; of several, one.',
  }),
  JWT_AUDIENCE_OPTIONAL: optional({
    option: 'jwt.audienceOptional',
    type: flag,
    meaning:
      '`true` accepts tokens without `aud`, as Cognito issues them ([identity-providers.md](../guides/identity-providers.md#which-audience)).',
  }),
  JWT_CLIENT_IDS: optional({
    option: 'jwt.clientIds',
    type: texts,
    meaning:
      'The clients whose tokens are accepted ([identity-providers.md](../guides/identity-providers.md#which-clients)).',
  }),
  JWT_REQUIRED_CLAIMS: optional({
    option: 'jwt.requiredClaims',
    type: claimPatterns,
    meaning:
      'The claims that a token must have, with their values ([identity-providers.md](../guides/identity-providers.md#which-claims-are-required)).',
  }),
  JWT_SCOPE_CLAIMS: optional({
    option: 'jwt.scopeClaims',
    type: scopeClaims,
    byDefault: '`scope`, else `scp`',
    meaning:
      'The claims that grant scopes ([identity-providers.md](../guides/identity-providers.md#which-claims-grant-scopes)).',
  }),
  JWT_SCOPE_PREFIX: optional({
    option: 'jwt.scopePrefix',
    type: scopePrefix,
    meaning: 'What the authorization server puts before scopes, and tools leave out.',
  }),
  JWT_CLAIMS: optional({
    option: 'jwt.claims',
    type: claimNames,
    meaning:
      'The claims that tools see as `ctx.caller.claims`: `tenant=tid` gives `tid` the name `tenant` ([identity-providers.md](../guides/identity-providers.md#claims-for-tools)).',
  }),
  TENANT_CLAIM: optional({
    option: 'tenantClaim',
    type: nonEmptyText,
    meaning: "The claim that names a caller's tenant, such as `tenant` ([tenants.md](../guides/tenants.md)).",
  }),
  ISSUERS_FILE: optional({
    option: 'issuersFile',
    type: nonEmptyText,
    meaning: 'More issuers, each with rules of its own, as a JSON file ([issuers.md](issuers.md)).',
  }),
  API_KEYS_FILE: optional({
    option: 'apiKeysFile',
    type: nonEmptyText,
    meaning:
      'The API keys that callers may have instead of a token, as a JSON file ([api-keys.md](../guides/api-keys.md)).',
  }),
  AUTHORIZATION_SERVERS: optional({
    option: 'authorizationServers',
    type: urls,
    byDefault: '`JWT_ISSUER`, and those of `ISSUERS_FILE`',
    meaning: 'The authorization servers that clients are sent to (RFC 9728).',
  }),
  TOKEN_EXCHANGE_CLIENT_ID: optional({
    option: 'tokenExchange.clientId',
    type: nonEmptyText,
    meaning: 'As whom this server gets tokens of other services, [on behalf of callers](../guides/on-behalf-of.md).',
  }),
  TOKEN_EXCHANGE_CLIENT_SECRET: optional({
    option: 'tokenExchange.clientSecret',
    type: secret(6),
    isSecret: true,
    meaning: 'The secret of that client.',
  }),
  TOKEN_EXCHANGE_GRANT: optional({
    option: 'tokenExchange.grant',
    type: choice('token-exchange', 'jwt-bearer'),
    byDefault: '`token-exchange`',
    meaning: 'How it asks: by RFC 8693, or as Microsoft Entra wants it.',
  }),
  TOKEN_EXCHANGE_URL: optional({
    option: 'tokenExchange.url',
    type: safeUrl,
    byDefault: 'from the metadata of `JWT_ISSUER`',
    meaning: 'The token endpoint that it asks.',
  }),
  SCOPES_SUPPORTED: optional({
    option: 'scopes.supported',
    type: scopes,
    byDefault: 'those of what only reads',
    meaning: 'The scopes that clients ask for at first (RFC 9728).',
  }),
  REQUIRED_SCOPES: optional({
    option: 'scopes.required',
    type: scopes,
    meaning: 'The scopes that everything needs that names none itself ([access.md](../guides/access.md#scopes)).',
  }),
  SCOPE_HIERARCHY: optional({
    option: 'scopes.hierarchy',
    type: hierarchy,
    meaning: 'Broader scopes that stand for narrower ones.',
  }),
  SCOPE_DENIAL: setting({
    option: 'scopes.denial',
    type: choice('challenge', 'result'),
    fallback: 'challenge',
    meaning: '`result` answers a call that lacks scopes with `isError` instead of 403.',
  }),
} as const satisfies SettingRows
