// What a door brings beside its routes: paths, rows of the start-up report, a name in the records,
// resources, its form of errors, and a listener.
import Fastify from 'fastify'
import type { Test } from 'tap'
import t from 'tap'
import { type Door, type EndedRequest, McpError } from '../../../packages/toolrack/door.ts'
import { createServer, type ServerOptions, toolrack } from '../../../src/index.ts'
import { Toolrack } from '../../../src/toolrack.ts'
import { build, request } from '../../support/app.ts'
import { bearer, SECRET } from '../../support/auth/guarded.ts'

function call(headers: Record<string, string> = {}) {
  const { message, headers: usual } = request('tools/call', { name: 'add', arguments: {} }, { headers })
  return { method: 'POST', url: '/mcp', headers: usual, payload: message } as const
}

const TOOLS = [{ name: 'add', handler: () => '3' }]

const telegram = (changes: Partial<Door> = {}): Door => ({
  name: 'telegram',
  paths: ['/telegram', '/telegram/'],
  open(app, { guards }) {
    app.post('/telegram', { onRequest: [...guards] }, () => ({}))
  },
  ...changes,
})

const withDoor = (t: Test, changes: Partial<Door>, options: ServerOptions = {}) =>
  build(t, { tools: TOOLS, doors: [telegram(changes)], ...options })

t.test('a door has rows of the start-up report, with the address of the server', async t => {
  const app = await withDoor(t, {
    describe: base => [
      { name: 'telegram', on: `${base}/telegram`, shown: { noun: 'Telegram', text: `${base}/telegram` } },
    ],
  })
  t.match(app.toolrack.startUp, { telegram: 'http://127.0.0.1:3000/telegram', console: /^http/ })

  const silent = await withDoor(t, {})
  t.match(silent.toolrack.startUp, { telegram: 'open' })
})

t.test('the endpoint cannot have the path of a door', async t => {
  for (const mcpPath of ['/telegram', '/telegram/bots']) {
    const options = { mcpPath, tools: TOOLS, doors: [telegram()] }
    const refused = {
      name: 'ConfigError',
      message: `mcpPath: expected a path of its own; at ${mcpPath} the server has something else`,
    }
    await t.rejects(createServer(options), refused)
    await t.rejects(async () => Fastify().register(toolrack, options), refused)
  }
  await t.resolves(withDoor(t, {}, { mcpPath: '/telegrams' }))
})

t.test('a path of a door that Fastify cannot read has its form of errors', async t => {
  const app = await withDoor(t, {
    toErrorAnswer: (error, requestId) => ({
      status: error.status,
      json: JSON.stringify({ ok: false, why: error.reason, requestId }),
    }),
  })
  const reply = await app.inject('/telegram/%zz')
  t.match([reply.statusCode, reply.json()], [404, { ok: false, why: 'NOT_FOUND', requestId: /./ }])
  t.match((await app.inject('/elsewhere/%zz')).json(), { jsonrpc: '2.0', error: { code: 40400 } })
})

const PLAIN: Partial<Door> = {
  toErrorAnswer: ({ status, reason }) => ({ status, json: JSON.stringify({ reason }), mediaType: 'text/plain' }),
  toStatus: ({ kind }) => (kind === 'error' ? 418 : 202),
}

t.test('what its guards refuse and its routes throw has its form of errors, under its name in the audit', async t => {
  const app = await withDoor(t, {
    ...PLAIN,
    open(app, { createGuards, send }) {
      const checks = [() => Promise.reject(new McpError('NOT_FOUND', 'not here'))]
      app.get('/telegram/refused', { onRequest: [...createGuards({ checks })] }, () => undefined)
      app.get('/telegram/broken', () => Promise.reject(new Error('a fault')))
      app.get('/telegram/own', (_request, reply) => send(reply, { status: 409, json: '{}' }))
    },
  })
  const get = async (name: string) => {
    const { statusCode, headers, body } = await app.inject(`/telegram/${name}`)
    return [statusCode, headers['content-type'], body]
  }

  t.strictSame(await get('refused'), [404, 'text/plain', '{"reason":"NOT_FOUND"}'])
  t.strictSame(await get('broken'), [500, 'text/plain', '{"reason":"INTERNAL_ERROR"}'])
  t.strictSame(await get('own'), [409, 'application/json; charset=utf-8', '{}'])
  t.match(app.audit.lines, [
    { door: 'telegram', status: 404 },
    { door: 'telegram', status: 500 },
  ])
})

