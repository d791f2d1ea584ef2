// A batch counts as the messages that it holds.
import t from 'tap'
import { inject } from '../../support/client/transport.ts'
import { BATCHES, callOf, inSession, NEWEST } from '../../support/security/sessions.ts'

const echo = (id: unknown, message: unknown = `m${id}`) => ({ ...callOf('echo', { message }), id })
const many = (count: number) => Array.from({ length: count }, (_, index) => echo(index))

t.test('A14: the limiter counts each entry: what is past the limit is refused, and the rest is served', async t => {
  const { app, session, received } = await inSession(t, BATCHES, { rateLimit: { max: 26 } })

  const first = await inject(app).send({ session, body: many(20) })
  const second = await inject(app).send({ session, body: many(20) })
  const third = await inject(app).send({ session, body: many(1) })

  t.ok(first.messages.every(({ result }) => result !== undefined))
  const served = second.messages.filter(({ result }) => result !== undefined)
  t.equal(served.length, 5, '1 of 26 opened the session')
  t.ok(second.messages.filter(({ error }) => error?.code === 42900).length === 15)
  t.match(third, { status: 429, messages: [{ error: { code: 42900 } }] })
  t.equal(received.length, 25)
})

t.test('A14: notifications and answers are counted too, and are not answered', async t => {
  const { app, session } = await inSession(t, BATCHES, { rateLimit: { max: 22 } })
  const note = { jsonrpc: '2.0', method: 'notifications/whatever' }
  const answer = { jsonrpc: '2.0', id: 'never-asked', result: {} }

  const got = await inject(app).send({ session, body: [...Array(10).fill(note), ...Array(10).fill(answer)] })
  const last = await inject(app).send({ session, body: echo(1) })

  t.match(got, { status: 202, text: '' })
  t.equal(last.status, 200, '22 in all')
  t.equal((await inject(app).send({ session, body: echo(1) })).status, 429)
})

t.test('A14: a refused batch costs one message, so that it cannot be told from a single one', async t => {
  const { app, session } = await inSession(t, NEWEST, { rateLimit: { max: 4 } })

  for (let count = 0; count < 3; count++) t.equal((await inject(app).send({ session, body: many(20) })).status, 400)

  t.equal((await inject(app).send({ session, body: echo(1) })).status, 429)
})
