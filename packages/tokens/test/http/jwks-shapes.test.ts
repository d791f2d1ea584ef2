// Which keys of an issuer are used, by what they say of themselves: with `alg` and without, with `kid` and without.
import t from 'tap'
import { bareIssuers, type Issuer, keyIssuers, RSA_ALGORITHMS } from '../../../../test/support/auth/forge.ts'
import { ISSUERS } from '../../../../test/support/auth/issuers.ts'
import { MIN, rack, setOf } from '../../../../test/support/auth/jwks-rack.ts'
import { keys } from '../../../../test/support/auth/jwks-server.ts'
import { isKeyOfIssuer } from '../../src/keys.ts'

const [rs, , es, ed] = keyIssuers() as [Issuer, Issuer, Issuer, Issuer]
const bare = bareIssuers()
const [bareRs] = bare as [Issuer]

const EVERY = [...RSA_ALGORITHMS, 'ES256', 'ES384', 'ES512', 'ES256K', 'EdDSA', 'Ed25519', 'HS256', 'HS384', 'HS512']
const ODD = ['none', '__proto__', 'constructor', '', 'rs256', 'RS1', 'RSA-OAEP']

for (const [name, publish] of Object.entries(ISSUERS)) {
  t.test(`the keys of ${name} are used as it publishes them`, async t => {
    const { jwks, signers, others } = publish()
    const { has, log, pass } = await rack(t, keys(...jwks))

    for (const signer of signers) t.ok(await has(signer), String(signer.kid))
    for (const kid of others) for (const alg of EVERY) t.notOk(await has({ alg, kid }), `${kid} as ${alg}`)
    await pass(30 * MIN)

    t.match(
      log.lines,
      others.map(kid => ({ level: 'info', fields: { ignored: [{ kid, reason: 'its use is enc, not sig' }] } })),
    )
    t.equal(log.lines.length, others.length, 'said once')
  })
}

t.test('B29: a key without alg is used with the algorithms of its type, and never with an HMAC', async t => {
  const { has, log } = await rack(t, setOf(...bare))

  for (const issuer of bare) {
    const kinds = [RSA_ALGORITHMS, ['EdDSA', 'Ed25519'], [issuer.alg]]
    const own = kinds.find(algorithms => algorithms.includes(issuer.alg))!
    for (const alg of [...EVERY, ...ODD])
      t.equal(await has({ alg, kid: issuer.kid }), own.includes(alg), `${issuer.kid} as ${alg}`)
  }
  t.strictSame(log.lines, [], 'nothing is ignored')
})

t.test('a key with alg is used with that one only, whichever of its type it is', async t => {
  const jwks = RSA_ALGORITHMS.map(alg => ({ ...bareRs.jwk, alg, kid: alg }))
  const { has } = await rack(t, keys(...jwks))

  for (const kid of RSA_ALGORITHMS)
    for (const alg of EVERY) t.equal(await has({ alg, kid }), alg === kid, `${kid} ${alg}`)
})

t.test('JWT_ALGORITHMS: no key signs with another, and a key that can do none of them is not used', async t => {
  const { known, log, server } = await rack(t, setOf(...bare), { algorithms: ['PS256', 'ES256'] })
  const may = async (issuer: Issuer, alg: string) =>
    (await known.find({ alg, kid: issuer.kid, typ: undefined })) !== undefined

  for (const issuer of bare)
    for (const alg of [...EVERY, ...ODD]) {
      const isAllowed =
        (alg === 'PS256' && RSA_ALGORITHMS.includes(issuer.alg)) || (alg === 'ES256' && issuer.alg === alg)
      t.equal(await may(issuer, alg), isAllowed, `${issuer.kid} as ${alg}`)
    }
  const unused = bare.filter(({ alg }) => !RSA_ALGORITHMS.includes(alg) && alg !== 'ES256')
  t.match(log.lines, [{ fields: { ignored: unused.map(() => ({ reason: 'JWT_ALGORITHMS has no algorithm of it' })) } }])
  const { fetches } = server
  await may({ ...bareRs, kid: 'new' }, 'RS256')
  t.equal(server.fetches, fetches, 'a token of another algorithm fetches no keys')
})

t.test('a key of one issuer signs for no other; one of all tenants for each, by its GUID', async t => {
  const [TENANT, CONSUMERS] = ['9122040d-6c67-4c5b-b112-36a304b66dad', '9188040d-6c67-4c5b-b112-36a304b66dad']
  const url = (tenant: string) => `https://login.microsoftonline.com/${tenant}/v2.0`
  const publish = (issuer: unknown, kid: string) => ({ ...bareRs.jwk, kid, issuer })
  const { known, log } = await rack(
    t,
    keys(
      publish(url('{tenantid}'), 'all'),
      publish(url(CONSUMERS), 'consumers'),
      publish(undefined, 'none'),
      publish(7, 'odd'),
    ),
  )
  const may = async (kid: string, iss: string | undefined) =>
    isKeyOfIssuer((await known.find({ alg: 'RS256', kid, typ: undefined }))!, iss)

  t.ok(await may('all', url(TENANT)))
  t.ok(await may('consumers', url(CONSUMERS)))
  for (const iss of [url(TENANT), undefined, 'https://as.example']) t.ok(await may('none', iss))
  t.notOk(await may('consumers', url(TENANT)), 'else a key of consumers could sign for a tenant')
  for (const iss of [
    url('{tenantid}x'),
    url('x'),
    url(`x/${TENANT}`),
    `${url(TENANT)}/`,
    'https://as.example',
    undefined,
  ])
    t.notOk(await may('all', iss), String(iss))
  t.match(log.lines, [{ fields: { ignored: [{ kid: 'odd', reason: 'its issuer must be a string' }] } }])
})

