// Floods of handshakes and subscriptions, and what is left of them.
import { once } from 'node:events'
import t from 'tap'
import { memory } from '../../../packages/memory/src/state.ts'
import { defineResource, defineTool } from '../../../src/index.ts'
import { MAX_SUBSCRIPTIONS_PER_SESSION } from '../../../src/legacy/open.ts'
import type { Session } from '../../../src/state/sessions.ts'
import { inject, socket } from '../../support/client/transport.ts'
import { override } from '../../support/override.ts'
import { wired } from '../../support/security/hostile.ts'
import { target } from '../../support/security/probe.ts'
import {
  assertServed,
  attackIn,
  callOf,
  handshake,
  inSession,
  openSession,
  openSessionAt,
} from '../../support/security/sessions.ts'

t.test('a handshake that says much is kept in little: nothing of clientInfo, capabilities or experiments', async t => {
  const state = memory()
  const kept: Session[] = []
  const sessions = override(state.sessions, {
    async open(opening) {
      const session = await state.sessions.open(opening)
      kept.push(session)
      return session
    },
  })
  const app = await target(t, { logLevel: 'silent', state: { ...state, sessions } })
  const long = 'x'.repeat(300_000)
  const wide = Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`k${index}`, { v: index }]))
  const capabilities = { experimental: { [long]: {} }, elicitation: { form: wide }, roots: { x: long }, extensions: {} }
  const hello = handshake('2025-11-25', capabilities)
  const params = { ...hello.params, clientInfo: { name: long, version: '1', title: 'x' } }

  t.match(await inject(app).send({ body: { ...hello, params } }), { status: 200 })

  t.equal(kept.length, 1)
  const { length } = JSON.stringify(kept)
  t.ok(length < 2048, `${length} characters`)
})

t.test('a handshake that is too much, or none, opens nothing', async t => {
  const { app, session } = await inSession(t)
  const hello = handshake()
  const wrong: unknown[] = [
    { ...hello, params: undefined },
    { ...hello, params: {} },
    { ...hello, params: { ...hello.params, protocolVersion: 'x'.repeat(65) } },
    { ...hello, params: { ...hello.params, protocolVersion: 20251125 } },
    { ...hello, params: { ...hello.params, capabilities: [] } },
    { ...hello, params: { ...hello.params, clientInfo: 'me' } },
    { ...hello, params: { ...hello.params, clientInfo: { name: 'me' } } },
    { ...hello, params: { ...hello.params, _meta: { progressToken: {} } } },
    { ...hello, params: { ...hello.params, _meta: 'x' } },
    { ...hello, id: null },
  ]
  // Without a session these are a notification, and requests for methods that there are not.
  const others: readonly (readonly [number, unknown])[] = [
    [202, { ...hello, id: undefined }],
    [200, { ...hello, method: 'Initialize' }],
    [200, { ...hello, method: 'initialize ' }],
  ]

  for (const [status, body] of [...wrong.map(each => [400, each] as const), ...others]) {
    const got = await attackIn(app, { body })
    t.equal(got.status, status, JSON.stringify(body).slice(0, 120))
    t.notOk('mcp-session-id' in got.headers)
  }
  await assertServed(app, session)
})

t.test('a flood of handshakes is bounded, and makes idle sessions go first: those at work stay', async t => {
  const maxSessions = 50
  const hangs = defineTool({ name: 'hangs', handler: (_args, { signal }) => once(signal, 'abort') })
  const { app, port, toolrack } = await wired(t, [hangs], { sessions: { ttlMs: 3_600_000, maxSessions } })
  const [idle, listening, calling] = [
    await openSessionAt(t, port),
    await openSessionAt(t, port),
    await openSessionAt(t, port),
  ]
  const stream = await socket(port, t).stream({ session: listening })
  const call = await socket(port, t).stream({ session: calling, body: callOf('hangs') })

  for (let count = 0; count < 2000; count++) await openSession(app)

  t.equal((await inject(app).send({ session: idle, body: callOf('probe') })).status, 404, 'the idle one made room')
  t.equal((await inject(app).send({ session: listening, body: callOf('probe', {}, 2) })).status, 200)
  t.equal((await inject(app).send({ session: calling, body: callOf('probe', {}, 2) })).status, 200)
  toolrack.add({ name: 'news', handler: () => 'x' })
  await stream.find(({ method }) => method === 'notifications/tools/list_changed')
  t.notOk(call.hasEnded)
})

t.test(
  `a session watches at most ${MAX_SUBSCRIPTIONS_PER_SESSION} resources, each once, and only such as there are`,
  async t => {
    const { app, port, toolrack } = await wired(t, [
      defineResource({ uriTemplate: 'doc:{id}', name: 'd', handler: () => 'x' }),
    ])
    const session = await openSessionAt(t, port)
    const ask = (method: string, uri: unknown) =>
      inject(app).send({ session, body: { jsonrpc: '2.0', id: 1, method: `resources/${method}`, params: { uri } } })

    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < MAX_SUBSCRIPTIONS_PER_SESSION; index++) {
        const { message } = await ask('subscribe', `doc:${index}`)
        if (message?.error !== undefined) throw new Error(message.error.message)
      }
    }
    t.match(await ask('subscribe', 'doc:more'), { message: { error: { code: 50300 } } })
    for (const uri of ['other:1', `doc:${'x'.repeat(3000)}`, '', 7, null, {}, undefined])
      t.match(await ask('subscribe', uri), { message: { error: {} } }, `${uri}`)
    t.match(await ask('unsubscribe', 'doc:0'), { message: { result: {} } })
    t.match(await ask('subscribe', 'doc:more'), { message: { result: {} } })

    const stream = await socket(port, t).stream({ session })
    for (let index = 0; index < 5000; index++) toolrack.resourceUpdated(`doc:${index % 200}`)
    toolrack.resourceUpdated('doc:more')
    await stream.find(({ params }) => params?.uri === 'doc:more')
    const uris = new Set(stream.messages.flatMap(({ params }) => params?.uri ?? []))
    t.ok(uris.size <= MAX_SUBSCRIPTIONS_PER_SESSION && !uris.has('doc:0'), `${uris.size}`)
  },
)
