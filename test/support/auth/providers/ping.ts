// PingOne and PingFederate. Shapes: developer.pingidentity.com, "Token claims";
// docs.pingidentity.com/pingfederate, "Configuring JSON token management".
import { chain, type Provider, publish, RESOURCE, readDocumented, type Token, thumbprint, times } from './provider.ts'

const ENVIRONMENT = 'abfba8f6-49eb-49f5-a5d9-80ad5c98f9f6'
const USER = '4a2b1c3d-5e6f-4a7b-8c9d-0e1f2a3b4c5d'
const CLIENT = '5b1f3c2a-9d8e-4f7a-b6c5-d4e3f2a1b0c9'

export function pingOne(): Provider {
  const issuer = `https://auth.pingone.com/${ENVIRONMENT}/as`
  const key = publish('default', key => ({ alg: 'RS256', use: 'sig', x5t: thumbprint('default'), x5c: chain(key) }))
  const header = { alg: 'RS256', kid: key.kid }
  const user: Token = {
    header,
    key,
    payload: {
      ...{ client_id: CLIENT, iss: issuer, jti: '7c4d', ...times(), aud: [RESOURCE] },
      ...{ scope: 'openid prices:read', sub: USER, sid: 'f3b1' },
    },
  }
  const changed = (claims: object): Token => ({ ...user, payload: { ...user.payload, ...claims } })
  const expected = { subject: USER, clientId: CLIENT, scopes: ['openid', 'prices:read'] }
  return {
    name: 'PingOne',
    settings: readDocumented('Ping', { ENVIRONMENT_ID: ENVIRONMENT }),
    jwks: [key.jwk],
    accepted: {
      'of a user': [user, expected],
      'of a user, as of RFC 9068': [
        { ...user, header: { ...header, typ: 'at+jwt', x5t: thumbprint('default') } },
        expected,
      ],
    },
    refused: {
      'for the API of PingOne': changed({ aud: ['https://api.pingone.com'], env: ENVIRONMENT, org: 'o' }),
      'of client credentials, without a subject': changed({ sub: undefined, sid: undefined }),
      'of another environment': changed({ iss: issuer.replace('abfba8f6', '11111111') }),
    },
    idToken: {
      header,
      key,
      payload: {
        ...{ iss: issuer, sub: USER, aud: CLIENT, ...times(), acr: 'Single_Factor', amr: ['pwd'] },
        ...{ auth_time: times().iat, sid: 'f3b1', env: ENVIRONMENT, org: 'o', preferred_username: 'ann' },
      },
    },
  }
}

export function pingFederate(): Provider {
  const issuer = 'https://sso.example'
  const [key, other] = ['k1', 'k2'].map(kid => publish(kid, () => ({ use: 'sig' }))) as [Token['key'], Token['key']]
  const header = { alg: 'RS256', kid: key.kid, 'pi.atm': '7' }
  const user: Token = {
    header,
    key,
    payload: {
      ...{ scope: ['openid', 'prices:read'], client_id: 'mcp_client', iss: issuer, aud: RESOURCE, jti: 'rB7q' },
      ...{ agid: 'Hf3k', sub: 'ann', groups: ['traders'], ...times() },
    },
  }
  const changed = (claims: object): Token => ({ ...user, payload: { ...user.payload, ...claims } })
  const expected = { subject: 'ann', clientId: 'mcp_client', scopes: ['openid', 'prices:read'] }
  return {
    name: 'PingFederate',
    settings: readDocumented('Ping', { HOST: 'sso.example', JWKS_PATH: 'jwks' }, [1]),
    jwks: [key.jwk, other.jwk],
    accepted: {
      'with scopes as a list': [user, expected],
      'with scopes as a text': [changed({ scope: 'openid prices:read' }), expected],
    },
    refused: {
      'for another API': changed({ aud: 'https://other.example' }),
      'without an audience': changed({ aud: undefined }),
      'of another issuer': changed({ iss: 'https://other.example' }),
      'without a key id, of two keys': { ...user, header: { alg: 'RS256', 'pi.atm': '7' } },
    },
    idToken: {
      header: { alg: 'RS256', kid: key.kid },
      key,
      payload: {
        sub: 'ann',
        aud: 'mcp_client',
        jti: 'w9',
        iss: issuer,
        ...times(),
        'pi.sri': 'o3VZ',
        groups: ['traders'],
      },
    },
  }
}