t.test('a key that says its algorithm from now on is verified anew', async t => {
  const { server, removed, pass, has } = await rack(t, setOf(bareRs))
  const generation = removed.times
  server.answer = keys({ ...bareRs.jwk, alg: 'PS256' })

  await pass(4 * MIN)

  t.ok(removed.times > generation)
  t.notOk(await has(bareRs))
  t.ok(await has({ alg: 'PS256', kid: bareRs.kid }))
})

const withoutId = ({ jwk }: Issuer) => ({ ...jwk, kid: undefined })

const SETS: Readonly<Record<string, { single: object[]; several: object[] }>> = {
  'with ids': { single: [rs.jwk!, es.jwk!, ed.jwk!], several: [rs.jwk!, bareRs.jwk!] },
  'without ids': { single: [rs, es, ed].map(withoutId), several: [withoutId(rs), withoutId(bareRs)] },
  'with ids and without': { single: [bareRs.jwk!, withoutId(es)], several: [rs.jwk!, withoutId(bareRs)] },
}

for (const [what, { single, several }] of Object.entries(SETS)) {
  t.test(`a token without kid is signed with the only key that has its algorithm, of keys ${what}`, async t => {
    const { has, server } = await rack(t, keys(...single))

    for (const alg of ['RS256', 'ES256']) t.ok(await has({ alg, kid: undefined }), alg)
    t.notOk(await has({ alg: 'HS256', kid: undefined }))
    t.equal(server.fetches, 1)
  })

  t.test(`a token without kid is refused where several could be meant, of keys ${what}, and says so`, async t => {
    const { known, server } = await rack(t, keys(...several))

    const find = async () => known.find({ alg: 'RS256', kid: undefined, typ: undefined })

    await t.rejects(find(), { name: 'TokenError', message: /names no key \(kid\)/ })
    t.equal(server.fetches, 1, 'another fetch would not help')
  })
}

t.test('a token that names a key is not signed with one that has no name', async t => {
  const { has, server } = await rack(t, keys(withoutId(rs)))

  t.notOk(await has(rs))
  t.equal(server.fetches, 2, 'it may be new')
  t.ok(await has({ alg: 'RS256', kid: undefined }))
})

t.test('keys that are not used are named once for each change, not at each fetch', async t => {
  const enc = { ...bareRs.jwk, kid: 'enc', use: 'enc' }
  const { log, pass, server } = await rack(t, keys(rs.jwk, enc))
  await pass(20 * MIN)
  t.equal(log.lines.length, 1)

  server.answer = keys(rs.jwk, enc, { kty: 'oct', kid: 'shared', k: 'AAAA' })
  await pass(20 * MIN)
  t.equal(log.lines.length, 2)
  t.match(log.lines[1], {
    level: 'warn',
    fields: {
      url: server.url,
      used: 1,
      ignored: [
        { kid: 'enc', kty: 'RSA', reason: 'its use is enc, not sig' },
        { kid: 'shared', kty: 'oct', reason: 'it is a shared secret (oct)' },
      ],
    },
  })

  server.answer = keys(rs.jwk)
  await pass(20 * MIN)
  t.equal(log.lines.length, 2, 'that all are used is no news')
  server.answer = keys(enc)
  await pass(4 * MIN)
  t.match(log.lines[2], { level: 'warn', fields: { used: 0 } }, 'none is left')
})

t.test('what is said of keys that are not used is bounded, on one line, and has no secret', async t => {
  const odd = [
    { kty: 'oct', kid: `a\nb\u2028${'x'.repeat(5000)}`, k: 'c2VjcmV0' },
    { kty: { toString: 1 }, kid: ['x'.repeat(5000)] },
    { kty: 'RSA', kid: 'Bearer abcdefghijkl', alg: 'y'.repeat(5000) },
  ]
  const many = Array.from({ length: 500 }, (_, at) => ({ kty: 'oct', kid: String(at) }))
  const { log } = await rack(t, keys(rs.jwk, ...odd, ...many))

  t.equal(log.lines.length, 1)
  const { ignored, more } = log.lines[0]!.fields as { ignored: Record<string, string>[]; more: number }
  t.equal(ignored.length, 20)
  t.equal(more, 483)
  t.ok(JSON.stringify(log.lines).length < 5000)
  t.notMatch(JSON.stringify(log.lines), /\\n|\u2028|c2VjcmV0/)
  t.strictSame(ignored[1], { kid: 'of type object', kty: 'of type object', reason: 'its kid must be a string' })
})
