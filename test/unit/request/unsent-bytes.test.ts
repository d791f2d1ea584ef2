// What has been answered and not been read: counted, bounded, and given back.
import { EventEmitter } from 'node:events'
import t from 'tap'
import type { McpError } from '../../../src/protocol/errors.ts'
import {
  createUnsentBounds,
  MAX_ANSWER_WAIT_MS,
  MAX_WAITING_ANSWERS,
  READER_GRACE_MS,
  SLOWEST_BYTES_PER_S,
  UnsentBytes,
  WHOLE_ANSWER_MS,
} from '../../../src/request/unsent-bytes.ts'

class FakeConnection extends EventEmitter {
  destroyed = false

  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}

function counted() {
  const clock = { nowMs: 0 }
  const unsent = new UnsentBytes({ process: 1000, client: 600 }, () => clock.nowMs)
  const answer = (client: string, bytes: number) => {
    const connection = new FakeConnection()
    unsent.getOrCreate(client, connection).add(bytes)
    return connection
  }
  const reasonFor = (client: string) => {
    try {
      unsent.assertRoom(client)
      return undefined
    } catch (error) {
      return (error as McpError).reason
    }
  }
  return { clock, unsent, answer, reasonFor }
}

const reasonOf = (promise: Promise<unknown>) => promise.then(() => undefined).catch(({ reason }) => reason)
const turn = () => new Promise(resolve => setImmediate(resolve))

t.test('a client that has not read its share is refused, others are not', async t => {
  const { unsent, answer, reasonFor } = counted()

  answer('a', 599)
  t.equal(reasonFor('a'), undefined)
  const last = answer('a', 1)
  t.equal(reasonFor('a'), 'RATE_LIMITED')
  t.equal(reasonFor('b'), undefined)
  last.destroy()

  t.equal(reasonFor('a'), undefined)
  t.equal(unsent.bytes, 599)
})

t.test('what is read is given back, and what closes at once', async t => {
  const { unsent } = counted()
  const connection = new FakeConnection()
  const waiting = unsent.getOrCreate('a', connection)
  waiting.add(500)
  unsent.getOrCreate('a', connection).add(100)
  unsent.getOrCreate('b', connection).add(10)

  t.equal(connection.listenerCount('close'), 1)
  waiting.add(-500)
  t.equal(unsent.bytes, 110)
  connection.destroy()
  t.equal(unsent.bytes, 0)
  waiting.add(-100)
  unsent.getOrCreate('a', connection).add(1000)

  t.equal(unsent.bytes, 0, 'nothing is counted behind the end of its connection')
})

t.test('without room the slowest of who holds most is cut, when it has had its time', async t => {
  const { clock, unsent, answer, reasonFor } = counted()
  const poor = answer('poor', 1)
  const slow = answer('a', 200)
  const quick = answer('a', 390)
  answer('b', 409)

  t.equal(reasonFor('c'), 'BUSY')
  clock.nowMs = READER_GRACE_MS
  t.equal(reasonFor('c'), undefined)

  t.strictSame([slow.destroyed, quick.destroyed, poor.destroyed], [true, false, false])
  t.equal(unsent.bytes, 800)
})

t.test('an answer has to be read as a whole in time; what is no answer need not', async t => {
  const { clock, unsent, answer } = counted()
  const connection = new FakeConnection()
  const waiting = unsent.getOrCreate('a', connection)
  waiting.isAnswer = true
  waiting.add(SLOWEST_BYTES_PER_S)
  waiting.add(1 - SLOWEST_BYTES_PER_S)
  const stream = answer('a', 100)

  clock.nowMs = WHOLE_ANSWER_MS + 1000
  unsent.tick()
  t.notOk(connection.destroyed)
  clock.nowMs++
  unsent.tick()

  t.ok(connection.destroyed)
  t.notOk(stream.destroyed)
})

t.test('an answer waits for room, and is refused when it has waited for too long', async t => {
  const { clock, unsent, answer } = counted()
  const held = answer('a', 600)
  const untilMs = unsent.now() + MAX_ANSWER_WAIT_MS
  const waiting = unsent.wait('a', untilMs)
  held.destroy()
  await waiting
  t.ok(unsent.hasRoom('a'))

  answer('a', 600)
  const late = reasonOf(unsent.wait('a', untilMs).then(() => unsent.wait('a', untilMs)))
  clock.nowMs = untilMs
  unsent.tick()

  t.equal(await late, 'RATE_LIMITED')
})

t.test(`at most ${MAX_WAITING_ANSWERS} answers wait`, async t => {
  const { unsent, answer } = counted()
  const held = answer('a', 600)
  const waiting = Array.from({ length: MAX_WAITING_ANSWERS }, () => unsent.wait('a', MAX_ANSWER_WAIT_MS))

  t.equal(await reasonOf(unsent.wait('a', MAX_ANSWER_WAIT_MS)), 'RATE_LIMITED')
  held.destroy()

  await Promise.all(waiting)
})

t.test('what is built in a turn counts until it is over', async t => {
  const { unsent, reasonFor } = counted()

  unsent.addBuilt(999)
  t.equal(reasonFor('a'), undefined)
  unsent.addBuilt(1)
  t.equal(reasonFor('a'), 'BUSY')
  await turn()

  t.equal(reasonFor('a'), undefined)
})

t.test('what waits for the rest of its answer is nobody’s slowness', async t => {
  const { clock, unsent, reasonFor } = counted()
  const built = unsent.createUnsent('a')
  built.add(600)
  clock.nowMs = 10 * WHOLE_ANSWER_MS
  unsent.tick()

  t.equal(reasonFor('a'), 'RATE_LIMITED')
  built.release()
  t.equal(unsent.bytes, 0)
})

t.test('the bounds follow the size that a result may have', async t => {
  t.same(createUnsentBounds(4 * 2 ** 20), { process: 128 * 2 ** 20, client: 64 * 2 ** 20 })
  t.same(createUnsentBounds(1024), { process: 32 * 2 ** 20, client: 16 * 2 ** 20 })
})
