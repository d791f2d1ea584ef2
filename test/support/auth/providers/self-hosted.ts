// authentik, Zitadel and FusionAuth, whose access tokens are told from ID tokens by a rule. Shapes:
// authentik, providers/oauth2/id_token.py, views/token.py and views/jwks.py; zitadel.com/docs,
// "Claims"; fusionauth.io/docs, "Tokens".
import {
  chain,
  type Provider,
  publish,
  publishEc,
  readDocumentedEntry,
  type Token,
  thumbprint,
  times,
  withClaims,
} from './provider.ts'

export function authentik(): Provider {
  const key = publish('b2c1f0e8b2c1f0e8', key => ({
    ...{ alg: 'RS256', use: 'sig', x5c: chain(key), x5t: thumbprint('a'), 'x5t#S256': thumbprint('b') },
  }))
  const CLIENT = 'Zk3mPq7RtXw2Yb9Lc4Nd8Vf1Hg6Js0AeKi5Tz'
  // What both kinds of token are made of.
  const base = {
    ...{ iss: 'https://sso.example/application/o/tools/', sub: 'e3b0c44298fc1c149afbf4c8996fb924', aud: CLIENT },
    ...times({ auth_time: times().iat }),
    ...{ acr: 'goauthentik.io/providers/oauth2/default', amr: ['pwd', 'mfa'], sid: '2c26b46b68ffc68f' },
    ...{ email: 'ann@shop.example', email_verified: true, preferred_username: 'ann', groups: ['traders'] },
  }
  const header = { alg: 'RS256', kid: key.kid, typ: 'JWT' }
  const user: Token = { header, key, payload: { ...base, azp: CLIENT, uid: 'x'.repeat(40) } }
  const expected = { subject: base.sub, clientId: CLIENT, scopes: ['group:traders'], claims: { user: 'ann' } }
  return {
    name: 'authentik',
    entry: readDocumentedEntry('authentik', { HOST: 'sso.example', APPLICATION: 'tools', CLIENT_ID: CLIENT }),
    jwks: [key.jwk],
    accepted: {
      'of a user': [user, expected],
      'of a user whose client sent a nonce': [withClaims(user, { nonce: 'n-0S6_WzA2Mj' }), expected],
    },
    refused: {
      'of another application': withClaims(user, { aud: 'other', azp: 'other' }),
      'of another provider of this host': withClaims(user, { iss: 'https://sso.example/application/o/other/' }),
      'of a client for another': withClaims(user, { azp: 'other' }),
      'an ID token beside a refresh token': { header, key, payload: { ...base, at_hash: 'HK6E_P6Dh8Y93mRNtsDB1Q' } },
    },
    idToken: { header, key, payload: base },
  }
}

export function zitadel(): Provider {
  const key = publish('298349822947237123', () => ({ alg: 'RS256', use: 'sig' }))
  const [PROJECT, CLIENT, OTHER] = ['69234237810729019', '69234237810729234', '69234237810729555']
  const base = {
    ...{ iss: 'https://shop-x1y2.zitadel.cloud', sub: '77776025198584418', aud: [CLIENT, OTHER, PROJECT], azp: CLIENT },
    ...times({ nbf: times().iat }),
    'urn:zitadel:iam:user:resourceowner:id': '118812345678901234',
    'urn:zitadel:iam:org:project:roles': { trader: { '118812345678901234': 'shop.zitadel.cloud' } },
  }
  const header = { alg: 'RS256', kid: key.kid }
  const user: Token = { header, key, payload: { ...base, jti: '69234237813329048' } }
  return {
    name: 'Zitadel',
    entry: readDocumentedEntry('Zitadel', { INSTANCE: 'shop-x1y2', PROJECT_ID: PROJECT }),
    jwks: [key.jwk],
    accepted: {
      'of a user': [
        user,
        { subject: base.sub, clientId: CLIENT, scopes: [], claims: { tenant: '118812345678901234' } },
      ],
    },
    refused: {
      'of another project': withClaims(user, { aud: ['1', '2'], azp: '1' }),
      'of another instance': withClaims(user, { iss: 'https://other.zitadel.cloud' }),
    },
    idToken: {
      header,
      key,
      payload: { ...base, amr: ['pwd'], auth_time: times().iat, acr: 'TBA', preferred_username: 'ann@shop.example' },
    },
  }
}

export function fusionAuth(): Provider {
  const key = publishEc('Xoq7kK3eIXryYmi50ZOvg2bcceM', { alg: 'ES256', use: 'sig' })
  const APPLICATION = 'e9fdb985-9173-4e01-9d73-ac2d60d1dc8e'
  const base = {
    ...{ aud: APPLICATION, iss: 'shop.example', sub: '00000000-0000-0000-0000-111111111111', ...times() },
    ...{ jti: '2e2271d7-3057-4bfd-99ab-34af48e84567', authenticationType: 'PASSWORD', auth_time: times().iat },
    ...{ email: 'ann@shop.example', email_verified: true, scope: 'openid offline_access prices:read' },
    ...{ sid: '0abe7139-0bd0-4fd0-a450-c1e8b16e710a', tid: 'd7d09513-a3f5-401c-9685-34ab6c552453' },
  }
  const header = { alg: 'ES256', typ: 'JWT', gty: ['authorization_code'], kid: key.kid }
  const user: Token = { header, key, payload: { ...base, applicationId: APPLICATION, roles: ['trader'] } }
  return {
    name: 'FusionAuth',
    entry: readDocumentedEntry('FusionAuth', {
      ISSUER: 'shop.example',
      HOST: 'auth.shop.example',
      APPLICATION_ID: APPLICATION,
    }),
    jwks: [key.jwk],
    accepted: {
      'of a user': [
        user,
        {
          subject: base.sub,
          scopes: ['openid', 'offline_access', 'prices:read', 'role:trader'],
          claims: { tenant: base.tid },
        },
      ],
    },
    refused: {
      'of another application': withClaims(user, { aud: base.tid, applicationId: base.tid }),
      'of a user who is not registered for it': withClaims(user, { applicationId: undefined, roles: undefined }),
      'of another tenant': withClaims(user, { iss: 'other.example' }),
      'an ID token of the code flow': withClaims(user, { at_hash: 'HK6E_P6Dh8Y93mRNtsDB1Q' }),
    },
    idToken: { header, key, payload: { ...base, given_name: 'Ann', preferred_username: 'ann' } },
  }
}
