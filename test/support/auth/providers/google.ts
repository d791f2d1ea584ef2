// Google, which signs ID tokens only. Shapes: developers.google.com, "OpenID Connect";
// cloud.google.com, "Get an ID token", "Verify VM identity".
import { createHash } from 'node:crypto'
import { type Provider, publish, RESOURCE, readDocumented, type Token, times } from './provider.ts'

const ISSUER = 'https://accounts.google.com'
const ACCOUNT = '104029292853099978293'
const APP = '1234987819200.apps.googleusercontent.com'

const googleKey = (name: string) =>
  publish(createHash('sha1').update(name).digest('hex'), () => ({ alg: 'RS256', use: 'sig' }))

export function google(): Provider {
  const [key, next] = [googleKey('one'), googleKey('two')]
  const header = { alg: 'RS256', kid: key.kid, typ: 'JWT' }
  const base = { iss: ISSUER, ...times() }
  const account: Token = {
    header,
    key,
    payload: {
      ...{ ...base, aud: RESOURCE, azp: ACCOUNT, sub: ACCOUNT },
      ...{ email: 'robot@shop.iam.gserviceaccount.com', email_verified: true },
    },
  }
  const person: Token = {
    header,
    key,
    payload: {
      ...{ ...base, aud: APP, azp: APP, sub: '10769150350006150715113082367', hd: 'shop.example' },
      ...{ email: 'ann@shop.example', email_verified: true, name: 'Ann', picture: 'https://example.com/a.png' },
    },
  }
  const changed = (claims: object): Token => ({ ...account, payload: { ...account.payload, ...claims } })
  return {
    name: 'Google, service accounts',
    settings: readDocumented('Google', {}),
    jwks: [key.jwk, next.jwk],
    accepted: {
      'of an account that is named': [account, { subject: ACCOUNT, clientId: ACCOUNT, scopes: [] }],
    },
    refused: {
      'of an account that is not named': changed({ azp: '1', sub: '1' }),
      'for another audience': changed({ aud: 'https://other.example' }),
      'of a user, with at_hash': { ...person, payload: { ...person.payload, at_hash: 'HK6E_P6Dh8Y93mRNtsDB1Q' } },
      'of a user of an Android app': {
        ...person,
        payload: { ...person.payload, aud: RESOURCE, azp: `android-${APP}` },
      },
    },
    idToken: person,
  }
}
