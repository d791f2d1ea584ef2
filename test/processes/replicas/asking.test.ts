// What a tool asks on one replica, answered by way of the other. Spec 2025-11-25: client/elicitation, sampling, roots.
import t from 'tap'
import type { Place } from '../../support/client/transport.ts'
import { accept } from '../../support/input/rounds.ts'
import { pair } from '../../support/replicas/pair.ts'
import { openAt, textOf } from '../../support/replicas/session.ts'
import { NO_REDIS } from '../../support/servers/redis-server.ts'

const ANSWERS = {
  greet: { asked: 'elicitation/create', answer: accept({ name: 'Ada' }), text: 'Hello Ada' },
  joke: {
    asked: 'sampling/createMessage',
    answer: { role: 'assistant', content: { type: 'text', text: 'Knock knock' }, model: 'm' },
    text: 'Knock knock',
  },
  roots: { asked: 'roots/list', answer: { roots: [{ uri: 'file:///work' }] }, text: 'file:///work' },
}

t.test('questions: asked on one replica', { skip: NO_REDIS }, async t => {
  const { one, two, proxy } = await pair(t)
  const ways: [string, Place, Place][] = [
    ['answered by way of the other', one, two],
    ['answered there', two, two],
    ['answered through the proxy', proxy, proxy],
  ]

  for (const [way, asking, answering] of ways) {
    for (const [name, { asked, answer, text }] of Object.entries(ANSWERS)) {
      t.test(`${asked}, ${way}`, async t => {
        const client = await openAt(t, proxy)
        const call = await client.at(asking).postTool(name)
        const question = await call.next(0)
        t.equal(question.method, asked)

        t.equal((await client.at(answering).answer(question, answer)).status, 202)

        t.equal(await textOf(call), text)
        t.equal(call.messages.length, 2)
      })
    }
  }

  t.test('a refusal by way of the other', async t => {
    const client = await openAt(t, one)
    const call = await client.at(one).postTool('greet')
    const { id } = await call.next(0)

    await client.at(two).post({ jsonrpc: '2.0', id, error: { code: -1, message: 'Not now' } })

    t.match(await textOf(call), 'Not now')
  })

  t.test('the answer of another session finds no question', async t => {
    const [client, stranger] = [await openAt(t, one), await openAt(t, two)]
    const call = await client.at(one).postTool('greet')
    const question = await call.next(0)

    t.equal((await stranger.at(two).answer(question, accept({ name: 'Mallory' }))).status, 202)
    t.equal((await stranger.at(one).answer(question, accept({ name: 'Mallory' }))).status, 202)
    await client.at(two).answer(question, accept({ name: 'Ada' }))

    t.equal(await textOf(call), 'Hello Ada')
  })

  t.test('the first answer counts, whichever way it came', async t => {
    const client = await openAt(t, one)
    const call = await client.at(one).postTool('greet')
    const question = await call.next(0)

    await client.at(two).answer(question, accept({ name: 'Ada' }))
    t.equal(await textOf(call), 'Hello Ada')
    t.equal((await client.at(one).answer(question, accept({ name: 'Bob' }))).status, 202)
    t.equal((await client.at(two).answer(question, accept({ name: 'Bob' }))).status, 202)

    t.strictSame((await client.at(two).call('ping')).result, {})
  })
})
