// Secrets of files that change while the server runs: what each of them opens, and what hides them.
import t, { type Test } from 'tap'
import { defineTool } from '../../../src/index.ts'
import { call, callTool } from '../../support/app.ts'
import { RESOURCE, SECRET } from '../../support/auth/guarded.ts'
import { asking, type Given, subjectOf } from '../../support/auth/on-behalf.ts'
import { type ServedSecrets, secretFiles } from '../../support/auth/secret-files.ts'
import { tokenService } from '../../support/auth/token-service.ts'
import { signed } from '../../support/auth/tokens.ts'

const NEXT = 'the next secret of the tests, and as long'

const known = defineTool({ name: 'known', handler: () => 'done' })

const headers = (secret: string) => ({ authorization: `Bearer ${signed(secret, { aud: RESOURCE })}` })

t.test('O9: JWT_SECRET: tokens of the new one count, and those of the one before no longer', async t => {
  const { app, renew } = await secretFiles(t, { JWT_SECRET: SECRET })
  const statuses = async () => {
    const replies = [SECRET, NEXT].map(secret => call(app, 'tools/list', {}, { headers: headers(secret) }))
    return (await Promise.all(replies)).map(({ status }) => status)
  }
  t.strictSame(await statuses(), [200, 401])

  await renew({ JWT_SECRET: NEXT })

  t.strictSame(await statuses(), [401, 200])
  t.match(
    app.audit.lines.find(({ event }) => event === 'secret-renewed'),
    { setting: 'JWT_SECRET_FILE' },
  )
})

t.test('METRICS_TOKEN: the new one is asked for', async t => {
  const { app, renew } = await secretFiles(t, { METRICS_TOKEN: SECRET })
  const read = (token: string) =>
    app.inject({ url: '/metrics', remoteAddress: '203.0.113.7', headers: { authorization: `Bearer ${token}` } })
  const statuses = async () => (await Promise.all([read(SECRET), read(NEXT)])).map(({ statusCode }) => statusCode)
  t.strictSame(await statuses(), [200, 401])

  await renew({ METRICS_TOKEN: NEXT })

  t.strictSame(await statuses(), [401, 200])
})

t.test('TOKEN_EXCHANGE_CLIENT_SECRET: the next exchange uses the new one', async t => {
  const service = await tokenService(t)
  const given: Given = { tokens: [] }
  const settings = { TOKEN_EXCHANGE_URL: service.tokenUrl, TOKEN_EXCHANGE_CLIENT_ID: 'tools' }
  const secrets = { JWT_SECRET: SECRET, TOKEN_EXCHANGE_CLIENT_SECRET: 'first-of-the-client' }
  const { app, renew } = await secretFiles(t, secrets, settings, [asking(given)])
  const ask = (audience: string) => callTool(app, 'ask', { audience }, subjectOf())

  await ask('one')
  await renew({ TOKEN_EXCHANGE_CLIENT_SECRET: 'next-of-the-client' })
  await ask('two')

  t.strictSame(
    service.asked.map(({ client: [, , secret] }) => secret),
    ['first-of-the-client', 'next-of-the-client'],
  )
})

const another = defineTool({ name: 'another', handler: () => '' })
const paged = (t: Test, secrets: Record<string, string>) =>
  secretFiles(t, secrets, { PAGE_SIZE: '1' }, [known, another])

const getCursor = async ({ app }: ServedSecrets): Promise<string> => (await call(app, 'tools/list')).result.nextCursor
const opens = async ({ app }: ServedSecrets, cursor: string) =>
  (await call(app, 'tools/list', { cursor })).result !== undefined

t.test('STATE_SECRET: it seals, and what the one before sealed still opens', async t => {
  const server = await paged(t, { STATE_SECRET: SECRET })
  const [old, next] = [await paged(t, { STATE_SECRET: SECRET }), await paged(t, { STATE_SECRET: NEXT })]
  const before = await getCursor(server)
  t.strictSame([await opens(old, before), await opens(next, before)], [true, false])

  await server.renew({ STATE_SECRET: NEXT })

  const after = await getCursor(server)
  t.strictSame([await opens(old, after), await opens(next, after)], [false, true])
  t.strictSame([await opens(server, before), await opens(server, after)], [true, true])
})

t.test('STATE_SECRET and STATE_SECRET_PREVIOUS: replicas at each step of a rotation, without a restart', async t => {
  const first = { STATE_SECRET: SECRET, STATE_SECRET_PREVIOUS: 'nothing was ever sealed with this' }
  const replicas = [await paged(t, first), await paged(t, first)]

  for (const step of [{ STATE_SECRET_PREVIOUS: NEXT }, { STATE_SECRET: NEXT, STATE_SECRET_PREVIOUS: SECRET }]) {
    for (const replica of replicas) {
      await replica.renew(step)
      const cursors = await Promise.all(replicas.map(getCursor))
      const opened = replicas.flatMap(at => cursors.map(cursor => opens(at, cursor)))
      t.strictSame(await Promise.all(opened), [true, true, true, true], JSON.stringify(step))
    }
  }
  const next = await paged(t, { STATE_SECRET: NEXT })
  t.ok(await opens(next, await getCursor(replicas[0]!)), 'the new one seals')
})

t.test('O9: secrets are masked, the new one and the one before', async t => {
  let said = ''
  const leaking = defineTool({
    name: 'leak',
    handler() {
      throw new Error(`it was ${said}`)
    },
  })
  const [first, next] = ['Xk92-first', 'Xk92-next1']
  const { app, renew } = await secretFiles(
    t,
    { JWT_SECRET: SECRET, TOKEN_EXCHANGE_CLIENT_SECRET: first },
    { TOKEN_EXCHANGE_URL: 'https://as.example/token', TOKEN_EXCHANGE_CLIENT_ID: 'tools' },
    [leaking],
  )
  await renew({ TOKEN_EXCHANGE_CLIENT_SECRET: next })

  for (said of [first, next]) {
    const { content } = await callTool(app, 'leak', {}, subjectOf())
    t.equal(content[0].text, 'it was [secret]')
  }
  t.notMatch(app.logs.text, first)
  t.notMatch(app.logs.text, next)
})

t.test('O9: a file that cannot be used: the secret before counts, and GET /ready says so', async t => {
  const { app, renew } = await secretFiles(t, { JWT_SECRET: SECRET, METRICS_TOKEN: SECRET })

  await renew({ JWT_SECRET: 'short', METRICS_TOKEN: undefined })

  t.equal((await call(app, 'tools/list', {}, { headers: headers(SECRET) })).status, 200)
  const ready = await app.inject('/ready')
  t.equal(ready.statusCode, 200)
  t.strictSame(ready.json(), {
    status: 'ready',
    degraded: [
      'JWT_SECRET_FILE: expected at least 32 bytes; the secret before stays',
      'METRICS_TOKEN_FILE: expected the path of a file that can be read (ENOENT); the secret before stays',
    ],
  })

  await renew({ JWT_SECRET: NEXT, METRICS_TOKEN: NEXT })
  t.strictSame((await app.inject('/ready')).json(), { status: 'ready' })
})
