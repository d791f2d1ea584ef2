// A server with several issuers, one of which is asked about opaque tokens: each signs for itself,
// and the rules of one let in nothing of another.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { build } from '../app.ts'
import { recorder } from '../security/probe.ts'
import type { Target } from './attack-tokens.ts'
import { AUDIENCE, ISSUER, type Issuer, keyIssuers } from './forge.ts'
import { bearers, type Forgery } from './forged.ts'
import { type IssuerServer, issuerServer, publish, sendJson } from './issuer-server.ts'

export interface IssuersTarget extends Target {
  readonly forgeries: readonly Forgery[]
  /** What the issuer of opaque tokens was shown that is a token of another. */
  readonly shown: () => number
}

/** Named as its issuer, and for its audience. */
const at = (issuer: Issuer, iss: string, aud = AUDIENCE): Issuer => ({
  ...issuer,
  token: (payload = {}, header) =>
    issuer.token(typeof payload === 'string' || Array.isArray(payload) ? payload : { iss, aud, ...payload }, header),
})

export async function issuersTarget(t: Test): Promise<IssuersTarget> {
  const { tool, received } = recorder()
  const server = await issuerServer(t)
  const [rs, , es, ed] = keyIssuers('of-issuers-') as [Issuer, Issuer, Issuer, Issuer]
  const [a, b] = [publish(server, [rs], '/a'), publish(server, [es], '/b')]
  const c = `${server.origin}/c`
  const folder = mkdtempSync(join(tmpdir(), 'issuers-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const [secret, issuersFile] = [join(folder, 'secret'), join(folder, 'issuers.json')]
  writeFileSync(secret, 'the secret of this server')
  const introspection = { url: `${c}/introspect`, clientId: 'x', clientSecretFile: secret, tokenPrefix: 'opaque-' }
  const issuers = [
    { issuer: a, audience: 'for-a' },
    { issuer: b, requiredClaims: 'org=acme' },
    { issuer: c, introspection },
  ]
  writeFileSync(issuersFile, JSON.stringify({ issuers }))
  server.paths['/c/introspect'] = ({ body }, response) =>
    sendJson(response, 200, { active: body.includes('opaque-good') })
  const app = await build(t, { tools: [tool], rateLimit: { max: 1_000_000 }, issuersFile })
  const [ofA, ofB] = [at(rs, a, 'for-a'), at(es, b)]
  const withOrg: Issuer = {
    ...ofB,
    token: (payload = {}, header) =>
      ofB.token(typeof payload === 'string' || Array.isArray(payload) ? payload : { org: 'acme', ...payload }, header),
  }
  const target = { app, received, trusted: [ofA, withOrg] }
  return { ...target, forgeries: listForgeries({ rs, es, ed, a, b, c, server }), shown: () => countForeign(server) }
}

interface Parts {
  readonly rs: Issuer
  readonly es: Issuer
  readonly ed: Issuer
  readonly a: string
  readonly b: string
  readonly c: string
  readonly server: IssuerServer
}

function listForgeries({ rs, es, ed, a, b, c, server }: Parts): readonly Forgery[] {
  const org = 'acme'
  const names = [a, b, c, `${a}/`, `${server.origin}`, ISSUER, [a, b], null, undefined, '', 7, { iss: a }]
  const signed = [rs, es, ed].flatMap(key =>
    names.flatMap(iss =>
      ['for-a', AUDIENCE].map(
        aud => [`${key.kid} as ${JSON.stringify(iss)} for ${aud}`, key.token({ iss, aud, org })] as const,
      ),
    ),
  )
  // The only two that are right.
  const isGood = (name: string) =>
    name === `${rs.kid} as ${JSON.stringify(a)} for for-a` ||
    name === `${es.kid} as ${JSON.stringify(b)} for ${AUDIENCE}`
  const cases = Object.fromEntries(signed.filter(([name]) => !isGood(name)))
  const unruled = ['', 'ACME', 'acme2', [], null, undefined].map(other => [
    `org ${JSON.stringify(other)}`,
    es.token({ iss: b, aud: AUDIENCE, org: other }),
  ])
  const opaque = ['opaque-bad', 'opaque-', 'opaque', 'Opaque-good', 'xopaque-good', 'a.b', 'a.b.c.d.e'].map(token => [
    token,
    token,
  ])
  return [
    ...bearers('B12', 'several issuers', cases),
    ...bearers('B14', 'several issuers', Object.fromEntries(unruled)),
    ...bearers('B4', 'several issuers', Object.fromEntries(opaque)),
  ]
}

/** Signed tokens of others that the issuer of opaque tokens was asked about. */
const countForeign = ({ asked, origin }: IssuerServer): number =>
  asked.filter(({ path, body }) => {
    const token = new URLSearchParams(body).get('token') ?? ''
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
    return path === '/c/introspect' && payload.includes('"iss"') && !payload.includes(`"iss":"${origin}/c"`)
  }).length
