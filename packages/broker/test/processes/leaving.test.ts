// Who leaves, and whose roles change: the provider is asked again when a client refreshes. What it
// cannot say now is another answer than that the user has left, and uses nothing up.
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { until } from '../../../../test/support/eventually.ts'
import { freePort } from '../../../../test/support/free-port.ts'
import { start } from '../../../../test/support/servers/own-process.ts'
import { NO_REDIS, redisServer } from '../../../../test/support/servers/redis-server.ts'
import {
  ask,
  brokerSettings,
  exchange,
  keysPath,
  PROGRAM,
  payloadOf,
  post,
  refresh,
  signIn,
  startBroker,
} from '../support/broker.ts'
import { leftFor } from '../support/browser.ts'

// Each refresh asks.
const broker = await startBroker(t, { UPSTREAM_CHECK_MS: '0' })
const { upstream } = broker
const BOTH = { scope: 'prices:read prices:write' }

async function connect(account: string, at = broker) {
  const signedIn = await signIn(at, account, { changes: BOTH })
  return { ...signedIn, body: signedIn.tokens.body }
}

t.test('O7: roles that a user loses or gets are in the next token', async t => {
  upstream.users['ann'] = { email: 'ann@example.com', email_verified: true, hd: 'example.com', roles: ['Writer'] }
  const { clientId, token, body } = await connect('ann')
  t.equal(body.scope, 'prices:read prices:write')

  Object.assign(upstream.users['ann'], { roles: ['Reader'], email: 'ann.b@example.com' })
  const less = await refresh(broker, clientId, token)
  t.match(less.body, { scope: 'prices:read' })
  t.match(payloadOf(less.body.access_token), { scope: 'prices:read', roles: ['Reader'], email: 'ann.b@example.com' })

  Object.assign(upstream.users['ann'], { roles: ['Writer'] })
  const more = await refresh(broker, clientId, less.body.refresh_token)
  t.match(payloadOf(more.body.access_token), { scope: 'prices:read prices:write', roles: ['Writer'] })
})

for (const [what, leave] of [
  ['the provider knows no more', (name: string) => delete upstream.users[name]],
  ['ALLOWED_USERS lets in no more', (name: string) => delete upstream.users[name]!['hd']],
] as const)
  t.test(`O7: a sign-in of a user whom ${what} ends`, async t => {
    const name = what.replaceAll(' ', '-')
    upstream.users[name] = { email: 'l@example.com', email_verified: true, hd: 'example.com' }
    const { clientId, token } = await connect(name)
    const kept = structuredClone(upstream.users[name])
    leave(name)

    t.match(await refresh(broker, clientId, token), { status: 400, body: { error: 'invalid_grant' } })
    upstream.users[name] = kept
    t.match(await refresh(broker, clientId, token), { status: 400, body: { error: 'invalid_grant' } }, 'for good')
    t.match(broker.process.stdout, 'a sign-in has ended')
  })

t.test('a provider that cannot be asked is a 503, and the refresh token is good afterwards', async t => {
  const { clientId, token } = await connect('alice')
  for (const status of [500, 503, 429]) {
    upstream.trouble = status
    t.match(await refresh(broker, clientId, token), { status: 503, body: { error: 'temporarily_unavailable' } })
  }
  upstream.trouble = undefined

  t.match(await refresh(broker, clientId, token), { status: 200 })
})

t.test('the provider is not asked about each refresh, and once about many', async t => {
  const seldom = await startBroker(t, { UPSTREAM_CHECK_MS: '10 minutes' })
  const { clientId, token } = await connect('alice', seldom)
  const asked = seldom.upstream.served.filter(line => line.startsWith('POST /token')).length
  seldom.upstream.trouble = 500

  t.match(await refresh(seldom, clientId, token), { status: 200 })
  t.equal(seldom.upstream.served.filter(line => line.startsWith('POST /token')).length, asked)
})

t.test('of many who use one refresh token at once, at most one gets tokens', async t => {
  const { clientId, token } = await connect('alice')
  const all = await Promise.all(Array.from({ length: 6 }, () => refresh(broker, clientId, token)))

  t.ok(all.filter(({ status }) => status === 200).length <= 1)
})

t.test('O7: what somebody ends while the provider is asked does not come back', { skip: NO_REDIS }, async t => {
  const redis = await redisServer(t)
  const settings = { UPSTREAM_CHECK_MS: '0', REDIS_URL: redis.url, KEYS_PATH: keysPath(t) }
  const shared = await startBroker(t, settings)
  const { clientId, token } = await connect('alice', shared)
  const client = new Redis(redis.url)
  t.teardown(() => client.disconnect())
  // Before the provider answers.
  shared.upstream.onRefresh = async () => {
    await client.del(...(await client.keys('broker:Grant:*')), ...(await client.keys('broker:SignIn:*')))
  }

  t.match(await refresh(shared, clientId, token), { status: 400, body: { error: 'invalid_grant' } })
  t.strictSame(await client.keys('broker:Grant:*'), [])
  t.strictSame(await client.keys('broker:SignIn:*'), [])
})

