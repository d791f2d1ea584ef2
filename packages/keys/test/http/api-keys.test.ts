// Callers with an API key: alone and beside tokens, and what a client sees that has none.
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { assertBind, hasAccessControl } from '../../../../src/config/access.ts'
import { readOptions } from '../../../../src/config/read-options.ts'
import { ConfigError } from '../../../../src/config/settings.ts'
import { createServer, defineTool } from '../../../../src/index.ts'
import { call, callTool } from '../../../../test/support/app.ts'
import { keyed, keysFile, type TestKey, testKey } from '../../../../test/support/auth/api-keys.ts'
import { bearer, RESOURCE, SECRET } from '../../../../test/support/auth/guarded.ts'
import { until } from '../../../../test/support/eventually.ts'
import { tempFolder } from '../../../../test/support/tools-folder.ts'

const who = defineTool({ name: 'who', handler: (_, { caller }) => JSON.stringify(caller ?? null) })
const asCaller = async (app: Parameters<typeof callTool>[0], { headers }: Pick<TestKey, 'headers'>) =>
  JSON.parse((await callTool(app, 'who', {}, { headers })).content[0].text)

t.test('a key is a caller of its own, which a tool sees without the key', async t => {
  const key = testKey({ scopes: ['read'], claims: { tenant: 'acme' } })
  const { app } = await keyed(t, [key], { tools: [who] })

  const caller = await asCaller(app, key)

  const { id, expires } = key.record
  t.match(caller, { issuer: 'urn:toolrack:api-keys', subject: 'n8n', clientId: id, scopes: ['read'] })
  t.strictSame(caller.claims, { tenant: 'acme' })
  t.notOk(JSON.stringify(caller).includes(key.key))
  t.ok(new Date(expires).getTime() > Date.now())
})

t.test('the scheme is that of tokens, in any case; the key is one word of the header alone', async t => {
  const key = testKey()
  const { app } = await keyed(t, [key])
  const statusOf = async (headers: object, url = '/mcp') => {
    const { statusCode } = await app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      payload: '{}',
    })
    return statusCode
  }

  for (const scheme of ['Bearer', 'bearer', 'BEARER'])
    t.equal(await statusOf({ authorization: `${scheme} ${key.key}` }), 400)
  for (const headers of [
    { authorization: key.key },
    { authorization: `Basic ${key.key}` },
    { authorization: `Basic ${Buffer.from(`:${key.key}`).toString('base64')}` },
    { 'x-api-key': key.key },
    { cookie: `token=${key.key}` },
  ])
    t.equal(await statusOf(headers), 401, JSON.stringify(Object.keys(headers)))
  t.equal(await statusOf({}, `/mcp?access_token=${key.key}&api_key=${key.key}`), 401)
})

t.test('keys alone: access control is on, and nobody is sent to anybody', async t => {
  const key = testKey()
  const { app } = await keyed(t, [key], { authorizationServers: ['https://as.example'], httpSse: true })

  const refused = await call(app, 'tools/list')
  const wrong = await call(app, 'tools/list', {}, { headers: { authorization: `Bearer ${testKey().key}` } })

  t.equal(refused.status, 401)
  t.equal(refused.headers['www-authenticate'], 'Bearer realm="toolrack"')
  t.match(refused.error, { code: 40100, message: 'Unauthorized: send Authorization: Bearer and a token' })
  t.equal(
    wrong.headers['www-authenticate'],
    'Bearer error="invalid_token", error_description="the API key is not known", realm="toolrack"',
  )
  for (const path of ['', '/mcp', '/sse'])
    t.equal((await app.inject(`/.well-known/oauth-protected-resource${path}`)).statusCode, 404)
  t.equal((await call(app, 'tools/list', {}, { headers: key.headers })).status, 200)
})

t.test('keys alone: a token is refused, whoever signed it', async t => {
  const { app } = await keyed(t, [testKey()])

  const { status, error } = await call(app, 'tools/list', {}, { headers: bearer() })

  t.equal(status, 401)
  t.match(error.message, /this server accepts API keys only/)
})

t.test('tokens alone: a key is refused, and never read as a token', async t => {
  const app = await (await import('../../../../test/support/auth/guarded.ts')).guarded(t)

  const { status, error } = await call(app, 'tools/list', {}, { headers: testKey().headers })

  t.equal(status, 401)
  t.match(error.message, /this server accepts tokens only/)
})

