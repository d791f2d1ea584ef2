// A stream lasts no longer than the token that opened it. A token ends here when the test moves the
// clock; the server accepts it for 30 s more.
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { STREAM_TICK_MS } from '../../../src/transport/event-stream.ts'
import { listening, stream } from '../../support/app.ts'
import { bearer, PROMPTS, RESOURCE, RESOURCES, SECRET, TOOLS } from '../../support/auth/guarded.ts'
import { nowS } from '../../support/auth/tokens.ts'
import { inject, socket } from '../../support/client/transport.ts'
import { until } from '../../support/security/hostile.ts'
import { handshake } from '../../support/security/sessions.ts'
import { turns } from '../../support/turns.ts'

/**
 * Unix time stands still, but for what a test adds.
 *
 * @returns the end of a token, and how to go on to so many s behind it; streams are then looked at once
 */
function clocked(t: Test) {
  mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.now() })
  t.teardown(() => mock.timers.reset())
  const exp = nowS() + 60
  const goTo = (behindS: number) => {
    mock.timers.setTime((exp + behindS) * 1000 - STREAM_TICK_MS)
    mock.timers.tick(STREAM_TICK_MS)
  }
  return { exp, goTo }
}

const guardedHere = {
  jwt: { secret: SECRET },
  publicUrl: RESOURCE,
  httpSse: true,
  rateLimit: { max: 1_000_000 },
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
  await turns()
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
  const opened = await socket(port, t).send({ body: handshake(), headers: bearer() })
  const session = String(opened.headers['mcp-session-id'])
  const news = await socket(port, t).stream({ session, headers: bearer('', { exp }) })
  await until(() => news.events[0]?.id, 'the stream began')

  goTo(29)
  await news.ended

  app.toolrack.remove('free')
  const again = await socket(port, t).stream({
    session,
    headers: { ...bearer(), 'last-event-id': news.events[0]!.id! },
  })
  await again.find(({ method }) => method === 'notifications/tools/list_changed')
  t.notOk(again.hasEnded)
})

t.test('B16: HTTP+SSE: the stream ends, and its session with it', async t => {
  const { exp, goTo } = clocked(t)
  const { app, port } = await listening(t, guardedHere)
  const news = await socket(port, t).stream({ path: '/sse', headers: bearer('', { exp }) })
  await until(() => news.events.length === 1, 'the endpoint was told')

  goTo(29)
  await news.ended

  const url = news.events[0]!.data
  await until(
    async () => (await inject(app).send({ path: url, body: handshake(), headers: bearer() })).status === 404,
    'it is gone',
  )
})
