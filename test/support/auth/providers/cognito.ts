// Amazon Cognito. Shapes: docs.aws.amazon.com/cognito, "Understanding the access token",
// "Understanding the identity (ID) token", "Verifying JSON web tokens". ID tokens and access tokens
// have a key each.
import { type Provider, publish, RESOURCE, readDocumented, type Token, times } from './provider.ts'

const POOL = 'us-west-2_example'
const ISSUER = `https://cognito-idp.us-west-2.amazonaws.com/${POOL}`
const CLIENT = '57cbishk4j24pabc1234567890'
const USER = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'
const VALUES = { REGION: 'us-west-2', POOL_ID: POOL, APP_CLIENT_ID: CLIENT, OTHER_APP_CLIENT_ID: 'other-app' }

const cognitoKey = (kid: string) => publish(kid, () => ({ alg: 'RS256', use: 'sig' }))

export function cognito(): Provider {
  const [ofId, ofAccess] = [cognitoKey('1234example='), cognitoKey('5678example=')]
  const base = { iss: ISSUER, sub: USER, ...times(), auth_time: times().iat, origin_jti: USER, jti: USER }
  const user: Token = {
    header: { kid: ofAccess.kid, alg: 'RS256' },
    key: ofAccess,
    payload: {
      ...{ ...base, 'cognito:groups': ['admin', 'price team'], token_use: 'access', version: 2 },
      ...{ scope: `openid ${RESOURCE}/prices:read other/prices:write`, client_id: CLIENT, username: 'janedoe' },
    },
  }
  const machine: Token = {
    ...user,
    payload: {
      ...{ iss: ISSUER, sub: CLIENT, ...times(), token_use: 'access', scope: `${RESOURCE}/prices:read` },
      ...{ version: 2, jti: USER, client_id: CLIENT },
    },
  }
  const scopes = ['openid', 'prices:read', 'other/prices:write', 'group:admin']
  const changed = (claims: object): Token => ({ ...user, payload: { ...user.payload, ...claims } })
  return {
    name: 'Amazon Cognito',
    settings: readDocumented('Amazon Cognito', VALUES),
    jwks: [ofId.jwk, ofAccess.jwk],
    accepted: {
      'of a user': [user, { subject: USER, clientId: CLIENT, scopes }],
      'of a user, bound to this resource': [changed({ aud: RESOURCE }), { subject: USER, clientId: CLIENT, scopes }],
      'of a machine': [machine, { subject: CLIENT, clientId: CLIENT, scopes: ['prices:read'] }],
    },
    refused: {
      'of another app client': changed({ client_id: 'third-app' }),
      'bound to another resource': changed({ aud: 'https://other.example' }),
      'of another pool': changed({ iss: `${ISSUER}2` }),
      'without a client': changed({ client_id: undefined }),
      'by its key, without token_use and client': changed({ client_id: undefined, token_use: undefined }),
    },
    idToken: {
      header: { kid: ofId.kid, alg: 'RS256' },
      key: ofId,
      payload: {
        ...{ ...base, aud: CLIENT, email_verified: true, token_use: 'id', 'cognito:username': 'janedoe' },
        ...{ 'cognito:groups': ['admin'], given_name: 'Jane', email: 'janedoe@example.com' },
      },
    },
  }
}
