// Every door makes the same scope check. A notice that a list has changed goes to all callers
// (docs/decisions, 19), because it says neither what has changed nor for whom.
import t from 'tap'
import { defineResource } from '../../../src/index.ts'
import { type App, call, listening, stream } from '../../support/app.ts'
import { bearer, guarded, PROMPTS, RESOURCE, RESOURCES, SECRET, TOOLS } from '../../support/auth/guarded.ts'
import { inject, socket } from '../../support/client/transport.ts'
import { ELICITS } from '../../support/security/hosted.ts'
import { until } from '../../support/security/hostile.ts'
import { BATCHES, callOf, NEWEST, openSession } from '../../support/security/sessions.ts'

const PROMPT = { ref: { type: 'ref/prompt', name: 'closed' }, argument: { name: 'who', value: 'a' } }
const TEMPLATE = { ref: { type: 'ref/resource', uri: 'item:{id}' }, argument: { name: 'id', value: 'a' } }
const SERVED_BY_TEMPLATE = { ref: { type: 'ref/resource', uri: 'item:1' }, argument: { name: 'id', value: 'a' } }
const PLAIN = { ref: { type: 'ref/resource', uri: 'doc:closed' }, argument: { name: 'id', value: 'a' } }

const DOORS: [method: string, params: Record<string, unknown>][] = [
  ['tools/call', { name: 'closed', arguments: {} }],
  ['prompts/get', { name: 'closed' }],
  ['resources/read', { uri: 'doc:closed' }],
  ['resources/read', { uri: 'item:1' }],
  ['completion/complete', PROMPT],
  ['completion/complete', TEMPLATE],
  ['completion/complete', SERVED_BY_TEMPLATE],
  ['completion/complete', PLAIN],
]
const OF_SESSIONS: typeof DOORS = [
  ['resources/subscribe', { uri: 'doc:closed' }],
  ['resources/subscribe', { uri: 'item:1' }],
]
const REFUSED = { status: 403, error: { code: 40300 } }
const SERVED = { status: 200, error: undefined }

const message = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params })

async function inSession(app: App, headers: Record<string, string>, revision: string) {
  const session = await openSession(app, revision, { headers })
  return async (body: object) => {
    const { status, message: answer, messages, headers: got } = await inject(app).send({ session, body, headers })
    return { status, error: answer?.error, challenge: got['www-authenticate'], messages }
  }
}

t.test('B21: requests of their own', async t => {
  const app = await guarded(t)
  for (const [method, params] of DOORS) {
    const without = await call(app, method, params, { headers: bearer('write') })
    t.match(without, REFUSED, method)
    t.match(without.headers['www-authenticate'], /scope="read"$/)
    t.match(await call(app, method, params, { headers: bearer('read') }), SERVED, method)
  }
})

t.test('B21: requests of a session', async t => {
  const app = await guarded(t)
  for (const revision of [NEWEST, BATCHES]) {
    const [without, within] = [
      await inSession(app, bearer('write'), revision),
      await inSession(app, bearer('read'), revision),
    ]
    for (const [method, params] of [...DOORS, ...OF_SESSIONS]) {
      const refused = await without(message(method, params))
      t.match(refused, REFUSED, `${revision} ${method}`)
      t.match(refused.challenge, /scope="read"$/)
      t.match(await within(message(method, params)), SERVED, `${revision} ${method}`)
    }
  }
})

t.test('B21: entries of a batch: each is refused by itself', async t => {
  const app = await guarded(t)
  const without = await inSession(app, bearer('write'), BATCHES)
  const doors = [...DOORS, ...OF_SESSIONS]
  const batch = [...doors.map(([method, params], id) => ({ ...message(method, params), id })), callOf('free', {}, 99)]

  const { status, messages } = await without(batch)

  t.equal(status, 200)
  const refused = messages.filter(({ error }) => error?.code === 40300)
  t.strictSame(refused.map(({ id }) => id).sort(), [...doors.keys()])
  t.match(
    messages.find(({ id }) => id === 99),
    { result: { content: [{ text: 'free' }] } },
  )
})

