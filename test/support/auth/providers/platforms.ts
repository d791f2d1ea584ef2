// Platforms that sign users in for an app. Shapes: firebase.google.com/docs/auth/admin/verify-id-tokens;
// workos.com/docs/authkit/connect/token-claims; stytch.com/docs (Connected App access token);
// supabase.com/docs/guides/auth (oauth-server/token-security, jwt-fields);
// clerk.com/docs/guides/sessions/session-tokens.
import {
  type Provider,
  publish,
  publishEc,
  RESOURCE,
  readDocumented,
  readDocumentedEntry,
  type Token,
  times,
  withClaims,
} from './provider.ts'

const platformKey = (kid: string) => publish(kid, () => ({ alg: 'RS256', use: 'sig' }))

export function firebase(): Provider {
  const key = platformKey('d97b13494cb6be2f3b55e7f9f4b5e9d0a1c2b3d4')
  const user: Token = {
    header: { alg: 'RS256', kid: key.kid, typ: 'JWT' },
    key,
    payload: {
      ...{ iss: 'https://securetoken.google.com/shop-4f2a', aud: 'shop-4f2a', ...times({ auth_time: times().iat }) },
      ...{ user_id: 'Vx8sT1', sub: 'Vx8sT1', email: 'ann@shop.example', email_verified: false, name: 'Ann' },
      firebase: {
        identities: { email: ['ann@shop.example'] },
        sign_in_provider: 'password',
        tenant: 'shop-tenant-x1',
      },
    },
  }
  return {
    name: 'Firebase',
    entry: readDocumentedEntry('Firebase', { PROJECT_ID: 'shop-4f2a', TENANT_ID: 'shop-tenant-x1' }),
    jwks: [key.jwk, platformKey('next').jwk],
    accepted: { 'of a user': [user, { subject: 'Vx8sT1', scopes: [], claims: { tenant: 'shop-tenant-x1' } }] },
    refused: {
      'of another project': withClaims(user, { iss: 'https://securetoken.google.com/evil', aud: 'evil' }),
      'of another project, for this one': withClaims(user, { iss: 'https://securetoken.google.com/evil' }),
      'of somebody who has signed up': withClaims(user, { firebase: { sign_in_provider: 'password' } }),
      'of nobody': withClaims(user, { firebase: { sign_in_provider: 'anonymous', identities: {} } }),
      'of another tenant': withClaims(user, { firebase: { tenant: 'shop-tenant-x2' } }),
      'a custom token': withClaims(user, {
        iss: 'firebase-adminsdk@shop-4f2a.iam.gserviceaccount.com',
        aud: 'https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit',
      }),
    },
  }
}

export function workOs(): Provider {
  const key = platformKey('sso_oidc_key_pair_01JPXN6KF7NAEAZTFDYESAE0KX')
  const [CLIENT, ENVIRONMENT, USER] = ['client_01JP8BD0CZ', 'client_01HXENVIRONMENT', 'user_01HXYZ']
  const header = { alg: 'RS256', kid: key.kid }
  const base = { iss: 'https://shop.authkit.app', ...times() }
  const user: Token = {
    header,
    key,
    payload: {
      ...{ ...base, aud: RESOURCE, sub: USER, client_id: CLIENT, org_id: 'org_01HX', sid: 'app_consent_01HX' },
      ...{ scope: 'openid profile prices:read', jti: '01JPXN' },
    },
  }
  return {
    name: 'WorkOS',
    settings: readDocumented('WorkOS', { SUBDOMAIN: 'shop' }),
    jwks: [key.jwk],
    accepted: {
      'of a user': [
        user,
        {
          subject: USER,
          clientId: CLIENT,
          scopes: ['openid', 'profile', 'prices:read'],
          claims: { tenant: 'org_01HX' },
        },
      ],
    },
    refused: {
      'of an M2M application': withClaims(user, { aud: ENVIRONMENT, sub: CLIENT, sid: undefined }),
      'for another resource': withClaims(user, { aud: 'https://other.example/mcp' }),
      'of another environment': withClaims(user, { iss: 'https://other.authkit.app' }),
    },
    idToken: { header, key, payload: { ...base, aud: CLIENT, sub: USER, email: 'ann@shop.example', name: 'Ann' } },
  }
}