for (const kind of ['SignIn', 'Grant'])
  t.test(`O7: nor what somebody ends just before its ${kind} is written`, { skip: NO_REDIS }, async t => {
    const redis = await redisServer(t)
    const client = new Redis(redis.url)
    t.teardown(() => client.disconnect())
    let mayEnd = false
    const url = await redisProxy(t, redis.port, async command => {
      if (!mayEnd || !command.includes(`broker:${kind}:`) || !/^set$/im.test(command)) return
      mayEnd = false
      await client.del(...(await client.keys('broker:SignIn:*')), ...(await client.keys('broker:Grant:*')))
    })
    const settings = { UPSTREAM_CHECK_MS: '0', REDIS_URL: url, KEYS_PATH: keysPath(t) }
    const shared = await startBroker(t, settings)
    const { clientId, token } = await connect('alice', shared)
    mayEnd = true

    t.match(await refresh(shared, clientId, token), { status: 400, body: { error: 'invalid_grant' } })
    t.notOk(mayEnd)
    t.strictSame(await client.keys('broker:Grant:*'), [])
    t.strictSame(await client.keys('broker:SignIn:*'), [])
  })

/** @param before each chunk of commands goes on to Redis */
async function redisProxy(t: Test, port: number, before: (commands: string) => Promise<void>): Promise<string> {
  const server = net.createServer(socket => {
    const redis = net.connect(port, '127.0.0.1')
    pipeline(
      socket,
      async function* (chunks) {
        for await (const chunk of chunks) {
          await before(String(chunk))
          yield chunk
        }
      },
      redis,
      socket,
      () => {},
    )
  })
  t.teardown(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('a new token of the provider is kept, though its keys cannot be had', { skip: NO_REDIS }, async t => {
  const redis = await redisServer(t)
  const settings = { UPSTREAM_CHECK_MS: '0', REDIS_URL: redis.url, KEYS_PATH: keysPath(t) }
  const one = await startBroker(t, settings)
  const { clientId, token } = await connect('alice', one)
  // It has not read the keys yet.
  const port = String(await freePort())
  await start(t, PROGRAM, { ...brokerSettings(one.url, one.upstream.issuer), ...settings, PORT: port })
  const two = { url: `http://127.0.0.1:${port}` }

  one.upstream.isWithoutKeys = true
  const first = await refresh(two, clientId, token)
  one.upstream.isWithoutKeys = false

  t.equal(first.status, 200)
  t.match(await refresh(two, clientId, first.body.refresh_token), { status: 200 })
})

t.test('a broker that stops answers the refreshes under way', async t => {
  const stopping = await startBroker(t, { UPSTREAM_CHECK_MS: '0' })
  const { clientId, token } = await connect('alice', stopping)
  stopping.upstream.onRefresh = async () => {
    stopping.process.child.kill('SIGTERM')
    const isDown = () =>
      fetch(`${stopping.url}/health`).then(
        () => false,
        () => true,
      )
    await until(isDown, 'it takes no more requests')
  }

  t.match(await refresh(stopping, clientId, token), { status: 200 })
  t.equal(await stopping.process.exited, 0)
})

t.test('a sign-in is refreshed so often at most', async t => {
  const short = await startBroker(t, { ACCESS_TOKEN_TTL_MS: '1 day', SIGN_IN_TTL_MS: '10 minutes' })
  const { clientId, token } = await connect('alice', short)
  let next = token
  let count = 0
  for (; count < 200; count++) {
    const { status, body } = await refresh(short, clientId, next)
    if (status !== 200) break
    next = body.refresh_token
  }

  t.equal(count, 101)
})

t.test('a wrong resource uses up neither a refresh token nor a code', async t => {
  const { clientId, token } = await connect('alice')
  const wrong = { resource: 'https://other.example/mcp' }
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, ...wrong }
  t.match(await post(broker, '/token', form), { status: 400, body: { error: 'invalid_target' } })
  t.match(await post(broker, '/token', form), { status: 400, body: { error: 'invalid_target' } })
  t.match(await refresh(broker, clientId, token), { status: 200 })

  const { url, verifier } = ask(broker, clientId)
  const code = leftFor(await broker.browser().authorize(url, { account: 'alice' })).get('code')!
  t.match(await exchange(broker, clientId, code, verifier, wrong), { status: 400, body: { error: 'invalid_target' } })
  t.match(await exchange(broker, clientId, code, verifier), { status: 200 })
})
