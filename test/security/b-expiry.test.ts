// Catalogue B16: a stream lasts no longer than the token that opened it. Tokens here ended 26 s ago, and are taken for 30.
import t from 'tap'
import { bearer, PROMPTS, RESOURCE, RESOURCES, SECRET, TOOLS } from '../access/guarded.ts'
import { nowS } from '../access/tokens.ts'
import { listening, stream } from '../helper.ts'
import { until } from './hostile.ts'
import { open, post } from './session-wire.ts'
import { handshake, say } from './sessions.ts'

const AGO_S = 26
/** A loop that lags may end a stream so much later. */
const SLACK_S = 1.5

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
  const { app, url } = await listening(t, guardedHere)
  const exp = nowS() - AGO_S
  const late = await stream(t, url, 'subscriptions/listen', LISTEN, { headers: bearer('', { exp }), id: 'late' })
  const good = await stream(t, url, 'subscriptions/listen', LISTEN, { headers: bearer() })
  await late.next(0)

  await late.ended

  const endedS = Date.now() / 1000
  t.ok(endedS > exp + 27 && endedS < exp + 30 + SLACK_S, `${endedS - exp} s after it ended`)
  t.strictSame(late.messages.length, 2)
  t.match(late.messages[1], { id: 'late', result: { resultType: 'complete' } })
  app.toolrack.remove('free')
  t.equal((await good.next(1)).method, 'notifications/tools/list_changed')
  t.equal(
    (await stream(t, url, 'subscriptions/listen', LISTEN, { headers: bearer('', { exp }) })).status,
    exp + 30 < Date.now() / 1000 ? 401 : 200,
  )
})

t.test('B16: a stream of a session ends, and the session goes on with a new token', async t => {
  const { app, port } = await listening(t, guardedHere)
  const opened = await post(t, port, { body: handshake(), headers: bearer() })
  const session = String(opened.headers['mcp-session-id'])
  const exp = nowS() - AGO_S
  const news = await open(t, port, { session, headers: bearer('', { exp }) })
  await until(() => news.events[0]?.id, 'the stream began')

  await news.ended()

  t.ok(Date.now() / 1000 < exp + 30 + SLACK_S)
  app.toolrack.remove('free')
  const again = await open(t, port, { session, headers: { ...bearer(), 'last-event-id': news.events[0]!.id! } })
  await again.find(({ method }) => method === 'notifications/tools/list_changed')
  t.notOk(again.hasEnded)
})

t.test('B16: HTTP+SSE: the stream ends, and its session with it', async t => {
  const { app, port } = await listening(t, guardedHere)
  const exp = nowS() - AGO_S
  const news = await open(t, port, { path: '/sse', headers: bearer('', { exp }) })
  await until(() => news.events.length === 1, 'the endpoint was told')

  await news.ended()

  t.ok(Date.now() / 1000 < exp + 30 + SLACK_S)
  const url = news.events[0]!.data
  await until(async () => (await say(app, { url, body: handshake(), headers: bearer() })).status === 404, 'it is gone')
})
