// What the broker remembers outlives it in Redis, several processes share it, and nobody who reads
// it can use it.

import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { Redis } from 'ioredis'
import t from 'tap'
import { until } from '../../../../test/support/eventually.ts'
import { freePort } from '../../../../test/support/free-port.ts'
import { listen } from '../../../../test/support/servers/http-server.ts'
import { start, withoutSettings } from '../../../../test/support/servers/own-process.ts'
import { NO_REDIS, redisServer } from '../../../../test/support/servers/redis-server.ts'
import {
  ask,
  brokerSettings,
  exchange,
  exchangeToken,
  headerOf,
  keysPath,
  PROGRAM,
  refresh,
  register,
  registered,
  startBroker,
} from '../support/broker.ts'
import { leftFor, refreshOf, shownIn } from '../support/browser.ts'

const rotate = (path: string) =>
  spawnSync(process.execPath, [PROGRAM, 'rotate-keys'], {
    env: { ...withoutSettings(process.env), KEYS_PATH: path },
    encoding: 'utf8',
  })

const kids = async (url: string): Promise<string[]> => {
  const { keys } = (await (await fetch(`${url}/jwks`)).json()) as { keys: { kid: string }[] }
  return keys.map(({ kid }) => kid)
}

t.test('two processes share a sign-in; after a restart with a new key it goes on', { skip: NO_REDIS }, async t => {
  const redis = await redisServer(t)
  const path = keysPath(t)
  const shared = { REDIS_URL: redis.url, KEYS_PATH: path }
  const one = await startBroker(t, shared)
  // The same broker, behind another port, as a proxy would spread requests.
  const port = await freePort()
  const again = { ...brokerSettings(one.url, one.upstream.issuer), ...shared }
  const two = { url: `http://127.0.0.1:${port}`, process: await start(t, PROGRAM, { ...again, PORT: String(port) }) }
  t.equal(statSync(path).mode & 0o777, 0o600)

  const clientId = await registered(two)
  const { url, verifier } = ask(one, clientId)
  const code = leftFor(await one.browser().authorize(url, { account: 'alice' })).get('code')!
  const first = await exchange(two, clientId, code, verifier)
  t.equal(first.status, 200)
  t.match(await exchange(one, clientId, code, verifier), { status: 400 }, 'a code is good once over both')
  const { url: nextUrl, verifier: nextVerifier } = ask(one, clientId)
  const next = leftFor(await one.browser().authorize(nextUrl, { account: 'alice' })).get('code')!
  const { body } = await exchange(two, clientId, next, nextVerifier)

  t.equal(rotate(path).status, 0)
  two.process.child.kill('SIGTERM')
  t.equal(await two.process.exited, 0)
  await start(t, PROGRAM, { ...again, PORT: String(port) })
  const later = await refresh(two, clientId, body.refresh_token)

  t.equal(later.status, 200)
  const [newest, ...older] = await kids(two.url)
  t.equal(headerOf(later.body.access_token).kid, newest)
  t.strictSame(older, [headerOf(body.access_token).kid], 'and what was signed before can be verified')
})

t.test(
  'Redis has neither codes, tokens nor secrets of the provider, and everything in it ends',
  { skip: NO_REDIS },
  async t => {
    const redis = await redisServer(t)
    const exchangeSecret = 'a-secret-of-the-server-and-the-broker'
    const settings = { REDIS_URL: redis.url, KEYS_PATH: keysPath(t), EXCHANGE_CLIENT_SECRET: exchangeSecret }
    const broker = await startBroker(t, settings)
    const clientId = await registered(broker)
    const pending = ask(broker, clientId)
    const browser = broker.browser()
    const asked = shownIn(await browser.go(pending.url))
    const onward = refreshOf(shownIn(await browser.answer(asked, 'allow')))!
    const { url, verifier } = ask(broker, clientId)
    const code = leftFor(await broker.browser().authorize(url, { account: 'alice' })).get('code')!
    const { body } = await exchange(broker, clientId, code, verifier)
    const onBehalf = await exchangeToken(broker, exchangeSecret, body.access_token)
    t.equal(onBehalf.status, 200)
    const unused = leftFor(await broker.browser().authorize(ask(broker, clientId).url, { account: 'alice' })).get(
      'code',
    )!

    const client = new Redis(redis.url)
    t.teardown(() => client.disconnect())
    const keys = await client.keys('*')
    const dump = JSON.stringify(await Promise.all(keys.map(async key => [key, await client.get(key).catch(() => '')])))
    const ends = await Promise.all(keys.map(key => client.pttl(key)))

    t.ok(keys.length > 5)
    t.ok(
      ends.every(ms => ms > 0),
      'each key has an end',
    )
    const state = onward.searchParams.get('state')!
    const tokens = [body.refresh_token, body.access_token, onBehalf.body.access_token]
    for (const secret of [code, unused, ...tokens, state, exchangeSecret]) t.notMatch(dump, secret)
    t.notMatch(dump, /"id_token"|eyJ[\w-]{10,}\./)
    t.ok(
      keys.every(key => key.startsWith('broker:')),
      'keys say whose they are',
    )
  },
)

const BUSY = { error: 'temporarily_unavailable' }

