// A replica that serves the fixture of the conformance suite. Settings come from the environment, as for `npm start`.

import { handleSignals } from '../../../packages/cli/src/run-server.ts'
import { readEnvironment } from '../../../packages/environment/src/read.ts'
import { serveFixture } from '../../conformance/fixture.ts'
import { settingsAsOptions } from '../settings-as-options.ts'

const settings = readEnvironment()
const { app } = await serveFixture(settings.port, {
  ...settingsAsOptions(settings),
  rateLimit: { max: 100_000 },
})
handleSignals(app, settings.drainMs)
console.log('listening')
