// A replica with the tools of these tests. Settings come from the environment.

import { handleSignals } from '../../../packages/cli/src/run-server.ts'
import { readEnvironment } from '../../../packages/environment/src/read.ts'
import { createServer } from '../../../src/index.ts'
import { settingsAsOptions } from '../../support/settings-as-options.ts'
import { shedNoLoad } from '../../support/shed-no-load.ts'
import { faultTools } from './fault-tools.ts'

const settings = readEnvironment()
const app = shedNoLoad(await createServer(settingsAsOptions(settings)))
app.toolrack.add(faultTools(app))
handleSignals(app, settings.drainMs)
process.on('unhandledRejection', reason => console.log('UNHANDLED', reason))
process.on('warning', warning => console.log('WARNING', warning))
await app.listen({ host: '127.0.0.1', port: settings.port })
console.log('listening')
