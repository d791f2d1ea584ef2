// What an operator does and sees: sign-ins that are ended by hand, audit lines, metrics, and a
// warning about keys that others can read.
import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import t from 'tap'
import { until } from '../../../../test/support/eventually.ts'
import { freePort } from '../../../../test/support/free-port.ts'
import { listen } from '../../../../test/support/servers/http-server.ts'
import { start, withoutSettings } from '../../../../test/support/servers/own-process.ts'
import { NO_REDIS, redisServer } from '../../../../test/support/servers/redis-server.ts'
import {
  ask,
  type Broker,
  brokerSettings,
  keysPath,
  PROGRAM,
  refresh,
  register,
  signIn,
  startBroker,
} from '../support/broker.ts'
import { leftFor } from '../support/browser.ts'

const connect = (broker: Broker, account: string, clientId?: string) => signIn(broker, account, { clientId })

t.test('O7: one user, or one client, is ended by a command, and nobody else', { skip: NO_REDIS }, async t => {
  const redis = await redisServer(t)
  const shared = { REDIS_URL: redis.url, KEYS_PATH: keysPath(t) }
  const broker = await startBroker(t, shared)
  const environment = { ...brokerSettings(broker.url, broker.upstream.issuer), ...shared }
  const end = (...args: string[]) =>
    spawnSync(process.execPath, [PROGRAM, 'end', ...args], {
      env: { ...withoutSettings(process.env), ...environment },
      encoding: 'utf8',
    })
  const good = async ({ clientId, token }: { clientId: string; token: string }) =>
    (await refresh(broker, clientId, token)).status
  const alices = [await connect(broker, 'alice'), await connect(broker, 'alice')]
  const shares = await connect(broker, 'bob', alices[0]!.clientId)
  const bobs = await connect(broker, 'bob')

  const byAddress = end('--user', 'ALICE@example.com')
  t.match(byAddress, { status: 0, stdout: /^Ended 2 sign-ins, with 2 refresh tokens/m })
  t.match(byAddress.stdout, /"event":"sign_in_ended","subject":"alice"/)
  t.strictSame(await Promise.all(alices.map(good)), [400, 400])
  t.match(end('--user', 'alice'), { status: 0, stdout: /^Ended 0 sign-ins/m })
  const again = await connect(broker, 'alice')
  t.match(end('--user', 'alice', '--client', again.clientId), { status: 0, stdout: /^Ended 1 sign-ins/m })
  t.equal(await good(again), 400)

  t.match(end('--client', shares.clientId), { status: 0, stdout: /^Ended 1 sign-ins/m })
  t.equal(await good(shares), 401, 'and the client has to register again')
  t.equal(await good(bobs), 200)

  for (const args of [[], ['--user'], ['--user', ''], ['--users', 'alice']])
    t.match(end(...args), { status: 1, stderr: /user/ }, args.join(' '))
  await redis.kill()
  t.match(end('--user', 'bob'), { status: 1, stderr: /^Redis cannot be asked: / })
})

t.test('audit lines say who, from where, with which client', async t => {
  const port = await freePort()
  const broker = await startBroker(t, { TRUST_PROXY: '127.0.0.1', METRICS_PORT: String(port) })
  const { clientId, token } = await connect(broker, 'alice')
  leftFor(await broker.browser().authorize(ask(broker, clientId).url, { account: 'mallory' }))
  await register(broker, { redirect_uris: ['http://evil.example/'] })
  await refresh(broker, clientId, token)
  await refresh(broker, clientId, token)
  await fetch(`${broker.url}/token`, {
    method: 'POST',
    headers: { 'x-forwarded-for': '203.0.113.7' },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'none', client_id: clientId }),
  })

  await until(() => broker.process.stdout.includes('203.0.113.7'), 'the last line is there')
  const lines = broker.process.lines.filter(({ audit }) => audit === true)
  const has = (event: string, more: object) =>
    t.ok(
      lines.some(line => line.event === event && Object.entries(more).every(([name, value]) => line[name] === value)),
      `${event} ${JSON.stringify(more)}`,
    )
  const here = { address: '127.0.0.1', clientId }
  has('client_registered', here)
  has('signed_in', { ...here, subject: 'alice' })
  has('tokens_given', { ...here, subject: 'alice', grant: 'authorization_code' })
  has('tokens_given', { ...here, subject: 'alice', grant: 'refresh_token' })
  has('sign_in_refused', { ...here, subject: 'mallory' })
  has('registration_refused', { address: '127.0.0.1', reason: 'invalid_redirect_uri' })
  has('sign_in_ended', { ...here, reason: 'a RefreshToken was used twice' })
  has('tokens_refused', { clientId, address: '203.0.113.7', reason: 'invalid_grant' })

  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  t.match(metrics, /^toolrack_broker_events_total\{event="signed_in"\} 1$/m)
  t.match(metrics, /^toolrack_broker_events_total\{event="tokens_given"\} 2$/m)
  t.match(metrics, /^toolrack_broker_ready 1$/m)
  t.match(metrics, /^process_resident_memory_bytes \d+$/m)
  t.equal((await fetch(`${broker.url}/metrics`)).status, 404, 'not where strangers ask')
})

t.test('metrics and /ready do not wait for a provider that says nothing', async t => {
  // Until the answers below are there.
  let answer = () => {}
  const silent = await listen(t, (_, response) => {
    answer = () => response.writeHead(503).end()
  })
  const port = await freePort()
  const broker = await startBroker(t, { UPSTREAM_ISSUER: silent, METRICS_PORT: String(port) })
  t.teardown(() => answer())

  const [metrics, ready] = await Promise.all([fetch(`http://127.0.0.1:${port}/metrics`), fetch(`${broker.url}/ready`)])
  t.match(await metrics.text(), /^toolrack_broker_ready 0$/m)
  t.equal(ready.status, 503)
  await until(() => broker.process.stdout.includes('the provider has not answered yet'), 'the log says why')
})

t.test('keys that others can read or change are warned of', async t => {
  const path = keysPath(t)
  const url = `http://127.0.0.1:${await freePort()}`
  const settings = { ...brokerSettings(url, 'http://127.0.0.1:9'), KEYS_PATH: path }
  const first = await start(t, PROGRAM, settings)
  t.notMatch(first.stdout, 'chmod 600', 'as the broker makes them')
  first.child.kill('SIGKILL')
  await first.exited
  for (const [mode, isWarned] of [
    [0o666, true],
    [0o644, true],
    [0o620, true],
    [0o440, false],
  ] as const) {
    chmodSync(path, mode)
    const { stdout, child, exited } = await start(t, PROGRAM, settings)
    t.equal(stdout.includes('chmod 600'), isWarned, mode.toString(8))
    child.kill('SIGKILL')
    await exited
  }
})