t.test('beside tokens: both work, and are two callers, also with one subject', async t => {
  const [key, second] = [testKey({ subject: 'alice' }), testKey({ subject: 'alice' })]
  const { app } = await keyed(t, [key, second], {
    jwt: { secret: SECRET },
    publicUrl: RESOURCE,
    tools: [who],
    rateLimit: { max: 2 },
  })
  const limitedAfter = async (headers: Record<string, string>) => {
    const reply = await call(app, 'tools/list', {}, { headers })
    return reply.status
  }

  t.equal((await asCaller(app, { headers: bearer('', { iss: undefined }) as never })).issuer, undefined)
  t.equal((await asCaller(app, key)).issuer, 'urn:toolrack:api-keys')
  t.equal(await limitedAfter(second.headers), 200, 'the second of the caller with keys')
  t.equal(await limitedAfter(key.headers), 429, 'two keys with one subject are one caller')
  t.equal(await limitedAfter(bearer('', { iss: undefined })), 200, 'which is not the one with tokens')
})

t.test('a token cannot be the caller of a key', async t => {
  const { app } = await keyed(t, [testKey()], { jwt: { secret: SECRET }, publicUrl: RESOURCE })

  const { status, error } = await call(
    app,
    'tools/list',
    {},
    { headers: bearer('', { iss: 'urn:toolrack:api-keys', sub: 'n8n' }) },
  )

  t.equal(status, 401)
  t.match(error.message, /iss is that of API keys/)
  t.throws(
    () => readOptions({ jwt: { secret: SECRET, issuer: 'urn:toolrack:api-keys' } }),
    /^jwt\.issuer: expected the issuer of tokens/,
  )
})

t.test('scopes of a key open what they name, and SCOPE_HIERARCHY holds', async t => {
  const [none, read, admin] = [testKey(), testKey({ scopes: ['read'] }), testKey({ scopes: ['admin'] })]
  const { app } = await keyed(t, [none, read, admin], { scopes: { hierarchy: 'admin>read' } })
  const listedBy = async ({ headers }: TestKey) =>
    (await call(app, 'tools/list', {}, { headers })).result.tools.map(({ name }: { name: string }) => name)

  t.strictSame(await listedBy(none), ['free'])
  t.strictSame((await listedBy(read)).sort(), ['asks', 'closed', 'free'])
  t.strictSame(await listedBy(admin), await listedBy(read))
  const refused = await call(app, 'tools/call', { name: 'closed', arguments: {} }, { headers: none.headers })
  t.equal(refused.status, 403)
  t.match(refused.headers['www-authenticate'], /^Bearer error="insufficient_scope", .*realm="toolrack", scope="read"$/)
})

t.test('the audit names subject and key, and never the key itself', async t => {
  const key = testKey({ claims: { tenant: 'acme' } })
  const { app } = await keyed(t, [key])

  await callTool(app, 'free', {}, { headers: key.headers })
  await call(app, 'tools/list', {}, { headers: { authorization: `Bearer ${key.key.slice(0, -1)}0` } })

  t.match(app.audit.lines[0], { subject: 'n8n', client: key.record.id, issuer: 'urn:toolrack:api-keys' })
  const [, , secret] = key.key.split('_')
  t.notOk(`${app.audit.text} ${app.logs.text}`.includes(secret!.slice(0, -1)))
  t.notOk(app.logs.text.includes(key.record.hash))
})

t.test('a file that is not valid stops the start, with one line', async t => {
  const file = keysFile(t)
  const start = () => createServer({ apiKeysFile: file.path })

  file.write('{"keys":[{"id":"abcd","hash":"x"}]}')
  await t.rejects(start(), ConfigError)
  await t.rejects(start(), {
    message:
      'apiKeysFile: keys[0] (abcd): hash: expected the SHA-256 of the key, as 64 hexadecimal digits in small letters',
  })
  await t.rejects(createServer({ apiKeysFile: '/nowhere/keys.json' }), {
    message: 'apiKeysFile: there is no file /nowhere/keys.json',
  })
})

t.test('a bad change keeps the keys, and GET /ready says so', async t => {
  const key = testKey()
  const { app, file } = await keyed(t, [key])

  file.write('[]')
  await app.toolrack.reload()

  const ready = await app.inject('/ready')
  t.equal(ready.statusCode, 200)
  t.match(ready.json(), {
    status: 'ready',
    degraded: [/^API keys: expected an object with the array "keys".*; those known before stay$/],
  })
  t.match(
    app.logs.lines.filter(({ level, tool }) => level === 40 && tool === undefined),
    [{ file: file.path, msg: 'could not read API keys; keeping the previous ones' }],
  )
  t.equal((await call(app, 'tools/list', {}, { headers: key.headers })).status, 200)
  file.set(key)
  await app.toolrack.reload()
  t.strictSame((await app.inject('/ready')).json(), { status: 'ready' })
})

t.test('changes are followed without a signal, and whatever WATCH_TOOLS says', async t => {
  const [first, second] = [testKey(), testKey()]
  const { app, file } = await keyed(t, [first], { watchTools: false })
  const statusOf = async ({ headers }: TestKey) => (await call(app, 'tools/list', {}, { headers })).status

  file.set(second)
  await until(async () => (await statusOf(second)) === 200, 'the new key is known')

  t.equal(await statusOf(first), 401)
})

