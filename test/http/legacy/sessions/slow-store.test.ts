// A client that comes back while its stream goes on, over a store that takes its time: as replicas share one.
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { mountRoutes } from '../../../../routes/index.ts'
import { resolveOptions } from '../../../../src/config/options.ts'
import { readOptions } from '../../../../src/config/read-options.ts'
import { SessionRegistry } from '../../../../src/legacy/session-registry.ts'
import { register } from '../../../../src/registry/catalog.ts'
import type { EventStore } from '../../../../src/state/events.ts'
import { createMemoryEvents } from '../../../../src/state/memory/events.ts'
import { createMemorySessions } from '../../../../src/state/memory/sessions.ts'
import { noReplicas } from '../../../../src/state/replicas.ts'
import { Toolrack } from '../../../../src/toolrack.ts'
import type { App } from '../../../support/app.ts'
import { type Handler, open, type TestSession, tool } from '../../../support/legacy/session.ts'
import { assembled } from '../../../support/runtime.ts'

/** Reads at once, and answers what was there then when `answer` is called. */
function slowEvents() {
  const events = createMemoryEvents()
  let reading = Promise.withResolvers<void>()
  let answering = Promise.withResolvers<void>()
  const slow: EventStore = {
    ...events,
    async read(key, afterSeq) {
      const found = await events.read(key, afterSeq)
      reading.resolve()
      await answering.promise
      return found
    },
  }
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
  const settings = readOptions({ rateLimit: { max: 1_000_000 } })
  const app = Fastify()
  const plan = { ...resolveOptions({}), identity: { name: 'slow', version: '1' } }
  const parts = assembled('slow', app.log, settings)
  register(parts.catalog, [tool('slow', handler)])
  const { slow, asked, answer } = slowEvents()
  const ttlMs = 60_000
  const sessions = new SessionRegistry({
    replicas: noReplicas,
    sessions: createMemorySessions({ ttlMs }),
    events: slow,
    changes: parts.changes,
    ttlMs,
    mayRead: () => true,
  })
  await mountRoutes(app, { ...parts, sessions }, plan)
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(async () => {
    app.server.closeAllConnections()
    await app.close()
    await sessions.shutDown()
  })
  const client = await open(t, app as unknown as App)
  return { client, asked, answer, toolrack: new Toolrack({ ...parts, sessions }) }
}

async function left(client: TestSession) {
  const call = await client.postTool('slow', {}, { _meta: { progressToken: 1 } })
  await call.next(0)
  call.leave()
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
