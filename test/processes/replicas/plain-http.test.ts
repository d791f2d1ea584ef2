// Plain HTTP of two replicas: tasks, questions and keys of one are those of the other.
import t from 'tap'
import type { Place } from '../../support/client/transport.ts'
import { pair, said, until, untilServed, whoSaid } from '../../support/replicas/pair.ts'
import { openGate } from '../../support/replicas/stateless.ts'
import { NO_REDIS } from '../../support/servers/redis-server.ts'

interface Call {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly json?: unknown
}

async function send(at: Place, path: string, { method, headers = {}, json }: Call = {}) {
  const body = json === undefined ? undefined : JSON.stringify(json)
  const reply = await untilServed(() =>
    fetch(new URL(path, at.url), {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    }),
  )
  const text = await reply.text()
  return { status: reply.status, headers: reply.headers, text, body: text === '' ? undefined : JSON.parse(text) }
}

const ASYNC = { prefer: 'respond-async' }

t.test('plain HTTP: of two replicas', { skip: NO_REDIS, timeout: 290_000 }, async t => {
  const replicas = await pair(t)
  const { one, two } = replicas

  async function begin(at: Place, name: string): Promise<string> {
    const { status, headers } = await send(at, '/tools/job', { headers: ASYNC, json: { name } })
    t.strictSame([status, headers.get('preference-applied')], [202, 'respond-async'])
    return headers.get('location')!
  }

  t.test('a task of one is polled on the other, which gets its result', async t => {
    const url = await begin(one, 'polled')
    t.equal((await send(two, url)).status, 202)
    const { here } = await whoSaid('polled began', replicas)

    await openGate(here, 'polled')

    await until(async () => (await send(two, url)).status === 200, 'it has ended')
    for (const at of [one, two]) t.equal((await send(at, url)).body.content[0].text, 'polled ended')
  })

  t.test('a task of one is cancelled on the other, and its tool is aborted', async t => {
    const url = await begin(one, 'cancelled')
    const { here, there } = await whoSaid('cancelled began', replicas)

    t.equal((await send(there, url, { method: 'DELETE' })).status, 204)

    await said(here, 'cancelled aborted: The client cancelled the request')
    for (const at of [one, two]) t.equal((await send(at, url)).status, 410)
  })

  t.test('what a call asks on one is answered on the other, once', async t => {
    const { status, body } = await send(one, '/tools/greet', { method: 'POST' })
    t.equal(status, 409)
    const { url, body: json } = body.answer
    const answer = { ...json, answers: { name: { name: 'Ada' } } }

    t.equal((await send(two, url, { json: answer })).body.content[0].text, 'Hello Ada')

    t.equal((await send(one, url, { json: answer })).status, 400)
  })

  t.test('what a task asks is answered on the other', async t => {
    const { headers } = await send(one, '/tools/greet_later', { method: 'POST', headers: ASYNC })
    const url = headers.get('location')!
    await until(async () => (await send(two, url)).body.status === 'input_required', 'it asks')

    await send(two, (await send(two, url)).body.answer.url, { json: { answers: { name: { name: 'Ada' } } } })

    await until(async () => (await send(one, url)).status === 200, 'it has ended')
    t.equal((await send(two, url)).body.content[0].text, 'Hello Ada')
  })

  t.test('an Idempotency-Key counts on both: the tool runs once', async t => {
    const put = (at: Place) =>
      send(at, '/tools/put', { headers: { 'idempotency-key': 'order-7' }, json: { name: 'once' } })
    const first = put(one)
    const { here } = await whoSaid('once began', replicas)
    await openGate(here, 'once')

    t.equal((await first).body.content[0].text, 'once ended')
    t.equal((await put(two)).body.content[0].text, 'once ended')
    t.equal([...one.lines, ...two.lines].filter(line => line === 'once began').length, 1)
  })
})