export function stytch(): Provider {
  const key = platformKey('jwk-live-16d9ba61-97a1-4ba4-9720-b03761dc50c6')
  const [PROJECT, APP] = ['project-live-16d9ba61', 'connected-app-live-d731954d']
  const header = { alg: 'RS256', kid: key.kid, typ: 'JWT' }
  const base = { iss: 'https://login.shop.example', sub: 'user-live-16d9ba61', ...times({ nbf: times().iat }) }
  const user: Token = {
    header,
    key,
    payload: { ...base, aud: [PROJECT], client_id: APP, jti: 'LOe49j3s9d9d', scope: 'openid email prices:read' },
  }
  return {
    name: 'Stytch',
    settings: readDocumented('Stytch', {
      PROJECT_DOMAIN: 'login.shop.example',
      PROJECT_ID: PROJECT,
      CONNECTED_APP_ID: APP,
    }),
    jwks: [key.jwk],
    accepted: {
      'of a Connected App': [user, { subject: base.sub, clientId: APP, scopes: ['openid', 'email', 'prices:read'] }],
    },
    refused: {
      'of another app': withClaims(user, { client_id: 'connected-app-live-other' }),
      'of another project': withClaims(user, { iss: 'https://login.other.example', aud: ['project-live-other'] }),
      'a session': withClaims(user, {
        client_id: undefined,
        scope: undefined,
        'https://stytch.com/session': { id: 'session-live-1' },
      }),
    },
    idToken: { header, key, payload: { ...base, aud: [APP], email: 'ann@shop.example', email_verified: true } },
  }
}

export function supabase(): Provider {
  const key = publishEc('b81269f1-21d8-4f2e-b719-c2240a840d90', { alg: 'ES256', use: 'sig', key_ops: ['verify'] })
  const [USER, CLIENT] = ['123e4567-e89b-12d3-a456-426614174000', '9a8b7c6d-5e4f-3a2b-1c0d-9e8f7a6b5c4d']
  const header = { alg: 'ES256', kid: key.kid, typ: 'JWT' }
  const base = { iss: 'https://abcdefghij.supabase.co/auth/v1', sub: USER, ...times() }
  const session: Token = {
    header,
    key,
    payload: {
      ...{ ...base, aud: 'authenticated', role: 'authenticated', email: 'ann@shop.example', phone: '', aal: 'aal1' },
      ...{ amr: [{ method: 'password', timestamp: times().iat }], session_id: 'd1e2', is_anonymous: false },
      ...{ app_metadata: { provider: 'email' }, user_metadata: { role: 'admin' }, user_role: 'trader' },
    },
  }
  const user = withClaims(session, { aud: RESOURCE, client_id: CLIENT, user_id: USER })
  return {
    name: 'Supabase, with a hook',
    settings: readDocumented('Supabase', { PROJECT_REF: 'abcdefghij' }),
    jwks: [key.jwk],
    accepted: {
      'of an OAuth client': [user, { subject: USER, clientId: CLIENT, scopes: [], claims: { user_role: 'trader' } }],
    },
    refused: {
      'of a session of the app': session,
      'of an OAuth client, without the hook': withClaims(user, { aud: 'authenticated' }),
      'of another project': withClaims(user, { iss: 'https://other.supabase.co/auth/v1' }),
    },
    idToken: { header, key, payload: { ...base, aud: CLIENT, email: 'ann@shop.example', auth_time: times().iat } },
  }
}

export function clerk(): Provider {
  const key = platformKey('ins_2GIoQhbUpy0hX7B2cVkuTMinXoD')
  const session: Token = {
    header: { alg: 'RS256', cat: 'cl_B7d4PD111AAA', kid: key.kid, typ: 'JWT' },
    key,
    payload: {
      ...{ azp: 'https://app.example', fva: [7, -1], iss: 'https://shop-1.clerk.accounts.dev', jti: 'a1b2' },
      ...{ ...times({ nbf: times().iat }), sid: 'sess_2GbDB4enHdCa5vS1zpC3Xzg9tK9', sts: 'active' },
      ...{ sub: 'user_2GIpXOEpVyJw51rkZn9Kmnc6Sxr', v: 2, pla: 'u:free', fea: 'o:dashboard' },
      o: { id: 'org_2H3', slg: 'shop', rol: 'admin', per: 'read', fpm: '3' },
    },
  }
  return {
    name: 'Clerk, session tokens',
    settings: readDocumented('Clerk', { SUBDOMAIN: 'shop-1' }),
    jwks: [key.jwk],
    accepted: {
      'of a session': [
        session,
        {
          subject: 'user_2GIpXOEpVyJw51rkZn9Kmnc6Sxr',
          clientId: 'https://app.example',
          scopes: [],
          claims: { tenant: 'org_2H3', role: 'admin' },
        },
      ],
    },
    refused: {
      'of another origin': withClaims(session, { azp: 'https://evil.example' }),
      'without an origin': withClaims(session, { azp: undefined }),
      'of another instance': withClaims(session, { iss: 'https://other-1.clerk.accounts.dev' }),
      'of a template for another service': withClaims(session, { aud: 'https://other.example' }),
    },
  }
}
