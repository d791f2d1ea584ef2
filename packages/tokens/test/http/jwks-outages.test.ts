// The keys of an issuer that is down, slow, or answers with something else.
import t from 'tap'
import { type Issuer, keyIssuers } from '../../../../test/support/auth/forge.ts'
import { HOUR, MIN, rack, S, setOf } from '../../../../test/support/auth/jwks-rack.ts'
import { type Answer, jwksServer, keys } from '../../../../test/support/auth/jwks-server.ts'
import { until } from '../../../../test/support/security/hostile.ts'
import { MAX_WAITING_TOKENS } from '../../src/jwks.ts'

const [rs, , es] = keyIssuers() as [Issuer, Issuer, Issuer]

const mebibyte = Buffer.alloc(2 ** 20, ' ')
const OUTAGES: Record<string, Answer> = {
  'HTTP 500': response => response.writeHead(500).end('{"keys":[]}'),
  'HTTP 204': response => response.writeHead(204).end(),
  'a closed connection': response => response.destroy(),
  HTML: response => response.setHeader('content-type', 'text/html').end('<html>sign in</html>'),
  'JSON that is no set': response => response.end('[]'),
  'a set of no objects': response => response.end('{"keys":[1,null]}'),
  'a redirect': response => response.writeHead(302, { location: 'http://127.0.0.1:1/jwks' }).end(),
  'a body of 50 MB': response => {
    let sent = 0
    const more = () => {
      while (sent++ < 50) if (!response.write(mebibyte)) return void response.once('drain', more)
      response.end()
    }
    more()
  },
}

for (const [name, outage] of Object.entries(OUTAGES)) {
  t.test(`B27: ${name}: the keys that are known live on for a day`, async t => {
    const { server, log, known, pass, has, isUnknown, clock } = await rack(t, setOf(rs))
    server.answer = outage

    await pass(4 * MIN)
    await until(() => log.lines.length > 0, 'the outage was logged')
    t.match(log.lines[0], { level: 'warn', fields: { url: server.url } })
    t.ok(await has(rs))
    clock.nowMs += 23 * HOUR
    t.ok(await has(rs))
    clock.nowMs += HOUR
    t.ok(await isUnknown(rs), 'a day, and no longer')
    t.match(known.problem, /\w/)
    server.answer = setOf(rs)
    clock.nowMs += 2 * MIN
    t.ok(await has(rs), 'they came back')
    t.equal(known.problem, undefined)
  })
}

t.test('B27: a redirect is not followed, wherever it leads', async t => {
  const elsewhere = await jwksServer(setOf(rs, es))
  t.teardown(() => elsewhere.close())
  const { server, has, isUnknown, log, clock } = await rack(t, setOf(rs))

  for (const status of [301, 302, 303, 307, 308]) {
    clock.nowMs += MIN
    server.answer = response => response.writeHead(status, { location: elsewhere.url }).end()
    t.ok(await isUnknown(es), String(status))
  }

  await until(() => log.lines.length > 0, 'it was logged')
  t.equal(elsewhere.fetches, 0)
  t.ok(await has(rs))
})

t.test('B27: while the set is slow a token of an unknown key waits two seconds, and is not called wrong', async t => {
  const { server, isUnknown, known } = await rack(t, setOf(rs))
  server.answer = () => {}

  const all = [0, 1, 2, 3, 4].map(at => isUnknown({ alg: 'RS256', kid: `unknown ${at}` }))

  t.strictSame(await Promise.all(all), [true, true, true, true, true])
  t.notOk(known.find({ alg: 'RS256', kid: 'rs', typ: undefined }) instanceof Promise)
  t.equal(server.fetches, 2, 'one fetch for all of them')
})

t.test('B27: tokens of a new key wait for the fetch that is under way', async t => {
  const { server, has } = await rack(t, setOf(rs))
  let answer = () => {}
  server.answer = response => void (answer = () => setOf(rs, es)(response))
  const looks = [has(es), has(es), has(es)]
  await until(() => server.fetches === 2, 'it was fetched')

  answer()

  t.strictSame(await Promise.all(looks), [true, true, true])
})

t.test('B27: only so many tokens wait', async t => {
  const { server, known, isUnknown } = await rack(t, setOf(rs))
  server.answer = () => {}
  const unknown = { alg: 'RS256', kid: 'unknown', typ: undefined }
  const waiting = Array.from({ length: MAX_WAITING_TOKENS }, () => known.find(unknown))

  t.throws(() => known.find(unknown), { message: /cannot be verified now/ }, 'at once')
  await t.rejects(Promise.all(waiting), { message: /cannot be verified now/ })
  t.ok(await isUnknown(unknown))
})

t.test('B27: a set that cannot be had at the start does not stop it, and is there within half a minute', async t => {
  const { server, pass, has, isUnknown, known, log } = await rack(t, response => response.destroy())
  t.ok(await isUnknown(rs))
  t.ok(await isUnknown(rs), 'also without a fetch of its own')
  t.notOk(known.isReady)
  server.answer = setOf(rs)

  await pass(30 * S)

  t.ok(await has(rs))
  t.ok(known.isReady)
  t.notOk(await has({ alg: 'RS256', kid: 'unknown' }), 'what was fetched and is not there')
  t.match(log.lines.at(-1), { level: 'info', fields: { url: server.url } })
})

for (const [what, empty] of [
  ['that is empty', setOf()],
  ['of shared secrets alone', keys({ kty: 'oct', k: 'AAAA', kid: 'rs' })],
] as const) {
  t.test(`B27: a set ${what}: not ready, the reason is named, and keys are there soon`, async t => {
    const { server, pass, has, known, log } = await rack(t, empty)
    t.notOk(await has(rs), 'it was fetched, and is not there')
    t.notOk(known.isReady)
    t.match(known.problem, /no key/)
    t.match(log.lines.at(-1), { level: 'warn', fields: { url: server.url, reason: /no key/ } })
    server.answer = setOf(rs)

    await pass(30 * S)

    t.ok(await has(rs))
    t.ok(known.isReady)
  })
}

t.test('B27: a set that becomes empty trusts no key any more, and says so', async t => {
  const { server, pass, has, known, removed } = await rack(t, setOf(rs))
  server.answer = setOf()

  await pass(4 * MIN)

  t.notOk(await has(rs))
  t.equal(removed.times, 1)
  t.match(known.problem, /no key/)
})

t.test('the reason of a fetch that fails names the cause', async t => {
  const { server, known, pass, log } = await rack(t, setOf(rs))
  const { url } = server
  await server.close()

  await pass(4 * MIN)

  t.match(known.problem, /ECONNREFUSED/)
  t.match(log.lines, [{ level: 'warn', fields: { url, reason: /ECONNREFUSED/ } }], 'once')
})
