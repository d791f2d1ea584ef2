import t from 'tap'
import { connected } from '../../../support/client/app-client.ts'
import { initializing } from '../../../support/client/client.ts'
import { urlOf } from '../../../support/client/transport.ts'
import { until } from '../../../support/eventually.ts'
import { gatedTool, stuckTool } from '../../../support/steered-tools.ts'

const asked = { _meta: { progressToken: 'p' } }
const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

async function draining(t: Parameters<typeof connected>[0], revision = '2025-11-25') {
  const { gated, open } = gatedTool()
  const client = await connected(t, { tools: [gated], drainMs: 60_000 }, { revision })
  const call = await client.postTool('slow', {}, asked)
  await call.next(0)
  const news = await client.listen()
  const closing = client.app.close()
  await news.ended
  return { client, call, news, closing, finish: open }
}

t.test('a shutdown ends streams of news at once, and calls with their result', async t => {
  const { call, closing, finish } = await draining(t)

  t.notOk(call.hasEnded)
  finish()

  t.equal((await call.last()).result.content[0].text, 'done')
  await closing
})

t.test('while it shuts down a server opens no session, no stream and begins no call', async t => {
  const { client, closing, finish } = await draining(t)
  const url = urlOf(client.app)
  const post = (body: object, headers: Record<string, string>) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })

  const replies = [
    await post(initializing(), usual),
    await post(initializing(), client.headers()),
    await post(client.request('tools/list'), client.headers()),
    await fetch(url, { headers: client.headers({ 'content-type': undefined }) }),
  ]

  for (const reply of replies) {
    t.equal(reply.status, 503)
    t.match(await reply.json(), { error: { code: 50300 } })
    t.equal(reply.headers.get('retry-after'), '1')
  }
  finish()
  await closing
})

t.test('while it shuts down a cancellation is heard, and a session can be ended', async t => {
  const { client, call, closing } = await draining(t)

  const ended = await fetch(urlOf(client.app), {
    method: 'DELETE',
    headers: client.headers({ 'content-type': undefined }),
  })

  t.equal(ended.status, 204)
  await call.ended
  await closing
})

t.test('a call that outlives the drain is told so on its stream', async t => {
  const { stuck } = stuckTool()
  const client = await connected(t, { tools: [stuck], drainMs: 100 })
  const call = await client.postTool('stuck', {}, asked)
  await call.next(0)

  await client.app.close()

  t.match((await call.last()).result, { isError: true, content: [{ text: /shutting down; retry/ }] })
})

t.test('a call whose client is away does not keep the server', async t => {
  const { stuck } = stuckTool()
  const client = await connected(t, { tools: [stuck], drainMs: 100 })
  const call = await client.postTool('stuck', {}, asked)
  await call.next(0)
  call.close()

  await client.app.close()

  t.pass()
})

t.test('a server that has closed keeps no timer and no stream', async t => {
  const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length
  const before = timers()
  const client = await connected(t)
  const streams = [await client.listen(), await client.listen()]

  await client.app.close()
  await Promise.all(streams.map(({ ended }) => ended))

  await until(() => timers() <= before, 'its timers ended')
  t.ok(timers() <= before)
})