t.test('a door answers preflights, says its status to the audit, and refuses while the server drains', async t => {
  const app = await withDoor(t, {
    ...PLAIN,
    open(app, { answerOptions, guards, refuseWhileDraining, readFacts, serve }) {
      answerOptions(app, '/telegram', () => 'POST')
      app.post('/telegram', { onRequest: [...guards, refuseWhileDraining] }, async request => {
        const { kind } = await serve({ ...readFacts(request), ...ASKED })
        return { kind }
      })
    },
  })
  const ASKED = { method: 'tools/call', params: { name: 'add' }, client: { capabilities: {} } }
  const preflight = { origin: 'http://127.0.0.1:3000', 'access-control-request-method': 'POST' }
  const { statusCode, headers } = await app.inject({ method: 'OPTIONS', url: '/telegram', headers: preflight })
  t.match([statusCode, headers], [204, { allow: 'POST, OPTIONS', 'access-control-allow-origin': preflight.origin }])

  t.strictSame((await app.inject({ method: 'POST', url: '/telegram' })).json(), { kind: 'result' })
  t.match(
    app.audit.lines.find(({ tool }) => tool === 'add'),
    { door: 'telegram', status: 202 },
  )

  void Toolrack.runtime(app.toolrack).inflight.drain(0)
  const refused = await app.inject({ method: 'POST', url: '/telegram' })
  t.match([refused.statusCode, refused.headers.connection, refused.body], [503, 'close', '{"reason":"DRAINING"}'])
})

t.test('the audit has the name of a door whose page has called the endpoint', async t => {
  const hasSent: Door['hasSent'] = headers => headers['x-sent-by'] === 'telegram'
  const app = await withDoor(t, { hasSent })
  await app.inject(call({ 'x-sent-by': 'telegram' }))
  await app.inject(call())
  t.match(
    app.audit.lines.filter(({ tool }) => tool === 'add').map(({ door }) => door),
    ['telegram', undefined],
  )
})

t.test('a door that fails to say what it adds costs neither the answer nor the record', async t => {
  const fail = () => {
    throw new Error('a fault of the door')
  }
  const app = await withDoor(t, { toErrorAnswer: fail, hasSent: fail })
  t.match((await app.inject('/telegram/%zz')).json(), { jsonrpc: '2.0', error: { code: 40400 } })
  await app.inject(call())
  t.match(
    app.audit.lines.find(({ tool }) => tool === 'add'),
    { outcome: 'ok' },
  )
})

t.test('a resource of a door has metadata of its own, and tokens may name it', async t => {
  const options = {
    jwt: { secret: SECRET },
    publicUrl: 'https://tools.example/mcp',
    authorizationServers: ['https://id.example'],
  }
  const app = await withDoor(t, { resources: ['/telegram'] }, options)

  const aud = 'https://tools.example/telegram'
  t.equal((await app.inject(call(bearer('', { aud })))).statusCode, 200)
  const elsewhere = bearer('', { aud: 'https://tools.example/elsewhere' })
  t.equal((await app.inject(call(elsewhere))).statusCode, 401)
  const { statusCode, body } = await app.inject('/.well-known/oauth-protected-resource/telegram')
  t.equal(statusCode, 200)
  t.match(JSON.parse(body), { resource: aud })
  const challenged = await app.inject({ method: 'POST', url: '/telegram' })
  t.match(challenged.headers['www-authenticate'], /oauth-protected-resource\/telegram"/)
})

t.test('a door listens to the end of each request', async t => {
  const heard: EndedRequest[] = []
  const app = await withDoor(t, {
    open: (_app, { onEnded }) => onEnded(ended => heard.push(ended)),
  })
  await app.inject(call())

  t.match(heard, [{ method: 'tools/call', target: { kind: 'tool', name: 'add' }, outcome: 'ok' }])
})

t.test('a door that does not close keeps nothing else open', async t => {
  const closed: string[] = []
  const failing = telegram({ close: () => Promise.reject(new Error('the line is dead')) })
  const other = telegram({ name: 'other', paths: [], open() {}, close: () => void closed.push('other') })
  const app = await build(t, { tools: TOOLS, doors: [failing, other] })
  app.addHook('onClose', async () => void closed.push('app'))

  await app.close()

  t.strictSame(closed.toSorted(), ['app', 'other'])
  t.match(
    app.logs.lines.filter(({ level }) => level === 50),
    [{ msg: 'could not close a door', door: 'telegram' }],
  )
})

t.test('two doors have two names, and a door that ships has its own', async t => {
  for (const names of [['telegram', 'telegram'], ['plain-http']])
    await t.rejects(createServer({ doors: names.map(name => telegram({ name })) }), {
      name: 'ConfigError',
      message: `doors: expected one door of the name ${names[0]}`,
    })
  await t.rejects(createServer({ doors: [telegram({ paths: ['telegram'] })] }), {
    message: 'doors: expected paths of telegram such as /chat',
  })
})
