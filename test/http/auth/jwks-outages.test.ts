// The keys of an issuer that is down, slow, or answers with something else.
import t from 'tap'
import { type Issuer, keyIssuers } from '../../support/auth/forge.ts'
import { HOUR, MIN, rack, setOf } from '../../support/auth/jwks-rack.ts'
import { type Answer, jwksServer } from '../../support/auth/jwks-server.ts'
import { until } from '../../support/security/hostile.ts'

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
    const { server, log, pass, has, clock } = await rack(t, setOf(rs))
    server.answer = outage

    await pass(4 * MIN)
    await until(() => log.lines.length > 0, 'the outage was logged')
    t.match(log.lines[0], { level: 'warn', fields: { url: server.url } })
    t.ok(await has(rs))
    clock.nowMs += 23 * HOUR
    t.ok(await has(rs))
    clock.nowMs += HOUR
    t.notOk(await has(rs), 'a day, and no longer')
    server.answer = setOf(rs)
    clock.nowMs += 2 * MIN
    // One token waits for 80 ms, and a busy machine may need longer.
    await until(() => has(rs), 'they came back')
  })
}

t.test('B27: a redirect is not followed, wherever it leads', async t => {
  const elsewhere = await jwksServer(setOf(rs, es))
  t.teardown(() => elsewhere.close())
  const { server, has, log, clock } = await rack(t, setOf(rs))

  for (const status of [301, 302, 303, 307, 308]) {
    clock.nowMs += MIN
    server.answer = response => response.writeHead(status, { location: elsewhere.url }).end()
    t.notOk(await has(es), String(status))
  }

  await until(() => log.lines.length > 0, 'it was logged')
  t.equal(elsewhere.fetches, 0)
  t.ok(await has(rs))
})

t.test('B27: while the set is slow an unknown key is answered soon, and known ones at once', async t => {
  const { server, has, known } = await rack(t, setOf(rs))
  server.answer = () => {}
  const tookMs: number[] = []
  for (let at = 0; at < 5; at++) {
    const startedMs = performance.now()
    t.notOk(await has({ alg: 'RS256', kid: `unknown ${at}` }))
    tookMs.push(performance.now() - startedMs)
  }

  // It waits for 80 ms; a fetch is given up after 5 s.
  t.ok(Math.min(...tookMs) < 1000, `${tookMs}`)
  t.notOk(known.find({ alg: 'RS256', kid: 'rs', typ: undefined }) instanceof Promise)
  t.equal(server.fetches, 2, 'one fetch for all of them')
})

t.test('B27: a set that cannot be had at the start does not stop it, and is used when it is there', async t => {
  const { server, clock, has, settled } = await rack(t, response => response.destroy())
  t.notOk(await has(rs))
  await settled()
  server.answer = setOf(rs)

  clock.nowMs += MIN

  await until(() => has(rs), 'it was used')
  t.equal(server.fetches, 3)
})
