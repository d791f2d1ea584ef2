// Catalogue B16: a stream lasts no longer than the token that opened it. Tokens here end when the test lets the clock go on,
// and are taken for 30 s more.
import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { bearer, PROMPTS, RESOURCE, RESOURCES, SECRET, TOOLS } from '../access/guarded.ts'
import { nowS } from '../access/tokens.ts'
import { listening, stream } from '../helper.ts'
import { until } from './hostile.ts'
import { open, post } from './session-wire.ts'
import { handshake, say } from './sessions.ts'

/** Longer than it takes until each stream is looked at again. */
const LOOKED_AT_MS = 1500

/** Unix time stands still, but for what a test adds. @returns the end of a token, and how to go on to so many s behind it */
function clocked(t: Test) {
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  t.teardown(() => mock.timers.reset())
  const exp = nowS() + 60
  return { exp, goTo: (behindS: number) => mock.timers.setTime((exp + behindS) * 1000) }
}

const guardedHere = {
  jwtSecret: SECRET,
  publicUrl: RESOURCE,
  httpSse: true,
  rateLimitMax: 1_000_000,
  tools: TOOLS,
  resources: RESOURCES,
  prompts: PROMPTS,
}
const LISTEN = { notifications: { toolsListChanged: true } }

t.test('B16: a listen stream ends with its completion, and is not told what changes then', async t => {
  const { exp, goTo } = clocked(t)
  const { app, url } = await listening(t, guardedHere)
  const late = await stream(t, url, 'subscriptions/listen', LISTEN, { headers: bearer('', { exp }), id: 'late' })
  const good = await stream(t, url, 'subscriptions/listen', LISTEN, { headers: bearer() })
  await late.next(0)

  goTo(27)
  await sleep(LOOKED_AT_MS)
  t.equal(late.messages.length, 1, 'it lasts as long as the token is taken, but for a moment')
  goTo(29)
  await late.ended

  t.strictSame(late.messages.length, 2)
  t.match(late.messages[1], { id: 'late', result: { resultType: 'complete' } })
  app.toolrack.remove('free')
  t.equal((await good.next(1)).method, 'notifications/tools/list_changed')
  const again = () => stream(t, url, 'subscriptions/listen', LISTEN, { headers: bearer('', { exp }) })
  t.equal((await again()).status, 200)
  goTo(31)
  t.equal((await again()).status, 401)
})

t.test('B16: a stream of a session ends, and the session goes on with a new token', async t => {
  const { exp, goTo } = clocked(t)
  const { app, port } = await listening(t, guardedHere)
  const opened = await post(t, port, { body: handshake(), headers: bearer() })
  const session = String(opened.headers['mcp-session-id'])
  const news = await open(t, port, { session, headers: bearer('', { exp }) })
  await until(() => news.events[0]?.id, 'the stream began')

  goTo(29)
  await news.ended()

  app.toolrack.remove('free')
  const again = await open(t, port, { session, headers: { ...bearer(), 'last-event-id': news.events[0]!.id! } })
  await again.find(({ method }) => method === 'notifications/tools/list_changed')
  t.notOk(again.hasEnded)
})

t.test('B16: HTTP+SSE: the stream ends, and its session with it', async t => {
  const { exp, goTo } = clocked(t)
  const { app, port } = await listening(t, guardedHere)
  const news = await open(t, port, { path: '/sse', headers: bearer('', { exp }) })
  await until(() => news.events.length === 1, 'the endpoint was told')

  goTo(29)
  await news.ended()

  const url = news.events[0]!.data
  await until(async () => (await say(app, { url, body: handshake(), headers: bearer() })).status === 404, 'it is gone')
})
