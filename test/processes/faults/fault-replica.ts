// A replica with the tools of these tests. Settings come from the environment.
import { readEnvironment } from '../../../src/config/settings.ts'
import { createServer } from '../../../src/index.ts'
import { handleSignals } from '../../../src/run-server.ts'
import { shedNoLoad } from '../../support/shed-no-load.ts'
import { faultTools } from './fault-tools.ts'

const { toolsDir: _none, ...settings } = readEnvironment()
const app = shedNoLoad(await createServer({ ...settings, taskInlineMs: settings.taskInlineMs }))
app.toolrack.add(faultTools(app))
handleSignals(app, settings.drainMs)
process.on('unhandledRejection', reason => console.log('UNHANDLED', reason))
process.on('warning', warning => console.log('WARNING', warning))
await app.listen({ host: '127.0.0.1', port: settings.port })
console.log('listening')
