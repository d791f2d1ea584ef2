// A drain waits for what is under way, and for what one turn of the event loop has already read.
import t from 'tap'
import { Inflight } from '../../../src/request/inflight.ts'

const LIMIT_MS = 60_000

t.test('a drain waits for a request that was read in the same turn and begins at its end', async t => {
  const inflight = new Inflight()
  let isDrained = false
  setImmediate(() => inflight.begin())

  const draining = inflight.drain(LIMIT_MS).then(() => (isDrained = true))
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)

  t.notOk(isDrained)
  inflight.end()
  await draining
  t.ok(isDrained)
})

t.test('a drain with nothing under way ends at once', async t => {
  const inflight = new Inflight()

  await inflight.drain(LIMIT_MS)

  t.ok(inflight.isDraining)
  t.throws(() => inflight.assertOpen(), /another replica/)
})

t.test('a drain cancels at its limit what waits', async t => {
  const inflight = new Inflight()
  const cancellation = inflight.createCancellation()
  inflight.begin()
  cancellation.onCancel(reason => {
    t.equal(reason, 'shutdown')
    inflight.end()
  })

  await inflight.drain(1)

  t.equal(cancellation.reason, 'shutdown')
})
