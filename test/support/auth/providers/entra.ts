// Microsoft Entra. Shapes: learn.microsoft.com/entra/identity-platform,
// access-token-claims-reference, access-tokens ("Token formats"), id-token-claims-reference.
import { chain, type Provider, publish, readDocumented, type Token, thumbprint, times } from './provider.ts'

const TENANT = 'fa15d692-e9c7-4460-a743-29f29522229a'
const OTHER_TENANT = '72f988bf-86f1-41af-91ab-2d7cd011db47'
const CONSUMERS = '9188040d-6c67-4c5b-b112-36a304b66dad'
const API = '6e74172b-be56-4843-9ff4-e66a39bb12e3'
const CLIENT = '75dbe77f-10a3-4e59-85fd-8c127544f17c'
const GRAPH = '00000003-0000-0000-c000-000000000000'
const USER = '690222be-ff1a-4d56-abd1-7e4f7d38e474'
const APPLICATION = '0a7f1e2c-4c57-4bb2-9e0c-3a3a2b9f7d10'
const VALUES = { TENANT_ID: TENANT, API_CLIENT_ID: API, TENANT_A: TENANT, TENANT_B: OTHER_TENANT }

const v2 = (tenant: string) => `https://login.microsoftonline.com/${tenant}/v2.0`
const v1 = (tenant: string) => `https://sts.windows.net/${tenant}/`

/** Without `alg`; keys of the endpoint for version 1.0 have no `issuer`. */
const entraKey = (name: string, issuer?: string) =>
  publish(thumbprint(name), key => ({
    use: 'sig',
    x5t: thumbprint(name),
    x5c: chain(key),
    cloud_instance_name: 'microsoftonline.com',
    ...(issuer && { issuer }),
  }))

const opaque = { aio: 'AXQAi/8IAAAAtAaZLo3ChMif6KOnttRB7eBq4', rh: '0.AX0AktYV', uti: 'fqiBqXLPj0eQa82S-IYFAA' }

function tokensOf2(key: Token['key'], tenant: string) {
  const header = { typ: 'JWT', alg: 'RS256', kid: key.kid }
  const base = { iss: v2(tenant), ...times({ nbf: times().iat }), ...opaque, tid: tenant, ver: '2.0' }
  const person = { name: 'Abe Lincoln', oid: USER, preferred_username: 'abeli@example.com' }
  const user: Token = {
    header,
    key,
    payload: {
      ...{ aud: API, ...base, azp: CLIENT, azpacr: '0', ...person },
      ...{ roles: ['prices.admin', 'Price Reader'], scp: 'prices.read prices.write', sub: 'HKZpfaHyWadeOouYlitjrI' },
    },
  }
  const application: Token = {
    header,
    key,
    payload: {
      aud: API,
      ...base,
      azp: CLIENT,
      azpacr: '1',
      oid: APPLICATION,
      roles: ['prices.admin'],
      sub: APPLICATION,
    },
  }
  // Of the token endpoint: no at_hash, and a nonce only if the client sent one.
  const id: Token = {
    header,
    key,
    payload: { aud: API, ...base, ...person, roles: ['prices.admin'], sub: 'HKZpfaHyWadeOouYlitjrI' },
  }
  return { user, application, id }
}

export function entra2(): Provider {
  const [key, next] = [entraKey('first', v2(TENANT)), entraKey('second', v2(TENANT))]
  const { user, application, id } = tokensOf2(key, TENANT)
  const other = tokensOf2(key, OTHER_TENANT)
  const expected = { clientId: CLIENT, claims: { tenant: TENANT, user: USER } }
  return {
    name: 'Microsoft Entra, tokens of version 2.0',
    settings: readDocumented('Microsoft Entra', VALUES),
    jwks: [key.jwk, next.jwk],
    accepted: {
      'of a user': [
        user,
        {
          ...expected,
          subject: 'HKZpfaHyWadeOouYlitjrI',
          scopes: ['prices.read', 'prices.write', 'role:prices.admin'],
        },
      ],
      'of an application': [
        application,
        {
          ...expected,
          subject: APPLICATION,
          scopes: ['role:prices.admin'],
          claims: { tenant: TENANT, user: APPLICATION },
        },
      ],
      'of any app of the tenant, which has no role': [
        { ...application, payload: { ...application.payload, roles: undefined } },
        { ...expected, subject: APPLICATION, scopes: [], claims: { tenant: TENANT, user: APPLICATION } },
      ],
      'of the API for itself': [
        { ...application, payload: { ...application.payload, azp: API } },
        {
          subject: APPLICATION,
          clientId: API,
          scopes: ['role:prices.admin'],
          claims: { tenant: TENANT, user: APPLICATION },
        },
      ],
      'by the next key': [
        { ...user, key: next, header: { ...user.header, kid: next.kid } },
        {
          ...expected,
          subject: 'HKZpfaHyWadeOouYlitjrI',
          scopes: ['prices.read', 'prices.write', 'role:prices.admin'],
        },
      ],
    },
    refused: {
      'for Microsoft Graph': { ...user, payload: { ...user.payload, aud: GRAPH } },
      'for another API': { ...user, payload: { ...user.payload, aud: CLIENT } },
      'of another tenant': other.user,
      'of another tenant, that says it is ours': { ...other.user, payload: { ...other.user.payload, tid: TENANT } },
      'of version 1.0': { ...user, payload: { ...user.payload, iss: v1(TENANT), ver: '1.0' } },
    },
    idToken: id,
  }
}

