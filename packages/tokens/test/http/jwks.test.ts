// The keys of an issuer: which are used, when they are fetched, and how often.
import t from 'tap'
import { type Issuer, keyIssuers, unusableIssuers } from '../../../../test/support/auth/forge.ts'
import { HOUR, MIN, rack, S, setOf } from '../../../../test/support/auth/jwks-rack.ts'
import { keys } from '../../../../test/support/auth/jwks-server.ts'
import { until } from '../../../../test/support/security/hostile.ts'

const [rs, ps, es, ed] = keyIssuers() as [Issuer, Issuer, Issuer, Issuer]

t.test('keys that name their algorithm are found by id and that one, without another fetch', async t => {
  const { server, has } = await rack(t, setOf(rs, ps, es, ed))

  for (const issuer of [rs, ps, es, ed]) {
    t.ok(await has(issuer), issuer.alg)
    for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA', 'HS256', 'none', '__proto__']) {
      t.equal(await has({ alg, kid: issuer.kid }), alg === issuer.alg, `${issuer.kid} as ${alg}`)
    }
  }
  t.notOk(await has({ alg: 'HS256', kid: 'unknown' }), 'of no algorithm of ours')
  t.equal(server.fetches, 1)
})

t.test(
  'B29: a key for encryption, shared, weak, mislabelled, of another curve or with an id twice is ignored, and named once',
  async t => {
    const others = unusableIssuers()
    const { has, log } = await rack(t, setOf(rs, ...others))

    for (const { kid } of others) {
      for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA']) t.notOk(await has({ alg, kid }), `${kid} as ${alg}`)
    }
    t.ok(await has(rs), 'those beside it are used')
    t.match(log.lines, [
      { level: 'warn', fields: { used: 1, ignored: others.map(({ jwk }) => ({ kid: jwk!['kid'] })) } },
    ])
    t.notMatch(JSON.stringify(log.lines), /"(?:k|d|n|x)":|canary/, 'nothing of the keys themselves')
  },
)

t.test('B29: what is no key at all is ignored, and breaks nothing', async t => {
  const { kid: _, ...withoutId } = rs.jwk!
  const { has, log } = await rack(
    t,
    keys(
      ...[{}, { kid: 'a' }, { kid: 'b', alg: '__proto__', kty: 'RSA' }, { kid: 'c', alg: ['RS256'], kty: 'RSA' }],
      ...[
        { ...rs.jwk, kid: 7 },
        { ...withoutId, n: 'AAAA' },
        { ...rs.jwk, kid: 'd', n: 5 },
        { ...es.jwk, kid: 'e', x: 'AAAA' },
      ],
      ...[
        { ...rs.jwk, kid: 'f', use: {} },
        { ...rs.jwk, kid: 'g', key_ops: 'verify' },
        { ...rs.jwk, kid: 'h', e: 'AQ' },
      ],
      ...[{ ...rs.jwk, kid: 'i', key_ops: null }, { ...ed.jwk, kid: 'j', crv: 'X25519' }, rs.jwk],
    ),
  )

  for (const kid of 'abcdefghij') t.notOk((await has({ alg: 'RS256', kid })) || (await has({ alg: 'ES256', kid })), kid)
  t.ok(await has(rs))
  t.match(log.lines, [{ level: 'warn', fields: { used: 1 } }])
  t.equal(log.lines.length, 1)
})

t.test('B26: a new key is found with the first token of it, and all tokens that come at once wait for it', async t => {
  const { server, has, pass } = await rack(t, setOf(rs))
  let found: boolean[] = []

  // They wait for 80 ms, in which a busy machine may not come to the answer.
  for (let tries = 0; !found.every(Boolean) || tries === 0; tries++) {
    if (tries === 10) return t.fail('they never waited for it')
    server.answer = setOf(rs)
    await pass(10 * MIN)
    const before = server.fetches
    server.answer = setOf(rs, ps)
    found = await Promise.all(Array.from({ length: 50 }, () => has(ps)))
    await until(() => has(ps), 'it was fetched')
    t.equal(server.fetches - before, 1, 'once')
  }

  t.ok(await has(rs), 'the old one is still there')
})

