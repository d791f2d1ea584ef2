// A replica that serves the fixture of the conformance suite. Settings come from the environment, as for `npm start`.
import { readEnvironment } from '../../../src/config/settings.ts'
import { handleSignals } from '../../../src/run-server.ts'
import { serveFixture } from '../../conformance/fixture.ts'

const { toolsDir: _none, ...settings } = readEnvironment()
const { app } = await serveFixture(settings.port, {
  ...settings,
  rateLimitMax: 100_000,
  taskInlineMs: settings.taskInlineMs,
})
handleSignals(app, settings.drainMs)
console.log('listening')