t.test('a server with keys alone may be bound by the world, and needs no PUBLIC_URL', async t => {
  const { path } = keysFile(t)
  const bind = (options: Record<string, unknown>) => assertBind('0.0.0.0', readOptions(options))

  t.throws(() => bind({}), /API_KEYS_FILE/)
  t.doesNotThrow(() => bind({ apiKeysFile: path }))
  t.doesNotThrow(() => bind({ apiKeysFile: path, port: 0 }))
  t.doesNotThrow(() => bind({ apiKeysFile: path, console: true }))
  t.throws(() => bind({ apiKeysFile: path, jwt: { secret: SECRET } }), /^PUBLIC_URL: /, 'tokens do')
  t.ok(hasAccessControl(readOptions({ apiKeysFile: path })))
})

t.test('plain HTTP, OpenAPI, the page and the console know of keys', async t => {
  const key = testKey({ scopes: ['read'] })
  const { app } = await keyed(t, [key], { plainHttp: true, console: true })

  const openApi = await app.inject({ url: '/openapi.json', headers: key.headers })
  const called = await app.inject({ method: 'POST', url: '/tools/closed', headers: key.headers })

  t.match(openApi.json(), {
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'API key', description: 'An API key (`trk_…`).' },
      },
    },
  })
  t.equal(called.json().content[0].text, 'opened')
  t.equal((await app.inject({ method: 'POST', url: '/tools/closed' })).statusCode, 401)
  t.match((await app.inject('/console/config.json')).json(), { access: 'token', authorizationServers: [] })
  t.equal((await app.inject({ url: '/console/api/activity', headers: key.headers })).statusCode, 200)
  t.equal((await app.inject('/console/api/activity')).statusCode, 401)
})

for (const [options, bearerFormat] of [
  [{ jwt: { secret: SECRET }, publicUrl: RESOURCE }, 'JWT or API key'],
  [{}, 'API key'],
] as const) {
  t.test(`OpenAPI: ${bearerFormat}`, async t => {
    const key = testKey()
    const { app } = await keyed(t, [key], { plainHttp: true, ...options })

    const { components } = (await app.inject({ url: '/openapi.json', headers: key.headers })).json()

    t.equal(components.securitySchemes.bearer.bearerFormat, bearerFormat)
  })
}

t.test('the start-up names what callers need', async t => {
  const access = async (t: Test, options: object) => (await keyed(t, [], options)).app.toolrack.startUp['access']

  t.match(await access(t, {}), /^API keys of .*api-keys\.json$/)
  t.match(
    await access(t, { jwt: { secret: SECRET }, publicUrl: RESOURCE }),
    /^API keys of .*, tokens by JWT_SECRET; AUTHORIZATION_SERVERS/,
  )
})

t.test('refused keys of an address are counted as refused tokens are; good ones pass', async t => {
  const key = testKey()
  const { app } = await keyed(t, [key], { rateLimit: { max: 3 } })
  const statusOf = async (headers: Record<string, string>) => (await call(app, 'tools/list', {}, { headers })).status

  const statuses = []
  for (let at = 0; at < 5; at++) statuses.push(await statusOf(testKey().headers))

  t.strictSame(statuses, [401, 401, 401, 429, 429])
  t.equal(await statusOf(key.headers), 200)
  t.equal(await statusOf({}), 401, 'requests without a key have a count of their own')
})

t.test('a call ends when its key is taken away, and its tool stops', async t => {
  const key = testKey()
  let began: () => void = () => {}
  const begun = new Promise<void>(resolve => (began = resolve))
  const stopped: unknown[] = []
  const waits = defineTool({
    name: 'waits',
    async handler(_args, { signal }) {
      began()
      await once(signal, 'abort')
      stopped.push(signal.reason.message)
      return 'late'
    },
  })
  const { app, file } = await keyed(t, [key], { tools: [waits] })
  const calling = callTool(app, 'waits', {}, { headers: key.headers })
  await begun

  file.set()
  const { isError, content } = await calling

  t.ok(isError)
  t.equal(content[0].text, 'waits was cancelled: the API key of the caller has expired, or was removed')
  t.strictSame(stopped, ['The API key of the caller has ended'])
  await until(() => app.audit.lines.length > 1, 'it is audited')
  t.match(app.audit.lines, [
    { event: 'api-key-ended', subject: 'n8n', client: key.record.id, issuer: 'urn:toolrack:api-keys' },
    { outcome: 'cancelled', kind: 'key-ended', tool: 'waits' },
  ])
})

t.test('a key is read anew each time, also where a folder of tools is served', async t => {
  const key = testKey()
  const { path: toolsDir } = tempFolder(t)
  const { app, file } = await keyed(t, [key], { toolsDir })

  file.set()
  await app.toolrack.reload()

  t.equal((await call(app, 'tools/list', {}, { headers: key.headers })).status, 401)
})
