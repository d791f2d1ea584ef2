// Okta. Shapes: developer.okta.com, "Access token payload", "ID token payload"; keys as of
// `/v1/keys`.
import { type Provider, publish, RESOURCE, readDocumented, type Token, times } from './provider.ts'

const ORG = 'https://shop.okta.com'
const ISSUER = `${ORG}/oauth2/default`
const CLIENT = '0oa2hl2inow5Uqc6c357'
const USER = '00u2hh4hiw6KFd9oh357'
const VALUES = { DOMAIN: 'shop', SERVER_ID: 'default' }

function tokens(issuer: string, aud: string) {
  const key = publish('U5R8cHbGw445Qbq8zVO1PcCpXL8yG6IcovVa3laCoxM', () => ({ alg: 'RS256', use: 'sig' }))
  const header = { kid: key.kid, alg: 'RS256' }
  const base = { ver: 1, iss: issuer, ...times(), auth_time: times().iat }
  const user: Token = {
    header,
    key,
    payload: {
      ...{ ...base, jti: 'AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE', aud, cid: CLIENT, uid: USER },
      ...{ scp: ['openid', 'prices:read'], sub: 'ann@shop.example', groups: ['traders', 'Price Team'] },
    },
  }
  const machine: Token = {
    header,
    key,
    payload: { ...base, auth_time: undefined, jti: 'AT.7P4KlBW8', aud, cid: CLIENT, scp: ['prices:read'], sub: CLIENT },
  }
  // Of the code flow it has at_hash; asked for alone, it has not.
  const id: Token = {
    header,
    key,
    payload: {
      ...{ ...base, sub: USER, name: 'Ann', email: 'ann@shop.example', aud: CLIENT, amr: ['pwd'] },
      ...{ jti: 'ID.4eAWJOCMB3SX8XewDfVR', idp: '00ok1u7AsAkrwdZL3z357', preferred_username: 'ann@shop.example' },
    },
  }
  return { key, user, machine, id }
}

export function okta(): Provider {
  const { key, user, machine, id } = tokens(ISSUER, RESOURCE)
  const changed = (claims: object): Token => ({ ...user, payload: { ...user.payload, ...claims } })
  return {
    name: 'Okta, a custom authorization server',
    settings: readDocumented('Okta', VALUES),
    jwks: [key.jwk],
    accepted: {
      'of a user': [
        user,
        { subject: 'ann@shop.example', clientId: CLIENT, scopes: ['openid', 'prices:read', 'group:traders'] },
      ],
      'of a machine': [machine, { subject: CLIENT, clientId: CLIENT, scopes: ['prices:read'] }],
    },
    refused: {
      'for another API': changed({ aud: 'api://default' }),
      'of another authorization server of the org': changed({ iss: `${ORG}/oauth2/aus9o8wzkhckw9TLa357` }),
      'of the org': changed({ iss: ORG, aud: ORG }),
      'of another org': changed({ iss: ISSUER.replace('shop', 'other') }),
      'an ID token of the code flow': { ...id, payload: { ...id.payload, at_hash: 'fPlsvVszI29LU2UhDyJ9vg' } },
    },
    idToken: id,
  }
}

/** Its access tokens are for Okta's own API. */
export function oktaOrg(): Provider {
  const { key, user, machine, id } = tokens(ORG, ORG)
  return {
    name: 'Okta, the org authorization server',
    settings: { JWT_ISSUER: ORG, JWT_JWKS_URL: `${ORG}/oauth2/v1/keys` },
    jwks: [key.jwk],
    accepted: {},
    refused: { 'of a user': user, 'of a machine': machine },
    idToken: id,
  }
}
