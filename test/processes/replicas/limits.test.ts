// Limits through the proxy count all replicas together, and exactly: C1 of test/security/README.md.
import t, { type Test } from 'tap'
import { signed } from '../../support/auth/tokens.ts'
import { type Pair, pair, wasAlone } from '../../support/replicas/pair.ts'
import { openAt, textOf } from '../../support/replicas/session.ts'
import { ask, callTool } from '../../support/replicas/stateless.ts'
import { NO_REDIS } from '../../support/servers/redis-server.ts'

const MAX = 100
const BEYOND = 50

/** What two replicas make of it that reach their Redis all the while: on a busy machine with the next two, if need be. */
async function together<T>(t: Test, environment: Record<string, string>, work: (replicas: Pair) => Promise<T>) {
  for (let tries = 1; ; tries++) {
    const replicas = await pair(t, environment)
    const got = await work(replicas)
    if (!wasAlone(replicas) || tries === 5) return { got }
    await Promise.all([replicas.one.kill(), replicas.two.kill()])
  }
}

t.test('C1: of N + 50 requests at once to two replicas exactly N pass', { skip: NO_REDIS }, async t => {
  const environment = { RATE_LIMIT_MAX: String(MAX), RATE_LIMIT_WINDOW: '10 minutes' }
  const { got } = await together(t, environment, async ({ one, two, proxy }) => {
    const replies = await Promise.all(Array.from({ length: MAX + BEYOND }, () => callTool(proxy, 'where')))
    const later: number[] = []
    for (const at of [one, two, proxy]) later.push((await ask(at, 'tools/list')).status)
    return { replies, later }
  })
  const { replies, later } = got

  const passed = replies.filter(({ status }) => status === 200)
  const refused = replies.filter(({ status }) => status === 429)
  t.equal(passed.length, MAX)
  t.equal(refused.length, BEYOND)
  t.equal(new Set(passed.map(({ result }) => result.content[0].text)).size, 2)
  for (const { headers } of refused) t.ok(Number(headers['retry-after']) > 0)
  t.strictSame(later, [429, 429, 429])
})

const JWT_SECRET = 'a secret of the tests, and long enough'
const JWT_AUDIENCE = 'https://tools.example/mcp'
const member = (sub: string, tenant: string) => ({
  headers: { authorization: `Bearer ${signed(JWT_SECRET, { aud: JWT_AUDIENCE, sub, tenant })}` },
})

t.test('C1: callers of one tenant count together on both replicas', { skip: NO_REDIS }, async t => {
  const environment = {
    JWT_SECRET,
    JWT_AUDIENCE,
    JWT_CLAIMS: 'tenant',
    RATE_LIMIT_CLAIM: 'tenant',
    RATE_LIMIT_MAX: '20',
    RATE_LIMIT_WINDOW: '10 minutes',
  }
  const { got } = await together(t, environment, async ({ one, two }) => {
    const asks = Array.from({ length: 30 }, (_, turn) =>
      turn % 2 === 0
        ? ask(one, 'tools/list', {}, member('alice', 'acme'))
        : ask(two, 'tools/list', {}, member('bob', 'acme')),
    )
    const replies = await Promise.all(asks)
    const others = [await ask(one, 'tools/list', {}, member('carol', 'globex'))]
    return [replies, others].map(each => each.map(({ status }) => status))
  })
  const [members, others] = got

  t.equal(members!.filter(status => status === 200).length, 20)
  t.equal(members!.filter(status => status === 429).length, 10)
  t.strictSame(others, [200])
})

t.test('C1: the calls of one tool, too, in both eras together', { skip: NO_REDIS }, async t => {
  const limit = 20
  const { got } = await together(t, {}, async ({ proxy }) => {
    const client = await openAt(t, proxy)
    const texts = await Promise.all(
      Array.from({ length: limit + BEYOND }, async (_, turn) =>
        turn % 2 === 0
          ? textOf(client.at(proxy).postTool('limited'))
          : callTool(proxy, 'limited').then(({ result, error }) => result?.content[0].text ?? error.message),
      ),
    )
    return { texts, where: await textOf(client.at(proxy).postTool('where')) }
  })

  t.equal(got.texts.filter(text => text === 'passed').length, limit)
  t.match(got.where, /^\d+$/)
})
