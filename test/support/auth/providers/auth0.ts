// Auth0. Shapes: auth0.com/docs, "Access Token Profiles", "ID Token Structure", "JSON Web Key Set
// Properties".
import { chain, type Provider, publish, RESOURCE, readDocumented, type Token, thumbprint, times } from './provider.ts'

const ISSUER = 'https://shop.auth0.com/'
const CLIENT = 'K1AUPhZq8mRi0Q0pjhkfu1D7y6KjDQja'
const USER = 'auth0|6553da60a54af58e29493993'

function tokens() {
  const [key, next] = [
    'NTVBOTU3MzBBOEUwNzhBQ0VGMkQ0QUU5QTYxQUUyOUNEQUU5NjQyNw',
    'RkI5MjI5OUY5ODc1N0Q4QzM0OUYzNkVGMTJDOUEzQkFC',
  ].map(kid => publish(kid, key => ({ alg: 'RS256', use: 'sig', x5t: thumbprint(kid), x5c: chain(key) }))) as [
    Token['key'],
    Token['key'],
  ]
  const header = { alg: 'RS256', typ: 'JWT', kid: key.kid }
  const base = { iss: ISSUER, sub: USER, ...times() }
  const user: Token = {
    header,
    key,
    payload: {
      ...{ 'https://example.com/tenant': 'acme', ...base, aud: [RESOURCE, `${ISSUER}userinfo`] },
      ...{ azp: CLIENT, scope: 'openid profile prices:read', org_id: 'org_9ybsU1dN2dKfDkBi' },
    },
  }
  const machine: Token = {
    header,
    key,
    payload: { ...base, sub: `${CLIENT}@clients`, aud: RESOURCE, gty: 'client-credentials', azp: CLIENT },
  }
  // Of the code flow: without at_hash, and with a nonce only if the client sent one.
  const id: Token = {
    header,
    key,
    payload: {
      ...{ nickname: 'ann', name: 'Ann', picture: 'https://example.com/a.png', updated_at: '2026-11-01T10:00:00.000Z' },
      ...{ email: 'ann@example.com', email_verified: true, ...base, aud: CLIENT, sid: 'Hk0DGWvZq' },
    },
  }
  return { key, next, user, machine, id }
}

export function auth0(): Provider {
  const { key, next, user, machine, id } = tokens()
  const expected = { subject: USER, clientId: CLIENT, scopes: ['openid', 'profile', 'prices:read'] }
  const claims = { tenant: 'acme', org_id: 'org_9ybsU1dN2dKfDkBi' }
  const { azp: _, ...ofUser } = user.payload as { azp: string }
  return {
    name: 'Auth0',
    settings: {
      ...readDocumented('Auth0', { TENANT: 'shop' }),
      JWT_CLAIMS: 'tenant=https://example.com/tenant,org_id',
    },
    jwks: [key.jwk, next.jwk],
    accepted: {
      'of a user': [user, { ...expected, claims }],
      'of a machine, without scopes': [
        machine,
        { subject: `${CLIENT}@clients`, clientId: CLIENT, scopes: [], claims: {} },
      ],
      'of the profile of RFC 9068': [
        {
          ...user,
          header: { ...user.header, typ: 'at+jwt' },
          payload: { ...ofUser, client_id: CLIENT, jti: '73WakrfVbNJBaAmhQtEeDv' },
        },
        { ...expected, claims },
      ],
      'with RBAC, whose permissions are not read': [
        { ...user, payload: { ...user.payload, permissions: ['prices:write'] } },
        { ...expected, claims },
      ],
    },
    refused: {
      'for the Management API': { ...user, payload: { ...user.payload, aud: `${ISSUER}api/v2/` } },
      'for userinfo alone': { ...user, payload: { ...user.payload, aud: [`${ISSUER}userinfo`] } },
      'of another tenant': { ...user, payload: { ...user.payload, iss: 'https://other.auth0.com/' } },
      'of an issuer without its slash': { ...user, payload: { ...user.payload, iss: ISSUER.slice(0, -1) } },
    },
    idToken: id,
  }
}

export function auth0Permissions(): Provider {
  const { key, user, machine, id } = tokens()
  return {
    name: 'Auth0, by permissions',
    settings: { ...readDocumented('Auth0', { TENANT: 'shop' }), JWT_SCOPE_CLAIMS: 'scope,permissions' },
    jwks: [key.jwk],
    accepted: {
      'of a user': [
        { ...user, payload: { ...user.payload, permissions: ['prices:read', 'prices:write'] } },
        { subject: USER, clientId: CLIENT, scopes: ['openid', 'profile', 'prices:read', 'prices:write'] },
      ],
    },
    refused: { 'for another API': { ...machine, payload: { ...machine.payload, aud: 'https://other.example' } } },
    idToken: { ...id, payload: { ...id.payload, permissions: ['prices:write'] } },
  }
}
