// A client that comes back while its stream goes on, over a store that takes its time: as replicas share one.
import t, { type Test } from 'tap'
import { MemoryEvents } from '../../../../packages/memory/src/events.ts'
import { memory } from '../../../../packages/memory/src/state.ts'
import type { EventStore } from '../../../../src/state/events.ts'
import { listening } from '../../../support/app.ts'
import { type AppClient, open } from '../../../support/client/app-client.ts'
import { override } from '../../../support/override.ts'
import { type Handler, tool } from '../../../support/steered-tools.ts'

/** Reads at once, and answers what was there then when `answer` is called. */
function slowEvents() {
  const events = new MemoryEvents()
  let reading = Promise.withResolvers<void>()
  let answering = Promise.withResolvers<void>()
  const slow = override<EventStore>(events, {
    async read(key, afterSeq) {
      const found = events.read(key, afterSeq)
      reading.resolve()
      await answering.promise
      return found
    },
  })
  const asked = async () => {
    await reading.promise
    reading = Promise.withResolvers()
  }
  const answer = () => {
    const { resolve } = answering
    answering = Promise.withResolvers()
    resolve()
  }
  return { slow, asked, answer }
}

async function serve(t: Test, handler: Handler) {
  const { slow, asked, answer } = slowEvents()
  const { app } = await listening(t, {
    state: { ...memory(), events: slow },
    tools: [tool('slow', handler)],
    rateLimit: { max: 1_000_000 },
  })
  return { client: await open(t, app), asked, answer }
}

async function left(client: AppClient) {
  const call = await client.postTool('slow', {}, { _meta: { progressToken: 1 } })
  await call.next(0)
  call.close()
  await call.ended
  return call.events.at(-1)!.id!
}

t.test('what is sent while the store is read is not lost', async t => {
  let say: (step: number) => void = () => {}
  let finish: (text: string) => void = () => {}
  const { client, asked, answer } = await serve(t, ({ progress }) => {
    say = progress
    progress(1)
    return new Promise(resolve => (finish = resolve))
  })

  const coming = client.listen(await left(client))
  await asked()
  say(2)
  answer()
  await asked()
  answer()
  const again = await coming
  await again.next(0)
  say(3)
  finish('done')
  await again.ended

  t.strictSame(
    again.messages.map(({ params, result }) => params?.progress ?? result.content[0].text),
    [2, 3, 'done'],
  )
})

t.test('a call that ends while the store is read is answered', async t => {
  let finish: (text: string) => void = () => {}
  const { client, asked, answer } = await serve(t, ({ progress }) => {
    progress(1)
    return new Promise(resolve => (finish = resolve))
  })

  const coming = client.listen(await left(client))
  await asked()
  finish('done')
  await new Promise(setImmediate)
  answer()
  await asked()
  answer()
  const again = await coming

  t.equal((await again.last()).result.content[0].text, 'done')
  t.equal(again.messages.length, 1)
})

t.test('a session that ends while the store is read gets no stream', async t => {
  const { client, asked, answer } = await serve(t, ({ progress }) => {
    progress(1)
    return new Promise(() => {})
  })

  const coming = client.listen(await left(client))
  await asked()
  await client.end()
  answer()
  await Promise.race([asked(), coming])
  answer()
  const again = await coming

  t.equal(again.status, 404)
})
