// A replica whose tools write what they do into a ledger. Settings come from the environment, as for `npm start`.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { handleSignals } from '../../../packages/cli/src/run-server.ts'
import { readEnvironment } from '../../../packages/environment/src/read.ts'
import { createServer, defineTool, Type } from '../../../src/index.ts'
import { settingsAsOptions } from '../../support/settings-as-options.ts'
import { shedNoLoad } from '../../support/shed-no-load.ts'
import { note } from './ledger.ts'

const file = process.env['LEDGER']!
const { pid } = process
const Work = Type.Object({ entry: Type.String(), ms: Type.Integer() })

const work = (name: string, isIdempotent: boolean) =>
  defineTool({
    name,
    description: `Takes a while, and writes down when it starts and ends; ${isIdempotent ? 'may' : 'must not'} run again`,
    inputSchema: Work,
    task: 'optional',
    timeout: 120_000,
    annotations: { idempotentHint: isIdempotent },
    async handler({ entry, ms }, { signal }) {
      const run = randomUUID()
      note(file, { what: 'start', pid, entry, run })
      try {
        await sleep(ms, undefined, { signal })
      } catch (error) {
        note(file, { what: 'abort', pid, entry, run })
        throw error
      }
      note(file, { what: 'end', pid, entry, run })
      return `${entry} by ${pid}`
    },
  })

const echo = defineTool({
  name: 'echo',
  inputSchema: Type.Object({ message: Type.String() }),
  annotations: { idempotentHint: true },
  handler: ({ message }) => message,
})

const settings = readEnvironment()
const app = shedNoLoad(
  await createServer({ ...settingsAsOptions(settings), tools: [work('once', false), work('again', true), echo] }),
)
app.toolrack.add(
  defineTool({
    name: 'change',
    description: 'Has the list of tools change',
    handler() {
      app.toolrack.add(defineTool({ name: 'changed', description: randomUUID(), handler: () => 'here' }))
      return 'changed'
    },
  }),
)
handleSignals(app, settings.drainMs)
await app.listen({ host: '127.0.0.1', port: settings.port })
console.log('listening')
