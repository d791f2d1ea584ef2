// Pods and other workloads of clusters. Shapes: kubernetes.io, "Managing Service Accounts" (schema of
// service account private claims), as EKS issues them; SPIFFE, "The JWT SPIFFE Verifiable Identity
// Document" and "SPIFFE Trust Domain and Bundle", as SPIRE writes them (pkg/server/credtemplate).
import {
  chain,
  type Provider,
  publish,
  publishEc,
  RESOURCE,
  readDocumented,
  readDocumentedEntry,
  type Token,
  times,
  WORKLOADS,
  withClaims,
} from './provider.ts'

const CLUSTER = '80D562ED8026E91294D52E09BEA261D4'
const EKS = 'https://oidc.eks.eu-central-1.amazonaws.com/id'

export function kubernetes(): Provider {
  const key = publish('c7c9f0c1b5a2', () => ({ use: 'sig', alg: 'RS256' }))
  const pod: Token = {
    header: { alg: 'RS256', kid: key.kid },
    key,
    payload: {
      ...{ aud: [RESOURCE], iss: `${EKS}/${CLUSTER}`, jti: '7ff720a1', ...times({ nbf: times().iat }) },
      'kubernetes.io': {
        namespace: 'agents',
        node: { name: 'worker-1', uid: '3f1c' },
        pod: { name: 'web-6f8', uid: '0d64402f-5c87-469c-b441-8bd332b1bd07' },
        serviceaccount: { name: 'web', uid: '8145a6d5-4932-48e9-86b5-7c33eb9d6ad1' },
      },
      sub: 'system:serviceaccount:agents:web',
    },
  }
  return {
    name: 'Kubernetes',
    settings: readDocumented('Kubernetes', { REGION: 'eu-central-1', CLUSTER_ID: CLUSTER }, [0], WORKLOADS),
    jwks: [key.jwk],
    accepted: {
      'of a pod': [
        pod,
        {
          subject: 'system:serviceaccount:agents:web',
          scopes: [],
          claims: { namespace: 'agents', account: 'web' },
        },
      ],
    },
    refused: {
      'of another namespace': withClaims(pod, { sub: 'system:serviceaccount:default:web' }),
      'of another cluster': withClaims(pod, { iss: `${EKS}/11111111111111111111111111111111` }),
      'for the API of the cluster': withClaims(pod, { aud: ['https://kubernetes.default.svc'] }),
      'for AWS': withClaims(pod, { aud: ['sts.amazonaws.com'] }),
      'of a secret, that never ends': withClaims(pod, { exp: undefined, aud: undefined }),
    },
  }
}

export function spiffe(): Provider {
  const [root, key, rsa] = [
    publish('', key => ({ kid: undefined, use: 'x509-svid', x5c: chain(key) })),
    publishEc('3SXHHuzSDA5BtUXBg0bXDxT3jGmQM9QV', { use: 'jwt-svid' }),
    publish('C6vs25welZOx6WksNYfbMfiw9l96pMnD', () => ({ use: 'jwt-svid' })),
  ]
  const svid: Token = {
    header: { alg: 'ES256', kid: key.kid, typ: 'JWT' },
    key,
    payload: { aud: [RESOURCE], ...times(), sub: 'spiffe://acme.example/ns/agents/sa/web' },
  }
  const expected = { subject: 'spiffe://acme.example/ns/agents/sa/web', scopes: [], issuer: 'spiffe://acme.example' }
  return {
    name: 'SPIFFE',
    entry: readDocumentedEntry('SPIFFE', { TRUST_DOMAIN: 'acme.example', SPIRE_HOST: 'spire.acme.example' }, WORKLOADS),
    jwks: [root.jwk, key.jwk, rsa.jwk],
    accepted: {
      'of a workload': [svid, expected],
      'of the type JOSE': [{ ...svid, header: { ...svid.header, typ: 'JOSE' } }, expected],
      'of no type': [{ ...svid, header: { alg: 'ES256', kid: key.kid } }, expected],
      'by a key for RSA': [{ ...svid, key: rsa, header: { alg: 'RS256', kid: rsa.kid, typ: 'JWT' } }, expected],
    },
    refused: {
      'of another path': withClaims(svid, { sub: 'spiffe://acme.example/ns/default/sa/web' }),
      'of another trust domain': withClaims(svid, { sub: 'spiffe://other.example/ns/agents/sa/web' }),
      'of another trust domain, that says it is ours': withClaims(svid, {
        iss: 'spiffe://acme.example',
        sub: 'spiffe://other.example/ns/agents/sa/web',
      }),
      'of a trust domain whose name begins like ours': withClaims(svid, {
        sub: 'spiffe://acme.example.evil/ns/agents/sa/web',
      }),
      'with an issuer that is not trusted': withClaims(svid, { iss: 'https://oidc.acme.example' }),
      'for another service': withClaims(svid, { aud: ['spiffe://acme.example/reports'] }),
      'without an audience': withClaims(svid, { aud: undefined }),
      'bound to a key (WIT-SVID)': withClaims(svid, { cnf: { jwk: {} } }),
      'by the key of certificates': { ...svid, key: root, header: { alg: 'RS256', typ: 'JWT' } },
    },
  }
}