t.test('B21: a retry with requestState after the scope is gone', async t => {
  const app = await guarded(t)
  const asking = (headers: Record<string, string>, more: object = {}) =>
    call(app, 'tools/call', { name: 'asks', arguments: {}, ...more }, { headers, capabilities: ELICITS })
  const { requestState } = (await asking(bearer('read'))).result
  const answered = { requestState, inputResponses: { word: { action: 'accept', content: { word: 'x' } } } }

  t.match(await asking(bearer('write'), answered), REFUSED)
  t.match(await asking(bearer('read'), answered), SERVED)
})

t.test('B21: a session goes by the token of each request, not by the one that opened it', async t => {
  const app = await guarded(t)
  const session = await openSession(app, undefined, { headers: bearer('read') })

  t.equal((await inject(app).send({ session, body: callOf('closed'), headers: bearer('read') })).status, 200)
  t.equal((await inject(app).send({ session, body: callOf('closed'), headers: bearer() })).status, 403)
  t.equal((await inject(app).send({ session, body: callOf('closed') })).status, 401)
})

t.test('B21: subscriptions/listen: what may not be read is not honoured, and never told', async t => {
  const { app, url } = await listeningGuarded(t)
  const uris = ['doc:free', 'doc:closed', 'item:1', 'later:1']
  const listen = (scope: string) =>
    stream(
      t,
      url,
      'subscriptions/listen',
      { notifications: { resourceSubscriptions: uris } },
      { headers: bearer(scope) },
    )
  const [without, within] = [await listen('write'), await listen('read')]

  t.strictSame((await without.next(0)).params.notifications.resourceSubscriptions, ['doc:free', 'later:1'])
  t.strictSame((await within.next(0)).params.notifications.resourceSubscriptions, uris)
  app.toolrack.add(defineResource({ uri: 'later:1', name: 'later', scopes: ['read'], handler: () => '' }))
  for (const uri of ['doc:closed', 'item:1', 'later:1', 'doc:free']) app.toolrack.resourceUpdated(uri)

  await within.next(4)
  t.strictSame((await without.next(1)).params.uri, 'doc:free')
  t.equal(without.messages.length, 2)
})

t.test('B21: a stream of a session tells nothing that its own token may not read', async t => {
  const { app, port } = await listeningGuarded(t)
  const opened = await socket(port, t).stream({ body: { ...hello }, headers: bearer('read') })
  await opened.ended
  const session = String(opened.headers['mcp-session-id'])
  for (const uri of ['doc:free', 'doc:closed']) {
    await socket(port, t).stream({ session, body: message('resources/subscribe', { uri }), headers: bearer('read') })
  }

  const lesser = await socket(port, t).stream({ session, headers: bearer() })
  for (const uri of ['doc:closed', 'doc:free']) app.toolrack.resourceUpdated(uri)
  await lesser.find(({ params }) => params?.uri === 'doc:free')
  const full = await socket(port, t).stream({ session, headers: bearer('read') })
  app.toolrack.resourceUpdated('doc:closed')
  await full.find(({ params }) => params?.uri === 'doc:closed')

  t.equal(lesser.messages.length, 1)
})

t.test('B21: HTTP+SSE', async t => {
  const { port } = await listeningGuarded(t)
  const headers = bearer('write')
  const news = await socket(port, t).stream({ path: '/sse', headers })
  await until(() => news.events.length === 1, 'the endpoint was told')
  const path = news.events[0]!.data
  const post = (body: object) => socket(port, t).stream({ path, body, headers })
  await post({ ...hello, params: { ...hello.params, protocolVersion: '2024-11-05' } })
  await news.find(({ id }) => id === 'hello')

  for (const [index, [method, params]] of [...DOORS, ...OF_SESSIONS].entries()) {
    await post({ ...message(method, params), id: index })
    const { error } = await news.find(({ id }) => id === index)
    t.equal(error?.code, 40300, method)
  }
})

const hello = {
  ...message('initialize', {
    protocolVersion: NEWEST,
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  }),
  id: 'hello',
}

function listeningGuarded(t: Parameters<typeof listening>[0]) {
  return listening(t, {
    jwt: { secret: SECRET },
    publicUrl: RESOURCE,
    httpSse: true,
    rateLimit: { max: 1_000_000 },
    tools: TOOLS,
    resources: RESOURCES,
    prompts: PROMPTS,
  })
}
