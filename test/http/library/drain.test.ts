// How long a shutdown waits for calls: as long as it is set, if the app that it is in lets it.
import { once } from 'node:events'
import Fastify from 'fastify'
import t from 'tap'
import { createServer, defineTool, toolrack } from '../../../src/index.ts'
import { callTool } from '../../support/app.ts'

t.test('the time of a drain is never longer than that of the hook it runs in', async t => {
  for (const drainMs of [0, 10_000, 60_000, 2 ** 31 - 1]) {
    const app = await createServer({ drainMs, logLevel: 'silent' })
    t.teardown(() => app.close())
    const { pluginTimeout } = app.initialConfig
    t.ok(pluginTimeout! > drainMs || pluginTimeout === 2 ** 31 - 1, `${drainMs}`)
    t.ok(pluginTimeout! <= 2 ** 31 - 1, 'a timer takes it')
  }
})

t.test('in an app of its own, calls end within the time that the app has for a hook', async t => {
  const begun = Promise.withResolvers<void>()
  const waits = defineTool({
    name: 'waits',
    async handler(_args, { signal }) {
      begun.resolve()
      await once(signal, 'abort')
      return 'stopped'
    },
  })
  const app = Fastify({ pluginTimeout: 1000 })
  await app.register(toolrack, { tools: [waits], drainMs: 600_000 })
  const answer = callTool(app, 'waits')
  await begun.promise
  await app.close()
  t.match(await answer, { isError: true, content: [{ text: /shutting down/ }] })
})
