// A replica with tools that tests steer: what runs on it is held until `open_gate` is called there, and says on stdout that
// it has begun, and why it was aborted. Settings come from the environment, as for `npm start`.

import { handleSignals } from '../../../packages/cli/src/run-server.ts'
import { readEnvironment } from '../../../packages/environment/src/read.ts'
import { createServer, defineResource, defineTool, Type } from '../../../src/index.ts'
import { form } from '../input/rounds.ts'
import { settingsAsOptions } from '../settings-as-options.ts'
import { shedNoLoad } from '../shed-no-load.ts'
import { Gates } from './gates.ts'

const LIMIT = 20

const named = Type.Object({ name: Type.String() })
const gates = new Gates(line => console.log(line))
const settings = readEnvironment()

const app = await createServer({
  ...settingsAsOptions(settings),
  tools: [
    defineTool({ name: 'where', description: 'For tests.', handler: () => String(settings.port) }),
    defineTool({
      name: 'limited',
      description: 'For tests.',
      rateLimit: { max: LIMIT, timeWindow: '10 minutes' },
      handler: () => 'passed',
    }),
    defineTool({
      name: 'chatty',
      description: 'For tests.',
      handler(_args, { log }) {
        log.info('fine detail')
        log.error('broken')
        return 'said'
      },
    }),
    defineTool({
      name: 'held',
      description: 'For tests.',
      inputSchema: named,
      timeout: 120_000,
      handler: ({ name }, ctx) => gates.hold(name, ctx),
    }),
    defineTool({
      name: 'job',
      description: 'For tests.',
      inputSchema: named,
      task: 'optional',
      timeout: 120_000,
      handler: ({ name }, ctx) => gates.hold(name, ctx),
    }),
    defineTool({
      name: 'put',
      description: 'For tests.',
      inputSchema: named,
      task: 'optional',
      idempotency: true,
      annotations: { idempotentHint: true },
      timeout: 4000,
      handler: ({ name }, ctx) => gates.hold(name, ctx),
    }),
    defineTool({
      name: 'open_gate',
      description: 'For tests.',
      inputSchema: named,
      handler: ({ name }) => gates.open(name),
    }),
    defineTool({
      name: 'greet',
      description: 'For tests.',
      async handler(_args, { elicit }) {
        const { action, content } = await elicit('name', form('name'))
        return action === 'accept' ? `Hello ${content?.['name']}` : `No name: ${action}`
      },
    }),
    defineTool({
      name: 'greet_later',
      description: 'For tests.',
      task: 'optional',
      async handler(_args, { elicit, signal }) {
        await gates.pause(signal)
        const { content } = await elicit('name', form('name'))
        return `Hello ${content?.['name']}`
      },
    }),
    defineTool({
      name: 'ask_then_job',
      description: 'For tests.',
      task: 'optional',
      timeout: 120_000,
      async handler(_args, ctx) {
        const { content } = await ctx.elicit('name', form('name'))
        return gates.hold(String(content?.['name']), ctx)
      },
    }),
    defineTool({
      name: 'joke',
      description: 'For tests.',
      async handler(_args, { sample }) {
        const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'A joke' } }]
        const { content } = await sample('joke', { messages, maxTokens: 5 })
        return (content as { text: string }).text
      },
    }),
    defineTool({
      name: 'roots',
      description: 'For tests.',
      handler: async (_args, { listRoots }) => (await listRoots('roots')).roots.map(({ uri }) => uri).join(),
    }),
  ],
  resources: ['memo://a', 'memo://b'].map(uri => defineResource({ uri, name: uri, handler: () => 'text' })),
})

app.toolrack.add([
  defineTool({
    name: 'add_tool',
    description: 'For tests.',
    inputSchema: named,
    handler({ name }) {
      app.toolrack.add(defineTool({ name, description: 'For tests.', handler: () => settings.port.toString() }))
      return 'added'
    },
  }),
  defineTool({
    name: 'touch',
    description: 'For tests.',
    inputSchema: Type.Object({ uri: Type.String() }),
    handler({ uri }) {
      app.toolrack.resourceUpdated(uri)
      return 'touched'
    },
  }),
])
handleSignals(shedNoLoad(app), settings.drainMs)
await app.listen({ host: '127.0.0.1', port: settings.port })
console.log('listening')