t.test('B26: a key that is taken away is refused within five minutes, without a token of it', async t => {
  const { server, removed, pass, has } = await rack(t, setOf(rs, ps))
  const generation = removed.times
  server.answer = setOf(rs)

  await pass(3 * MIN)
  t.ok(await has(ps))
  await pass(MIN)
  t.notOk(await has(ps))
  t.ok(removed.times > generation, 'what it verified is verified again')
  t.ok(await has(rs))
})

t.test('B26: a fetch that fails is tried again soon, so that an outage prolongs nothing for long', async t => {
  const { server, pass, has } = await rack(t, setOf(rs, ps))
  await pass(3 * MIN)
  server.answer = response => response.writeHead(500).end()
  await pass(MIN)
  t.ok(await has(ps))
  server.answer = setOf(rs)

  await pass(MIN)

  t.notOk(await has(ps))
})

t.test('a key that changes under its id, or changes its algorithm, has all verified again', async t => {
  const { server, removed, pass } = await rack(t, setOf(rs))
  const generations = [removed.times]
  for (const jwk of [{ ...keyIssuers()[0]!.jwk }, { ...rs.jwk }, { ...rs.jwk, alg: 'PS256' }]) {
    server.answer = keys(jwk)
    await pass(4 * MIN)
    generations.push(removed.times)
  }

  t.strictSame(generations, [0, 1, 2, 3])
  await pass(12 * MIN)
  t.equal(removed.times, 3, 'a set that stays changes nothing')
})

t.test('B28: 50,000 unknown key ids in a minute cost two fetches, and good tokens nothing', async t => {
  const { server, clock, has, pass } = await rack(t, setOf(rs))
  await pass(MIN)
  const before = server.fetches

  for (let at = 0; at < 50_000; at++) {
    clock.nowMs += 1.2
    if (await has({ alg: 'RS256', kid: `unknown ${at}` })) t.fail('found')
    if (at % 1000 === 0) t.ok(await has(rs))
  }

  t.ok(server.fetches - before <= 2, `${server.fetches - before}`)
})

t.test('B28: fetches that tokens cause are two a minute at most, also while they fail', async t => {
  const { server, isUnknown, clock, settled } = await rack(t, setOf(rs))
  server.answer = response => response.destroy()
  const before = server.fetches

  for (let minute = 0; minute < 10; minute++) {
    for (let at = 0; at < 6; at++) {
      t.ok(await isUnknown({ alg: 'ES256', kid: `unknown ${at}` }))
      await settled()
      clock.nowMs += 10 * S
    }
  }

  t.ok(server.fetches - before <= 20, `${server.fetches - before} in ten minutes`)
})

t.test('closing ends a fetch that is under way, and begins no other', async t => {
  const { server, known, log } = await rack(t, setOf(rs))
  let isGone = false
  server.answer = response => void response.on('close', () => (isGone = true))
  const find = async (kid: string) => known.find({ alg: 'RS256', kid, typ: undefined })
  const looking = find('unknown').catch(() => undefined)
  await until(() => server.fetches === 2, 'it was fetched')

  known.close()

  await until(() => isGone, 'the fetch ended')
  t.equal(await looking, undefined)
  await t.rejects(find('other'))
  t.equal(server.fetches, 2)
  t.strictSame(log.lines, [])
})

t.test('B27: a clock that steps back keeps no key longer, and no new one away', async t => {
  const { server, clock, pass, has, removed } = await rack(t, setOf(rs))
  clock.nowMs -= 24 * HOUR
  server.answer = setOf(es)
  t.ok(await has(es), 'a token asks for it')
  server.answer = setOf(rs)
  clock.nowMs -= 24 * HOUR

  await pass(30 * S)

  t.equal(removed.times, 2)
  t.notOk(await has(es))
})