export function entra1(): Provider {
  const key = entraKey('first')
  const header = { typ: 'JWT', alg: 'RS256', x5t: key.kid, kid: key.kid }
  const base = { iss: v1(TENANT), ...times({ nbf: times().iat }), ...opaque, tid: TENANT, ver: '1.0' }
  const person = {
    ...{ acr: '1', amr: ['pwd'], family_name: 'Lincoln', given_name: 'Abe', ipaddr: '222.222.222.22', name: 'abeli' },
    ...{ oid: USER, unique_name: 'abeli@example.com' },
  }
  const user: Token = {
    header,
    key,
    payload: {
      ...{ aud: `api://${API}`, ...base, ...person, appid: CLIENT, appidacr: '0', scp: 'prices.read' },
      sub: 'l3_roISQU222bULS9yi2k0XpqpOiMz5H3ZACo1GeXA',
    },
  }
  const application: Token = {
    header,
    key,
    payload: {
      ...{ aud: API, ...base, appid: CLIENT, appidacr: '1', idp: v1(TENANT), oid: APPLICATION },
      ...{ roles: ['prices.admin'], sub: APPLICATION },
    },
  }
  return {
    name: 'Microsoft Entra, tokens of version 1.0',
    settings: readDocumented('Microsoft Entra', VALUES, [0, 1]),
    jwks: [key.jwk],
    accepted: {
      'of a user': [
        user,
        {
          subject: 'l3_roISQU222bULS9yi2k0XpqpOiMz5H3ZACo1GeXA',
          clientId: CLIENT,
          scopes: ['prices.read'],
          claims: { tenant: TENANT, user: USER },
        },
      ],
      'of an application, asked for by the GUID': [
        application,
        {
          subject: APPLICATION,
          clientId: CLIENT,
          scopes: ['role:prices.admin'],
          claims: { tenant: TENANT, user: APPLICATION },
        },
      ],
    },
    refused: {
      'for Microsoft Graph': { ...user, payload: { ...user.payload, aud: 'https://graph.microsoft.com' } },
      'for another API': { ...user, payload: { ...user.payload, aud: `api://${CLIENT}` } },
      'of another tenant': { ...user, payload: { ...user.payload, iss: v1(OTHER_TENANT), tid: OTHER_TENANT } },
      'of version 2.0': { ...user, payload: { ...user.payload, iss: v2(TENANT), ver: '2.0' } },
    },
    idToken: {
      header,
      key,
      payload: { aud: API, ...base, ...person, roles: ['prices.admin'], sub: 'l3_roISQU222bULS9yi2k0XpqpOiMz5H3' },
    },
  }
}

/** Two tenants by the keys that serve all, beside the keys of personal accounts. */
export function entraTenants(): Provider {
  const [key, consumers] = [entraKey('all', v2('{tenantid}')), entraKey('consumers', v2(CONSUMERS))]
  const [ours, theirs] = [tokensOf2(key, TENANT), tokensOf2(key, OTHER_TENANT)]
  const expected = (tenant: string) => ({
    subject: 'HKZpfaHyWadeOouYlitjrI',
    clientId: CLIENT,
    scopes: ['prices.read', 'prices.write', 'role:prices.admin'],
    claims: { tenant, user: USER },
  })
  return {
    name: 'Microsoft Entra, several tenants',
    settings: { ...readDocumented('Microsoft Entra', VALUES), ...readDocumented('Microsoft Entra', VALUES, [2]) },
    jwks: [key.jwk, consumers.jwk],
    accepted: { 'of one tenant': [ours.user, expected(TENANT)], 'of the other': [theirs.user, expected(OTHER_TENANT)] },
    refused: {
      'of a third tenant': tokensOf2(key, '11111111-2222-3333-4444-555555555555').user,
      'of personal accounts': tokensOf2(consumers, CONSUMERS).user,
      'of a tenant, by a key of personal accounts': tokensOf2(consumers, TENANT).user,
    },
    idToken: ours.id,
  }
}