t.test('O4: with a full Redis nothing is taken, and no secret is in the log', { skip: NO_REDIS }, async t => {
  const redis = await redisServer(t, { options: ['--maxmemory-policy', 'noeviction'] })
  const broker = await startBroker(t, { REDIS_URL: redis.url, KEYS_PATH: keysPath(t) })
  const client = new Redis(redis.url)
  t.teardown(() => client.disconnect())
  const setMemory = (bytes: number) => client.config('SET', 'maxmemory', bytes)
  const commands: string[] = []
  const monitor = await client.monitor()
  t.teardown(() => monitor.disconnect())
  monitor.on('monitor', (_: unknown, args: string[]) => commands.push(args.join(' ')))
  const clientId = await registered(broker)
  const browser = broker.browser()
  const asked = shownIn(await browser.go(ask(broker, clientId).url))
  const answered = await broker.browser().go(ask(broker, clientId).url)
  const onward = refreshOf(shownIn(await browser.answer(asked, 'allow')))!

  await setMemory(1)
  const secret = { token_endpoint_auth_method: 'client_secret_basic' }
  t.match(await register(broker, secret), { status: 503, body: BUSY })
  t.match(shownIn(await broker.browser().go(ask(broker, clientId).url)), { status: 503 })
  t.equal(shownIn(await browser.authorize(onward, { account: 'alice' })).status, 503)
  await setMemory(0)
  t.match(await register(broker, secret), { status: 201 })
  t.equal(shownIn(answered).status, 200)

  const log = broker.process.stdout
  t.match(log, 'OOM command not allowed')
  t.ok(
    commands.some(command => command.includes('client_secret')),
    'Redis was asked to keep one',
  )
  t.notMatch(log, /client_secret|verifier|nonce|browser"|alice@example|redirect_uris|code_challenge/)
  for (const command of commands.filter(each => / (?:set|getdel) /i.test(` ${each} `))) {
    const [, name = ''] = command.split(' ')
    t.notMatch(log, name)
  }
})

t.test('a broker whose Redis is away is not ready, and comes back by itself', { skip: NO_REDIS }, async t => {
  const redis = await redisServer(t)
  const broker = await startBroker(t, { REDIS_URL: redis.url, KEYS_PATH: keysPath(t) })
  t.equal((await fetch(`${broker.url}/ready`)).status, 200)
  const clientId = await registered(broker)

  await redis.kill()

  t.equal((await fetch(`${broker.url}/ready`)).status, 503)
  t.equal((await fetch(`${broker.url}/health`)).status, 200)
  const failed = await fetch(`${broker.url}/callback?state=any`)
  t.equal(failed.status, 503)
  // Clients would take `server_error` for a reason to sign in anew.
  t.match(await refresh(broker, clientId, 'any'), { status: 503, body: BUSY })
  await until(() => /"level":50.*"msg":"Redis"/.test(broker.process.stdout), 'the log has the reason')
  t.notMatch(await failed.text(), /redis|connection|ECONN|retries/i, 'the reason is in the log only')
  await redis.start()
  await until(async () => (await fetch(`${broker.url}/ready`)).status === 200, 'it is ready again')
})

t.test('without a provider the broker starts, says that it is not ready, and says so to users', async t => {
  const port = String(await freePort())
  const issuer = `http://127.0.0.1:${await freePort()}`
  const broker = await startBroker(t, { UPSTREAM_ISSUER: issuer, METRICS_PORT: port })
  for (let count = 0; count < 3; count++) t.equal((await fetch(`${broker.url}/ready`)).status, 503)
  const browser = broker.browser()
  const asked = shownIn(await browser.go(ask(broker, await registered(broker)).url))

  t.match(shownIn(await browser.answer(asked, 'allow')), { status: 503, html: /cannot be reached/ })
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  t.match(metrics, /^toolrack_broker_provider_failures_total\{kind="sign_in"\} 1$/m)
  await until(() => broker.process.stdout.includes('the provider cannot be reached'), 'the lines are there')
  // Strangers can ask as often as they like.
  t.equal(broker.process.lines.filter(({ msg }) => msg === 'not ready').length, 1)
})

t.test('an answer of the provider without an end is not read to its end', async t => {
  let sent = 0
  const provider = await listen(t, (_, response) => {
    response.setHeader('content-type', 'application/json')
    const chunk = Buffer.alloc(64 * 1024, ' ')
    const more = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length
    }
    response.on('drain', more)
    more()
  })
  const broker = await startBroker(t, { UPSTREAM_ISSUER: provider })

  t.equal((await fetch(`${broker.url}/ready`)).status, 503)
  await until(() => broker.process.stdout.includes('not ready'), 'the reason is in the log')
  t.match(broker.process.stdout, 'the provider answered with more than 1048576 bytes')
  t.ok(sent < 64 * 1024 * 1024, `${sent} bytes`)
})

t.test('keys are made once, kept, and rotated; only the newest three stay', async t => {
  const path = keysPath(t)
  const broker = await startBroker(t, { KEYS_PATH: path })
  const [first] = await kids(broker.url)
  for (let count = 0; count < 4; count++) t.match(rotate(path), { status: 0, stdout: /has a new key/ })
  const { keys } = JSON.parse(readFileSync(path, 'utf8'))

  t.equal(keys.length, 3)
  t.notOk(keys.some(({ kid }: { kid: string }) => kid === first))
})

t.test('a start with wrong settings names each, and ends with 1', async t => {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM], {
    env: {
      ...withoutSettings(process.env),
      BROKER_URL: 'http://auth.example.com',
      UPSTREAM_ISUER: 'https://idp.example',
      ALLOWED_USER: 'hd=example.com',
    },
    encoding: 'utf8',
  })

  t.equal(status, 1)
  t.match(stderr, /^BROKER_URL: expected an https URL, or an http URL on loopback$/m)
  t.match(stderr, /^ALLOWED_USERS: expected a value, since it has no default$/m)
  t.match(stderr, /^ALLOWED_USER: no such setting; did you mean ALLOWED_USERS\?$/m)
  t.match(stderr, /^UPSTREAM_ISUER: no such setting; did you mean UPSTREAM_ISSUER\?$/m)
  t.match(spawnSync(process.execPath, [PROGRAM, 'rotate'], { encoding: 'utf8' }), { status: 1, stderr: /rotate-keys/ })
})
