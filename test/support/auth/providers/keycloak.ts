// Keycloak. Shapes: its classes AccessToken and IDToken, and the certs endpoint of a realm, which
// has a key for encryption beside that for signatures.
import { chain, type Provider, publish, RESOURCE, readDocumented, type Token, thumbprint, times } from './provider.ts'

const ISSUER = 'https://sso.example/realms/shop'
const USER = '4f0b2c0a-6a5f-4f1e-9d3b-6c1f3a2b7e11'
const CLIENT = 'mcp-client'

const keycloakKey = (kid: string, more: object) =>
  publish(kid, key => ({ ...more, x5c: chain(key), x5t: thumbprint(kid), 'x5t#S256': thumbprint(`${kid} `) }))

export function keycloak(): Provider {
  const key = keycloakKey('jXRzXqTfLTs6dDbTkuFzCWSdGMhxqAZLvZE5n9bG1cM', { alg: 'RS256', use: 'sig' })
  const enc = keycloakKey('b3hFzXqTfLTs6dDbTkuFzCWSdGMhxqAZLvZE5n9bG1cM', { alg: 'RSA-OAEP', use: 'enc' })
  const header = { alg: 'RS256', typ: 'JWT', kid: key.kid }
  const base = { iss: ISSUER, sub: USER, ...times({ auth_time: times().iat }), azp: CLIENT, sid: 'b1c2', acr: '1' }
  const person = { email_verified: true, name: 'Ann Lee', preferred_username: 'ann', email: 'ann@shop.example' }
  const user: Token = {
    header,
    key,
    payload: {
      ...{
        ...base,
        jti: 'onrtac:5f1e',
        aud: [RESOURCE, 'account'],
        typ: 'Bearer',
        'allowed-origins': ['https://a.example'],
      },
      ...{ realm_access: { roles: ['trader', 'offline_access', 'default-roles-shop'] } },
      ...{ resource_access: { account: { roles: ['manage-account'] } } },
      ...{ scope: 'openid prices:read profile email', ...person, organization: { acme: { id: 'o-1' } } },
    },
  }
  const changed = (claims: object): Token => ({ ...user, payload: { ...user.payload, ...claims } })
  const scopes = [
    'openid',
    'prices:read',
    'profile',
    'email',
    ...['trader', 'offline_access', 'default-roles-shop'].map(role => `role:${role}`),
  ]
  const expected = { subject: USER, clientId: CLIENT, scopes, claims: { organization: { acme: { id: 'o-1' } } } }
  return {
    name: 'Keycloak',
    settings: { ...readDocumented('Keycloak', { HOST: 'sso.example', REALM: 'shop' }), JWT_CLAIMS: 'organization' },
    jwks: [enc.jwk, key.jwk],
    accepted: {
      'of a user': [user, expected],
      'of a user, of a version before 24, with a nonce': [changed({ nonce: 'n-0S6_WzA2Mj' }), expected],
      'of a service account, lightweight': [
        {
          header,
          key,
          payload: {
            ...base,
            sub: 'svc',
            aud: RESOURCE,
            typ: 'Bearer',
            jti: 'trrtcc:1',
            azp: 'robot',
            scope: 'prices:read',
          },
        },
        { subject: 'svc', clientId: 'robot', scopes: ['prices:read'], claims: {} },
      ],
    },
    refused: {
      'without the audience mapper': changed({ aud: 'account' }),
      'without any audience': changed({ aud: undefined }),
      'of another realm': changed({ iss: 'https://sso.example/realms/master' }),
      'a refresh token': changed({ typ: 'Refresh', aud: RESOURCE }),
      'an offline token': changed({ typ: 'Offline', aud: RESOURCE }),
      'a logout token': { ...changed({ typ: 'Logout' }), header: { ...header, typ: 'logout+jwt' } },
      'an ID token of the code flow': changed({ typ: 'ID', aud: CLIENT, at_hash: 'x' }),
    },
    idToken: { header, key, payload: { ...base, jti: '9f', aud: CLIENT, typ: 'ID', ...person } },
  }
}
