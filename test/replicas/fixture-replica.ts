// A replica that serves the fixture of the conformance suite. Settings come from the environment, as for `npm start`.
import { readEnvironment } from '../../src/config.ts'
import { holdProcess } from '../../src/process-hold.ts'
import { serveFixture } from '../conformance/fixture.ts'

const { toolsDir: _none, ...settings } = readEnvironment()
const { app } = await serveFixture(settings.port, {
  ...settings,
  rateLimitMax: 100_000,
  taskInlineMs: settings.taskInlineMs,
})
holdProcess(app, settings.drainMs)
console.log('listening')
