import t from 'tap'
import { FakeClock } from '../../../packages/testing/src/fake-clock.ts'
import type { NotificationSink } from '../../../src/request/exchange.ts'
import { OPEN_AFTER_MS, openIfQuiet } from '../../../src/request/quiet.ts'

function sinkThatOpens() {
  let opened = 0
  const sink: NotificationSink = {
    send: () => true,
    onDrain() {},
    detach() {
      throw new Error('not detached')
    },
    keepAlive: () => void opened++,
  }
  return { sink, opened: () => opened }
}

t.test('a stream opens once its request has been quiet for long, and not a moment before', async t => {
  const clock = new FakeClock()
  const { sink, opened } = sinkThatOpens()
  openIfQuiet(sink, clock)

  await clock.advance(OPEN_AFTER_MS - 1)
  t.equal(opened(), 0)
  await clock.advance(1)
  t.equal(opened(), 1)
  await clock.advance(OPEN_AFTER_MS)
  t.equal(opened(), 1)
})

t.test('a request that is answered in time opens no stream', async t => {
  const clock = new FakeClock()
  const { sink, opened } = sinkThatOpens()
  clock.clearTimeout(openIfQuiet(sink, clock))

  await clock.advance(OPEN_AFTER_MS)
  t.equal(opened(), 0)
})

t.test('without a stream that could open there is no timer', async t => {
  const clock = new FakeClock()
  const { keepAlive: _, ...always } = sinkThatOpens().sink

  t.equal(openIfQuiet(undefined, clock), undefined)
  t.equal(openIfQuiet(always, clock), undefined)
})
