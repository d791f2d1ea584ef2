// A call whose stream was lost on one replica, gone on with on the other. Spec 2025-11-25: basic/transports.
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { keysOf } from '../../../packages/redis/test/links.ts'
import type { Place } from '../../support/client/transport.ts'
import { accept } from '../../support/input/rounds.ts'
import { pair } from '../../support/replicas/pair.ts'
import { openAt, textOf } from '../../support/replicas/session.ts'
import { openGate } from '../../support/replicas/stateless.ts'
import { NO_REDIS } from '../../support/servers/redis-server.ts'

/** A call that has told its first step, whose connection is cut. */
async function lost(t: Test, at: Place, name: string) {
  const client = await openAt(t, at)
  const request = client.request('tools/call', { name: 'held', arguments: { name }, _meta: { progressToken: 1 } })
  const call = await client.at(at).post(request)
  await call.next(0)
  call.close()
  return { client, request, lastId: call.events.at(-1)!.id!, firstId: call.events[0]!.id! }
}

t.test('resumption: a call on one replica, resumed on the other', { skip: NO_REDIS }, async t => {
  const { one, two, proxy, redisUrl } = await pair(t)

  t.test('while it runs: the rest of it comes, and its result ends the stream', async t => {
    const { client, request, lastId } = await lost(t, one, 'running')

    const rest = await client.at(two).listen(lastId)
    t.equal(rest.status, 200)
    await openGate(one, 'running')

    t.equal(await textOf(rest), 'running ended')
    t.strictSame(
      rest.messages.map(({ id, params }) => id ?? params.progress),
      [2, request.id],
    )
  })

  t.test('after it has ended: all that was missed, and nothing else', async t => {
    const { client, request, lastId, firstId } = await lost(t, one, 'over')
    await openGate(one, 'over')

    const rest = await client.at(two).listen(lastId)
    t.equal(await textOf(rest), 'over ended')
    const whole = await client.at(two).listen(firstId)
    await whole.ended
    const again = await client.at(two).listen(rest.events.at(-1)!.id)

    t.strictSame(
      rest.messages.map(({ id, params }) => id ?? params.progress),
      [2, request.id],
    )
    t.strictSame(
      whole.messages.map(({ id, params }) => id ?? params.progress),
      [1, 2, request.id],
    )
    t.equal(again.status, 405)
  })

  t.test('it is cancelled there, and the stream ends without an answer', async t => {
    const { client, request, lastId } = await lost(t, one, 'dropped')
    const rest = await client.at(two).listen(lastId)

    await client.at(two).notify('notifications/cancelled', { requestId: request.id })

    await rest.ended
    t.strictSame(
      rest.messages.filter(({ method }) => method === undefined),
      [],
    )
  })

  t.test('what it asks meanwhile comes there, and is answered there', async t => {
    const client = await openAt(t, one)
    const call = await client.at(one).postTool('greet')
    const question = await call.next(0)
    call.close()

    const rest = await client.at(two).listen(`${call.events[0]!.id}`)
    t.match(await rest.next(0), { id: question.id, method: 'elicitation/create' })
    await client.at(two).answer(question, accept({ name: 'Ada' }))

    t.equal(await textOf(rest), 'Hello Ada')
  })

  t.test('through the proxy, as often as it is lost', async t => {
    const { client, lastId } = await lost(t, proxy, 'often')
    for (let turn = 0; turn < 3; turn++) {
      const rest = await client.at(proxy).listen(lastId)
      t.equal(rest.status, 200)
      rest.close()
    }
    await Promise.all([one, two].map(at => openGate(at, 'often')))

    t.equal(await textOf(await client.at(proxy).listen(lastId)), 'often ended')
  })

  t.test('by another session it is not', async t => {
    const { client, lastId } = await lost(t, one, 'private')
    const stranger = await openAt(t, two)

    const stolen = await stranger.at(two).listen(lastId)
    await openGate(one, 'private')

    t.equal(await textOf(await client.at(two).listen(lastId)), 'private ended')
    stolen.close()
    t.strictSame(stolen.messages, [])
  })

  // The last, since it takes a replica away.
  t.test('where its replica has died: the call has failed, and its stream ends', async t => {
    const { client, request, lastId } = await lost(t, one, 'dead')
    const { client: other, request: ended, firstId } = await lost(t, one, 'ended before')
    await openGate(one, 'ended before')
    t.equal(await textOf(await other.at(two).listen(firstId)), 'ended before ended')
    const rest = await client.at(two).listen(lastId)

    await one.kill()
    // What it says of itself is forgotten soon.
    const operator = new Redis(redisUrl)
    t.teardown(() => operator.disconnect())
    for (const key of await keysOf(operator, '*:heartbeat')) await operator.del(key)

    t.match(await rest.last(), { id: request.id, error: { code: -32603, message: /interrupted/ } })
    const again = await client.at(two).listen(lastId)
    t.match(await again.last(), { id: request.id, error: { code: -32603 } })
    const whole = await other.at(two).listen(firstId)
    t.match(await whole.last(), { id: ended.id, result: {} })
    t.equal(whole.messages.length, 3)
  })
})
